// SPDX-License-Identifier: Apache-2.0
#include "svg.hpp"

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::report {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
  }
  return safe;
}

std::string number(double pixels) {
  std::string text = fixed(pixels, 1);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

namespace {

std::string opened(const char* name, Attributes attributes) {
  std::string text = concat("<", name);
  for (const auto& [attribute, value] : attributes)
    if (!value.empty()) text += concat(" ", attribute, "=\"", escaped(value), "\"");
  return text;
}

}  // namespace

std::string element(const char* name, Attributes attributes, const std::string& content) {
  return opened(name, attributes) + ">" + content + "</" + name + ">";
}

std::string lone_element(const char* name, Attributes attributes) { return opened(name, attributes) + "/>"; }

std::string hover(std::string_view text) { return element("title", {}, escaped(text)); }

std::string line(double x1, double y1, double x2, double y2, const std::string& css) {
  return element("line",
                 {{"x1", number(x1)}, {"y1", number(y1)}, {"x2", number(x2)}, {"y2", number(y2)}, {"class", css}});
}

std::string rectangle(double x, double y, double width, double height, const std::string& css,
                      const std::string& content) {
  return element(
      "rect",
      {{"x", number(x)}, {"y", number(y)}, {"width", number(width)}, {"height", number(height)}, {"class", css}},
      content);
}

std::string label(double x, double y, const char* anchor, std::string_view text, const std::string& css) {
  return element("text", {{"x", number(x)}, {"y", number(y)}, {"text-anchor", anchor}, {"class", css}}, escaped(text));
}

std::string picture(double width, double height, std::string_view title, const std::string& content) {
  return element("svg",
                 {{"viewBox", concat("0 0 ", number(width), " ", number(height))},
                  {"width", number(width)},
                  {"role", "img"},
                  {"aria-label", std::string(title)}},
                 content) +
         "\n";
}

std::string shortened(const std::string& text, std::size_t length) {
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  if (text.size() <= length) return text;
  std::size_t head = length / 2, tail = text.size() - (length - head - 1);
  while (head > 0 && inside(head)) --head;  // the cut moves to a border between characters
  while (tail < text.size() && inside(tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> filled(rows[0].size());
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      filled[c] = filled[c] || (rows[r][c] != nothing && !rows[r][c].empty());
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string cells;
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      if (filled[c]) cells += element(r == 0 ? "th" : "td", {}, rows[r][c]);
    text += element("tr", {}, cells) + "\n";
  }
  return element("div", {{"class", "scroll"}}, element("table", {}, text)) + "\n";
}

std::string swatch(const std::string& css) { return element("i", {{"class", "swatch " + css}}); }

}  // namespace tesserec::report
