// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "chart.hpp"
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

constexpr double letter = 6.6;  // mean width of a letter, pixels

/// Vertical axis: numbers on a scale, or other values at equal distances.
class VerticalAxis {
 public:
  /// Takes the values that the axis shows. `wide`: true if positive numbers far apart get a logarithmic scale.
  VerticalAxis(const std::vector<Json>& values, double bottom, double top, bool wide = true)
      : scale_(0, 1, bottom, top) {
    std::vector<double> sorted;
    for (const Json& value : values) {
      const bool number = value.kind() == Json::Kind::integer || value.kind() == Json::Kind::number;
      numeric_ = numeric_ && number;
      if (number) sorted.push_back(value.number());
      if (std::find(words_.begin(), words_.end(), value_text(value)) == words_.end())
        words_.push_back(value_text(value));
    }
    if (!numeric_ || sorted.empty()) {
      numeric_ = false;
      scale_ = Scale(-0.5, double(words_.size()) - 0.5, bottom, top);
      return;
    }
    std::sort(sorted.begin(), sorted.end());
    few_ = sorted;
    few_.erase(std::unique(few_.begin(), few_.end()), few_.end());
    wide = wide && sorted.front() > 0 && sorted.back() > 20 * sorted.front();
    scale_ = Scale(sorted.front(), sorted.back(), bottom, top, wide ? Scale::Kind::logarithmic : Scale::Kind::linear);
    bool apart = true;  // true if every distance exceeds a line of text
    for (std::size_t i = 1; i < few_.size(); ++i) apart = apart && scale_.at(few_[i - 1]) - scale_.at(few_[i]) > 13;
    if (!apart) few_.clear();
  }

  double at(const Json& value) const {
    if (numeric_) return scale_.at(value.number());
    return scale_.at(double(std::find(words_.begin(), words_.end(), value_text(value)) - words_.begin()));
  }

  /// Draws the axis at `x`. `spacing`: distance to the next axis, pixels.
  std::string drawn(double x, double spacing) const {
    const auto length = std::size_t(std::clamp((spacing - 14) / letter, 1.0, 14.0));
    std::string text = line(x, scale_.at(scale_.low()), x, scale_.at(scale_.high()), "axis");
    const auto mark = [&](double y, const std::string& word) {
      text += line(x - 4, y, x, y, "axis") + label(x - 7, y + 4, "end", shortened(word, length), "halo");
    };
    if (numeric_)
      for (const double tick : few_.empty() ? scale_.ticks() : few_) mark(scale_.at(tick), tick_text(tick));
    else
      for (std::size_t w = 0; w < words_.size(); ++w) mark(scale_.at(double(w)), words_[w]);
    return text;
  }

 private:
  bool numeric_ = true;
  std::vector<std::string> words_;
  std::vector<double> few_;  // all numbers, if each fits beside the axis; else empty
  Scale scale_;
};

}  // namespace

std::string parallel_coordinates(const Sweep& sweep) {
  constexpr double width = 1120, height = 376, top = 46, bottom = height - 12;
  std::vector<Json> found;
  for (const Sweep::Point& point : sweep.points)
    if (std::isfinite(point.metric)) found.emplace_back(point.metric);
  if (sweep.keys.empty() || sweep.points.empty()) return "";
  std::vector<VerticalAxis> axes;
  for (std::size_t k = 0; k < sweep.keys.size(); ++k) {
    std::vector<Json> values;
    for (const Sweep::Point& point : sweep.points) values.push_back(point.values[k]);
    axes.emplace_back(values, bottom, top);
  }
  // A metric of which more is better stays near its best value; one of which less is better may be many times its best.
  if (!found.empty()) axes.emplace_back(found, bottom, top, sweep.less_is_better);
  const double first = 110, last = width - 90, spacing = (last - first) / std::max(1.0, double(axes.size()) - 1);
  const auto x = [&](std::size_t axis) { return first + spacing * double(axis); };

  // The best line is drawn last, over all others.
  std::string lines;
  for (std::size_t place = sweep.points.size(); place-- > 0;) {
    const Sweep::Point& point = sweep.points[place];
    const bool has_metric = std::isfinite(point.metric);
    std::string path;
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
      path += concat(k > 0 ? " " : "", number(x(k)), ",", number(axes[k].at(point.values[k])));
    if (has_metric) path += concat(" ", number(x(axes.size() - 1)), ",", number(axes.back().at(point.metric)));
    const std::string hover_text =
        has_metric ? concat(point.name, ": ", sweep.metric, " ", significant(point.metric, 6), ", ", point.state)
                   : concat(point.name, ": ", sweep.metric, " ", point.state);
    lines += element("g", {{"class", "line " + point.css + (has_metric && place == 0 ? " best" : "")}},
                     hover(hover_text) + element("polyline", {{"points", path}}));
  }
  const std::size_t rows = axes.size() > 5 ? 2 : 1;  // rows of titles
  const auto length = std::size_t(std::max(1.0, double(rows) * spacing / letter - 1));
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string title = k < sweep.keys.size() ? sweep.keys[k].name : "final " + sweep.metric;
    const double y = k % rows == 0 ? top - 16 : top - 32;
    lines += axes[k].drawn(x(k), spacing) +
             element("text", {{"x", number(x(k))}, {"y", number(y)}, {"text-anchor", "middle"}, {"class", "title"}},
                     hover(title) + escaped(shortened(title, length)));
  }
  std::string note = color_scale(sweep.metric);
  if (found.size() < sweep.points.size())
    note += element("p", {{"class", "note"}},
                    concat(counted(std::int64_t(sweep.points.size() - found.size()), "point"),
                           " without the metric, thin and dashed: missing, started or diverged."));
  return figure("Sweep: settings and " + sweep.metric, picture(width, height, "Parallel coordinates of a sweep", lines),
                note, "wide");
}

}  // namespace tesserec::report
