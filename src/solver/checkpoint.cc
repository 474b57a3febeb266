// SPDX-License-Identifier: Apache-2.0
#include "solver/checkpoint.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "memory/allocation.h"
#include "orthodict/array.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/version.h"
#include "solver/field_values.h"
#include "solver/hash.h"
#include "solver/metadata.h"
#include "solver/option_fields.h"

namespace orthodict::solver {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 4;
constexpr const char* kIdentity = "identity";
constexpr const char* kFormatName = "format";
constexpr const char* kMoments = "moments";

// What two runs must have in common for one to resume the other.
Json identity_of(const Options& options, const Summary& summary, const Samples& samples,
                 const engine::Moments& moments) {
  Json asked = describe_options(options, summary);
  for_each_option([&](const auto& field) {
    if (field.identity == Identity::kExtent) asked.erase(std::string(field.name));
    const bool is_start = field.identity == Identity::kStart && options.init == Initialization::kGiven;
    if (is_start) asked[field.name] = json_of(options.*field.member);
  });
  std::uint64_t hash = hash_of(values_of(moments.second_moment), hash_of(values_of(moments.mean)));
  hash = hash_of(values_of(moments.signature), hash);
  Json described = {{"size", samples.size()}, {"dimension", samples.dimension()}, {"fits_f32", samples.fits_f32()}};
  if (samples.is_complex()) described["complex"] = true;
  described[kMoments] = fmt::format("{:016x}", hash);
  return {{kFormatName, kFormat}, {"version", ORTHODICT_VERSION}, {"options", asked}, {"samples", described}};
}

// Describes the first difference.
std::string difference(const Json& then, const Json& now, const std::string& prefix = "") {
  for (const auto& [name, value] : now.items()) {
    const Json before = then.contains(name) ? then[name] : Json();
    if (before == value) continue;
    if (name == kFormatName) return "another version of orthodict wrote it";
    if (value.is_object() && before.is_object()) return difference(before, value, prefix + name + ".");
    if (name == kMoments) return "the samples differ in values or order";
    return fmt::format("{}{} was {}, now is {}", prefix, name, before.dump(), value.dump());
  }
  return "it has more options";
}

}  // namespace

Checkpoint::Checkpoint(const Options& options, engine::Collective& collective)
    : options_(options), collective_(collective) {
  if (options.resume.empty()) return;
  resumed_ = std::make_unique<const formats::NpzFile>(options.resume);
  if (!resumed_->contains(kIdentity)) refuse(fmt::format("not a checkpoint: no \"{}\"", kIdentity));
}

void Checkpoint::open(const Summary& summary, const Samples& samples, const engine::Moments& moments) {
  if (options_.checkpoint.empty() && options_.resume.empty()) return;
  const Json now = identity_of(options_, summary, samples, moments);
  if (resumed_) {
    collective_.together([&] { compare_identity(now); });
  }
  identity_ = now.dump(-1, ' ', false, Json::error_handler_t::replace);
  last_ = Clock::now();
}

void Checkpoint::compare_identity(const Json& now) const {
  constexpr std::size_t kLongest =
      10'000;  // ours are shorter, and the limit bounds the depth of nesting, and so the stack
  const std::string text = resumed_->text(kIdentity);
  const Json then = text.size() > kLongest ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!then.is_object()) refuse("not a checkpoint: invalid \"identity\"");
  if (then != now) refuse("made by another run: " + difference(then, now));
}

void Checkpoint::read(const std::function<void(const formats::NpzFile&)>& reader) const {
  collective_.together([&] { memory::with_memory_errors(options_.resume, [&] { reader(*resumed_); }); });
}

void Checkpoint::require_equal(std::uint64_t hash) const {
  collective_.require_equal(hash, options_.resume + ": differs from the checkpoint that other ranks resume from");
}

void Checkpoint::refuse(const std::string& what) const { throw data_error(options_.resume, what); }

void Checkpoint::refuse_iterations(int most) const {
  refuse(fmt::format("made after more iterations than max_iterations = {}", most));
}

Matrix<double> Checkpoint::matrix(const formats::NpzFile& file, const std::string& name, Index rows,
                                  Index columns) const {
  const Array array = file.array(name);
  if (array.rows() == rows && array.columns() == columns) {
    Matrix<double> matrix = to_matrix(array);
    if (matrix.allFinite()) return matrix;
  }
  refuse(fmt::format("damaged checkpoint: \"{}\" is not a finite {}×{} matrix", name, rows, columns));
}

void Checkpoint::require_loaded() const {
  if (resumed_) refuse("damaged checkpoint: its entries don't match the course of the run");
}

void Checkpoint::reach(Resumable* method) {
  if (!is_open()) return;
  if (resumed_) {
    std::uint64_t hash = 0;
    read([&](const formats::NpzFile& file) {
      method->load(file);
      if (collective_.is_alone()) return;
      formats::NpzBuilder loaded;
      method->save(&loaded);
      hash = hash_of(loaded.finish());
    });
    require_equal(hash);
    resumed_.reset();
    last_ = Clock::now();
  } else if (std::chrono::duration<double>(Clock::now() - last_).count() >= options_.checkpoint_every) {
    save(*method);
  }
}

void Checkpoint::save(const Resumable& method) {
  if (!is_open() || resumed_ || collective_.rank() > 0) return;
  const std::string& path = options_.checkpoint.empty() ? options_.resume : options_.checkpoint;
  try {
    memory::with_memory_errors(path, [&] { write(path, method); });
    failure_.clear();
  } catch (const Error& error) {
    failure_ = error.what();
  }
  last_ = Clock::now();
}

void Checkpoint::write(const std::string& path, const Resumable& method) const {
  formats::NpzBuilder file;
  file.add_text(kIdentity, identity_);
  method.save(&file);
  write_file(path, file.finish());
}

}  // namespace orthodict::solver
