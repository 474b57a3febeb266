// SPDX-License-Identifier: Apache-2.0
#include "images/denoising/passes.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "images/denoising/planes.h"

namespace orthodict::images {
namespace {

// The strips of an image on their way through the passes. Each pass makes its rows when the next one needs them.
class Course {
 public:
  Course(const std::vector<Pass>& passes, const Transforms& transforms, Index strip, Image* image,
         engine::Workers* workers, const std::function<void(double)>& progress, const std::function<void()>& check_stop)
      : passes_(passes),
        transforms_(transforms),
        strip_(strip),
        image_(image),
        workers_(workers),
        progress_(progress),
        check_stop_(check_stop),
        results_(passes.size()),
        kept_(passes.size()),
        patches_(passes.size()) {
    for (const Pass& pass : passes) ticks_ += static_cast<double>(image->height) / static_cast<double>(pass.step);
  }

  PassTotals run() {
    const Index rows = std::max<Index>(1, strip_ / (image_->width * image_->channels));
    for (Index first = 0; first < image_->height; first += rows) {
      const Index last = std::min(image_->height, first + rows);
      extend(passes_.size(), last);
      join_rows(results_.back().planes, first, image_);
      drop_used_rows();
    }
    for (std::size_t pass = passes_.size(); pass-- > 0;) {
      if (passes_[pass].shrinkage == Pass::Shrinkage::kThreshold) return {kept_[pass] / patches_[pass]};
    }
    return {};
  }

 private:
  // Makes the rows up to `end` of the first `count` passes' result; those of the noisy image, if `count` is 0.
  void extend(std::size_t count, Index end) {
    if (count == 0) {
      if (noisy_.end() < end) noisy_.append(split_rows(*image_, noisy_.end(), end));
      return;
    }
    Rows& result = results_[count - 1];
    const Index begin = result.end();
    if (begin >= end) return;
    const Pass& pass = passes_[count - 1];
    const Index needed = std::min(image_->height, end + pass.margin(transforms_.patch));
    extend(0, needed);
    extend(count - 1, needed);
    const Filtered filtered = filter_rows(pass, transforms_, image_->height, begin, end, noisy_,
                                          count > 1 ? &results_[count - 2] : nullptr, workers_, [this] { tick(); });
    result.append(filtered.planes);
    kept_[count - 1] += filtered.kept;
    patches_[count - 1] += filtered.patches;
  }

  void drop_used_rows() {
    Index needed = image_->height;
    for (std::size_t pass = passes_.size(); pass-- > 0;) {
      Rows& result = results_[pass];
      result.drop_before(pass + 1 == passes_.size() ? result.end() : first_needed(pass + 1));
      needed = std::min(needed, first_needed(pass));
    }
    noisy_.drop_before(needed);
  }

  // The first row that a pass still needs of what it is made from.
  [[nodiscard]] Index first_needed(std::size_t pass) const {
    return results_[pass].end() - passes_[pass].margin(transforms_.patch);
  }

  void tick() {
    check_stop_();
    const double done = ++done_;
    if (progress_ && std::this_thread::get_id() == caller_) progress_(std::min(1.0, done / ticks_));
  }

  const std::vector<Pass>& passes_;
  const Transforms& transforms_;
  Index strip_;
  Image* image_;
  engine::Workers* workers_;
  const std::function<void(double)>& progress_;
  const std::function<void()>& check_stop_;
  Rows noisy_;
  std::vector<Rows> results_;
  std::vector<double> kept_;
  std::vector<double> patches_;
  double ticks_ = 0;
  std::atomic<int> done_ = 0;
  std::thread::id caller_ = std::this_thread::get_id();
};

}  // namespace

PassTotals run_passes(const std::vector<Pass>& passes, const Transforms& transforms, Index strip, Image* image,
                      engine::Workers* workers, const std::function<void(double)>& progress,
                      const std::function<void()>& check_stop) {
  return Course(passes, transforms, strip, image, workers, progress, check_stop).run();
}

}  // namespace orthodict::images
