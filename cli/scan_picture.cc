// SPDX-License-Identifier: Apache-2.0
#include "scan_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace orthodict::cli {
namespace {

constexpr double kWidth = 640, kHeight = 400, kLeft = 56, kRight = 120, kTop = 20, kBottom = 48;

struct Line {
  const char* name;
  const char* color;
  Index ScannedNumber::*value;
};
constexpr Line kLines[] = {{"stable", "#0b6e4f", &ScannedNumber::stable},
                           {"robust", "#2a6fbb", &ScannedNumber::robust},
                           {"singles", "#b5542b", &ScannedNumber::singles}};

// A round step that cuts `range` into about five.
double tick_of(double range) {
  const double rough = std::max(range, 1.0) / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return std::max(factor * power, 1.0);
  }
  return 10 * power;
}

class Picture {
 public:
  explicit Picture(const Scan& scan) : scan_(scan) {
    for (const ScannedNumber& number : scan.numbers) {
      most_atoms_ = std::max(most_atoms_, static_cast<double>(number.atoms));
      most_ = std::max(most_, static_cast<double>(std::max({number.stable, number.robust, number.singles})));
    }
  }

  std::string draw() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        kWidth, kHeight);
    draw_axes();
    if (scan_.recommended) draw_choice(*scan_.recommended, "recommended", 0);
    if (scan_.optica && scan_.optica != scan_.recommended) draw_choice(*scan_.optica, "OptICA's rule", 14);
    double place = kTop + 40;
    for (const Line& line : kLines) {
      draw_line(line);
      text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", kWidth - kRight + 12, place,
                           line.color, line.name);
      place += 18;
    }
    return text_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double x(double atoms) const { return kLeft + (kWidth - kLeft - kRight) * atoms / most_atoms_; }
  [[nodiscard]] double y(double count) const { return kHeight - kBottom - (kHeight - kTop - kBottom) * count / most_; }

  void draw_axes() {
    text_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}\" fill=\"none\" stroke=\"black\"/>\n", kLeft, kTop,
                         y(0), kWidth - kRight);
    for (double at = 0; at <= most_atoms_; at += tick_of(most_atoms_)) {
      text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(at), y(0) + 16, at);
    }
    for (double at = 0; at <= most_; at += tick_of(most_)) {
      text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, y(at) + 4, at);
    }
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">atoms</text>\n",
                         (kLeft + kWidth - kRight) / 2, kHeight - 10);
  }

  void draw_choice(Index atoms, const char* name, double lower) {
    const double at = x(static_cast<double>(atoms));
    text_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>\n", at, kTop,
                         y(0));
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"#555\">{}: {}</text>\n", at + 4, kTop + 10 + lower,
                         name, atoms);
  }

  void draw_line(const Line& line) {
    std::string points;
    for (const ScannedNumber& number : scan_.numbers) {
      const double at = x(static_cast<double>(number.atoms)), height = y(static_cast<double>(number.*line.value));
      points += fmt::format("{:.1f},{:.1f} ", at, height);
      text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", at, height, line.color);
    }
    text_ +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", points, line.color);
  }

  const Scan& scan_;
  double most_atoms_ = 1;
  double most_ = 1;
  std::string text_;
};

}  // namespace

std::string scan_picture(const Scan& scan) { return Picture(scan).draw(); }

}  // namespace orthodict::cli
