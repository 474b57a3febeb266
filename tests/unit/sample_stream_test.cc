// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include "files.h"
#include "formats/npy.h"
#include "orthodict/io.h"

namespace orthodict {
namespace {

// A pipe that contains bytes, with the writing end closed by default.
class Pipe {
 public:
  explicit Pipe(const std::string& bytes, bool is_open = false) {
    EXPECT_EQ(pipe(ends_), 0);
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    if (!is_open) close_end();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close_end();
  }
  [[nodiscard]] int get() const { return ends_[0]; }

 private:
  void close_end() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  int ends_[2] = {-1, -1};
};

std::string doubles(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += test::bytes_as<double>(i);
  return bytes;
}

std::string npy(Index rows, Index columns) {
  const Index shape[] = {rows, columns};
  return formats::npy_header_text("f8", shape) + doubles(static_cast<int>(rows * columns));
}

Vector<double> sample(const Samples& samples, Index j) {
  Vector<double> scratch(samples.dimension());
  const Block<double> block = samples.block(j, 1, scratch.data());
  return Eigen::Map<const Vector<double>>(block.data, samples.dimension());
}

TEST(SampleStream, GivesSectionsInOrder) {
  const Pipe pipe(npy(5, 2));
  const auto stream = open_sample_stream(pipe.get(), "standard input", Layout::kRows);
  EXPECT_EQ(stream->dimension(), 2);
  EXPECT_EQ(stream->size(), 5);
  EXPECT_EQ(stream->section_size(), 5);
  const auto first = stream->read(2);
  const auto second = stream->read(2);
  const auto third = stream->read(2);
  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(first->size(), 2);
  EXPECT_EQ(second->size(), 2);
  EXPECT_EQ(third->size(), 1);
  EXPECT_EQ(sample(*first, 1)[1], 3);
  EXPECT_EQ(sample(*second, 0)[0], 4);
  EXPECT_EQ(sample(*third, 0)[1], 9);
  EXPECT_EQ(third->name(), "standard input from sample 4 on");
  EXPECT_EQ(stream->read(2), nullptr);
}

TEST(SampleStream, OfRawNumbersEndsWhenItEnds) {
  const Pipe pipe(doubles(15));
  const auto stream = open_raw_sample_stream(pipe.get(), "standard input", ElementType::kF64, 3);
  EXPECT_EQ(stream->size(), std::nullopt);
  EXPECT_EQ(stream->section_size(), (Index{1} << 22) / 3);
  EXPECT_EQ(stream->read(4)->size(), 4);
  const auto last = stream->read(4);
  EXPECT_EQ(last->size(), 1);
  EXPECT_EQ(sample(*last, 0)[2], 14);
  EXPECT_EQ(stream->read(4), nullptr);
}

TEST(SampleStream, HasAtLeast40SamplesForEachFeatureInASection) {
  const Pipe pipe("");
  const auto stream = open_raw_sample_stream(pipe.get(), "standard input", ElementType::kF32, 1000);
  EXPECT_EQ(stream->section_size(), 40'000);
}

TEST(SampleStream, ThatBreaksOffIsAnError) {
  const std::string whole = npy(5, 2);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{8}, std::size_t{17}}) {
    const Pipe pipe(whole.substr(0, whole.size() - cut));
    const auto stream = open_sample_stream(pipe.get(), "standard input", Layout::kRows);
    const auto refusal = test::message_of([&] {
      while (stream->read(2)) {
      }
    });
    EXPECT_MENTIONS(refusal,
                    "standard input: truncated: header promises 80 bytes of data, " + std::to_string(80 - cut));
  }
  const Pipe pipe(doubles(4) + "x");
  const auto stream = open_raw_sample_stream(pipe.get(), "standard input", ElementType::kF64, 2);
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(stream->read(10)); }),
                  "33 bytes, which isn't a multiple of a sample of 2 numbers of type f64");
}

TEST(SampleStream, MayHaveItsSamplesInColumnsIfItIsReadAsAWhole) {
  const Pipe whole(npy(2, 5));
  const auto stream = open_sample_stream(whole.get(), "standard input", Layout::kColumns);
  EXPECT_EQ(stream->size(), 5);
  EXPECT_EQ(sample(*stream->read(5), 4), (Vector<double>{{4, 9}}));
  const Pipe again(npy(2, 5));
  const auto cut = open_sample_stream(again.get(), "standard input", Layout::kColumns);
  EXPECT_MENTIONS(test::message_of([&] { static_cast<void>(cut->read(2)); }), "its samples aren't contiguous");
}

TEST(SampleStream, DoesntKeepAStopWaiting) {
  const Pipe pipe(doubles(1), /*is_open=*/true);
  const auto stream = open_raw_sample_stream(pipe.get(), "standard input", ElementType::kF64, 1);
  std::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  EXPECT_EQ(stream->read(10, source.get_token()), nullptr);
  stopper.join();
}

TEST(SampleStream, GivesAllOfAnArrayBeforeItWaitsForTheEnd) {
  const Pipe pipe(npy(4, 2), /*is_open=*/true);
  const auto stream = open_sample_stream(pipe.get(), "standard input", Layout::kRows);
  EXPECT_EQ(stream->read(2)->size(), 2);
  EXPECT_EQ(stream->read(2)->size(), 2);
  std::stop_source source;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    source.request_stop();
  });
  EXPECT_EQ(stream->read(2, source.get_token()), nullptr);
  EXPECT_TRUE(source.stop_requested());
  stopper.join();
}

TEST(SampleStream, ThatGoesOnBehindItsArrayIsAnError) {
  for (const Index section : {Index{2}, Index{4}}) {
    const Pipe pipe(npy(4, 2) + npy(4, 2));
    const auto stream = open_sample_stream(pipe.get(), "standard input", Layout::kRows);
    const auto refusal = test::message_of([&] {
      while (stream->read(section)) {
      }
    });
    EXPECT_MENTIONS(refusal, "standard input: continues after the 64 bytes that its header promises");
  }
}

TEST(SampleStream, OfSizesThatCannotBeIsAnError) {
  const auto refusal = [](Index dimension, Index count) {
    const Pipe pipe(doubles(4));
    return test::message_of([&] {
      static_cast<void>(
          open_raw_sample_stream(pipe.get(), "standard input", ElementType::kF64, dimension)->read(count));
    });
  };
  EXPECT_MENTIONS(refusal(Index{1} << 61, 1), "features don't fit in memory");
  EXPECT_MENTIONS(refusal(2, Index{1} << 60), "exceed the address space");
  const Pipe pipe(npy(5, 0));
  EXPECT_MENTIONS(
      test::message_of([&] { static_cast<void>(open_sample_stream(pipe.get(), "standard input", Layout::kRows)); }),
      "samples have no features");
}

TEST(SampleStream, IsAskedForSamplesWithFeatures) {
  EXPECT_MENTIONS(
      test::message_of([] { static_cast<void>(open_raw_sample_stream(0, "standard input", ElementType::kF64, 0)); },
                       Fault::kOption),
      "dimension = 0");
}

}  // namespace
}  // namespace orthodict
