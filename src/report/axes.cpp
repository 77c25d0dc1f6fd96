// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

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
  constexpr double min_left = 64, title = 24, letter = 8;  // pixels
  std::size_t longest = 0;
  for (const double tick : scale.ticks()) longest = std::max(longest, tick_text(tick).size());
  return std::max(min_left, title + letter * double(longest));
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

std::string switched(const std::string& title, std::vector<std::pair<std::string, std::string>> pictures,
                     const std::string& note) {
  std::erase_if(pictures, [](const auto& entry) { return entry.second.empty(); });
  if (pictures.empty()) return "";
  if (pictures.size() == 1) return figure(title, pictures[0].second + note);
  std::string group, inputs, labels, views;
  for (const char c : title) group += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string id = concat(group, "-", i);
    inputs += lone_element("input", {{"type", "radio"},
                                     {"name", group},
                                     {"id", id},
                                     {"class", concat("pick", i)},
                                     {"checked", i == 0 ? "checked" : ""}});
    labels += element("label", {{"for", id}}, escaped(pictures[i].first));
    views += element("div", {{"class", concat("view", i)}}, pictures[i].second);
  }
  return element("figure", {{"class", "switched"}},
                 inputs +
                     element("figcaption", {},
                             element("h3", {}, escaped(title)) + element("span", {{"class", "switch"}}, labels)) +
                     views + note) +
         "\n";
}

}  // namespace tesserec::report
