// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "chart.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {

std::string axis_below(const Plot& plot, const Scale& scale, const std::string& title) {
  std::string text = line(plot.left, plot.bottom, plot.right, plot.bottom, "axis");
  for (const double tick : scale.ticks()) {
    const double x = scale.at(tick);
    text += line(x, plot.top, x, plot.bottom, "grid") + label(x, plot.bottom + 15, "middle", tick_text(tick));
  }
  return text + label((plot.left + plot.right) / 2, plot.bottom + 34, "middle", title, "title");
}

double left_edge(const Scale& scale) {
  constexpr double six_characters = 64, one = 7;  // pixels
  std::size_t most = 6;
  for (const double tick : scale.ticks()) most = std::max(most, tick_text(tick).size());
  return six_characters + one * double(most - 6);
}

std::string axis_left(const Plot& plot, const Scale& scale, const std::string& title) {
  std::string text = line(plot.left, plot.top, plot.left, plot.bottom, "axis");
  for (const double tick : scale.ticks()) {
    const double y = scale.at(tick);
    text += line(plot.left, y, plot.right, y, "grid") + label(plot.left - 6, y + 4, "end", tick_text(tick));
  }
  const double middle = (plot.top + plot.bottom) / 2;
  return text + element("text",
                        {{"transform", concat("translate(13 ", number(middle), ") rotate(-90)")},
                         {"text-anchor", "middle"},
                         {"class", "title"}},
                        escaped(title));
}

std::string figure(const std::string& title, const std::string& picture, const std::string& legend,
                   const std::string& css) {
  return element("figure", {{"class", css}},
                 element("figcaption", {}, element("h3", {}, escaped(title)) + legend) + picture) +
         "\n";
}

}  // namespace tesserec::report
