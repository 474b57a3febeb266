// SPDX-License-Identifier: Apache-2.0
// The orthodict command and its report.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "background_work.h"
#include "bindings.h"
#include "orthodict/error.h"
#include "orthodict/io.h"
#include "orthodict/model.h"
#include "program.h"
#include "report/report.h"
#include "report/scan_file.h"

namespace orthodict::python {
namespace {

using namespace nanobind::literals;

int run_command(const std::vector<nb::bytes>& words) {
  std::vector<std::string> owned;
  for (const nb::bytes& word : words) owned.emplace_back(word.c_str(), word.size());
  std::vector<char*> arguments;
  for (std::string& word : owned) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const nb::gil_scoped_release release;
  return cli::run_program(static_cast<int>(owned.size()), arguments.data());
}

nb::bytes render_report(const Model& model, const std::optional<AnySamples>& x, const std::string& title,
                        const std::string& model_name, const std::vector<Index>& shape, Index items,
                        const std::vector<std::string>& features, const std::optional<std::string>& scan) {
  BackgroundWork background;
  std::string page;
  background.run([&] {
    report::require_page();
    report::ReportOptions options;
    options.title = title;
    options.model_name = model_name;
    options.sample_shape = shape;
    options.features = features;
    options.items = items;
    if (scan) options.scan = report::parse_scan(*scan, "scan");
    options.progress = [&](const std::string&, Index, Index) {
      if (background.stop_token().stop_requested()) throw Error(Fault::kStopped, "interrupted");
    };
    const auto samples = x ? samples_of(*x, "data") : nullptr;
    page = report::render_page(report::make_report(model, samples.get(), options));
  });
  return nb::bytes(page.data(), page.size());
}

void write_page(const std::string& path, const nb::bytes& page) { write_file(path, {page.c_str(), page.size()}); }

}  // namespace

void bind_command(nb::module_& module) {
  module.def(
      "run_command", &run_command, "words"_a,
      "Runs the orthodict command, whose signal handlers replace those of this process, and gives its exit code.");
  module.def("render_report", &render_report, "model"_a, "x"_a.none(), "title"_a, "model_name"_a, "shape"_a, "items"_a,
             "features"_a, "scan"_a.none(), "The page of orthodict report.");
  module.def("write_page", &write_page, "path"_a, "page"_a);
}

}  // namespace orthodict::python
