// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "orthodict/error.h"
#include "orthodict/stretch.h"

namespace orthodict {
namespace {

using Function = std::function<double(double)>;

class CustomStretch final : public Stretch {
 public:
  CustomStretch(std::string name, Function value, Function derivative, Function second_derivative,
                const StretchTraits& traits)
      : name_(std::move(name)),
        value_(std::move(value)),
        derivative_(std::move(derivative)),
        second_derivative_(std::move(second_derivative)),
        traits_(traits) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double value(double z) const override { return value_(z); }
  [[nodiscard]] double derivative(double z) const override { return derivative_(z); }
  [[nodiscard]] double second_derivative(double z) const override { return second_derivative_(z); }
  [[nodiscard]] std::optional<double> degree() const override { return traits_.degree; }
  [[nodiscard]] bool is_convex() const override { return traits_.is_convex; }
  [[nodiscard]] bool is_smooth() const override { return traits_.is_smooth; }
  [[nodiscard]] bool is_subquadratic() const override { return traits_.is_subquadratic; }

 private:
  std::string name_;
  Function value_;
  Function derivative_;
  Function second_derivative_;
  StretchTraits traits_;
};

}  // namespace

std::shared_ptr<const Stretch> make_stretch(std::string name, Function value, Function derivative,
                                            Function second_derivative, const StretchTraits& traits) {
  if (!value || !derivative || !second_derivative) {
    throw option_error("stretch", name, "made of three functions: one of these is empty");
  }
  const auto stretch = std::make_shared<const CustomStretch>(std::move(name), std::move(value), std::move(derivative),
                                                             std::move(second_derivative), traits);
  if (const std::string fault = check_stretch(*stretch); !fault.empty()) {
    throw Error(Fault::kOption, "stretch " + fault);
  }
  return stretch;
}

}  // namespace orthodict
