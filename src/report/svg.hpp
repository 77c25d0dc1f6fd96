// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tesserec::report {

/// Escapes text for content and attribute values of XML and HTML. Control characters become spaces.
std::string escaped(std::string_view text);

/// Formats a coordinate to a tenth of a pixel.
std::string number(double pixels);

using Attributes = std::initializer_list<std::pair<const char*, std::string>>;

/// Makes <name a="b">content</name>. Attribute values are escaped; `content` is markup.
std::string element(const char* name, Attributes attributes, const std::string& content = "");

/// Makes <name a="b"/>, an element that never has content.
std::string lone_element(const char* name, Attributes attributes);

/// Makes the text that a browser shows while the mouse is over the enclosing element.
std::string hover(std::string_view text);

std::string line(double x1, double y1, double x2, double y2, const std::string& css);
std::string rectangle(double x, double y, double width, double height, const std::string& css,
                      const std::string& content = "");
/// Makes a text at (x, y). `anchor`: "start", "middle" or "end" of the text lies at x.
std::string label(double x, double y, const char* anchor, std::string_view text, const std::string& css = "");

/// Makes a picture of `width` x `height` pixels that shrinks with the page. `title` is for screen readers.
std::string picture(double width, double height, std::string_view title, const std::string& content);

/// Shortens a text to at most `length` characters by omitting its middle.
std::string shortened(const std::string& text, std::size_t length);

/// Text of a cell without a value.
inline const std::string nothing = "–";

/// Makes a table of rows of cells (markup), the first row its head. Omits columns without any value.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Makes a square of a class's color.
std::string swatch(const std::string& css);

}  // namespace tesserec::report
