// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tesserec::report {

/// Text as content or attribute value of XML and HTML; control characters become spaces.
std::string escaped(std::string_view text);

/// A coordinate: a tenth of a pixel is enough.
std::string number(double pixels);

using Attributes = std::initializer_list<std::pair<const char*, std::string>>;

/// <name a="b">content</name>; values are escaped, `content` is markup already.
std::string element(const char* name, Attributes attributes, const std::string& content = "");

/// <name a="b"/>: an element that never has content.
std::string lone_element(const char* name, Attributes attributes);

/// Makes what a browser shows while the mouse is on the element around it.
std::string hover(std::string_view text);

std::string line(double x1, double y1, double x2, double y2, const std::string& css);
std::string rectangle(double x, double y, double width, double height, const std::string& css,
                      const std::string& content = "");
/// `anchor`: start, middle or end of the text stands at x.
std::string label(double x, double y, const char* anchor, std::string_view text, const std::string& css = "");

/// A picture of so many pixels, which shrinks with the page; `title` is for those who cannot see it.
std::string picture(double width, double height, std::string_view title, const std::string& content);

/// At most so many characters, the middle left out.
std::string shortened(const std::string& text, std::size_t length);

/// Text of a cell without a value.
inline const std::string nothing = "–";

/// Rows of cells, the first a head; cells are markup. A column in which no row has anything is left out.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// A square of a run's colour.
std::string swatch(const std::string& css);

}  // namespace tesserec::report
