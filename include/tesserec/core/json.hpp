// SPDX-License-Identifier: Apache-2.0
/// JSON that the program reads and writes: plans, manifests, metrics, the output of --json.
#pragma once

#include <cassert>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tesserec {

/// A JSON value.
class Json {
 public:
  enum class Kind { null, boolean, integer, number, string, array, object };
  /// Layout in which an array or object is written: on one line, or with a line for each of its elements.
  enum class Layout { line, lines };

  Json() = default;
  Json(bool value) : kind_(Kind::boolean), boolean_(value) {}
  /// Takes a number, which is written with 17 digits that read back to the same double. NaN and infinity become null.
  Json(double value);
  Json(std::string value) : kind_(Kind::string), string_(std::move(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  template <std::integral T>
  Json(T value) : kind_(Kind::integer), integer_(std::int64_t(value)) {
    assert(std::in_range<std::int64_t>(value));
  }
  template <class T>
  Json(const std::vector<T>& values) : Json(array()) {
    for (const T& value : values) add(value);
  }
  static Json array(Layout layout = Layout::line) { return Json(Kind::array, layout); }
  static Json object(Layout layout = Layout::line) { return Json(Kind::object, layout); }

  /// Adds a member to an object, which must not have one of this name.
  Json& set(const std::string& name, Json value);
  /// Adds an element to an array.
  Json& add(Json value);

  Kind kind() const { return kind_; }
  /// Returns whether this is an object that has the member.
  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// Returns the member. Throws Error that names it if there is none.
  const Json& at(const std::string& name) const;
  /// Returns the value. Throws Error if it is of another kind, as the getters below do.
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;  ///< converts an integer
  const std::string& string() const;
  const std::vector<Json>& elements() const;
  /// Returns the names of an object's members, in the order of the text.
  const std::vector<std::string>& names() const;

  /// Returns the value as JSON text. Bytes of strings that are not UTF-8 become U+FFFD.
  std::string text() const { return text(0); }

 private:
  Json(Kind kind, Layout layout) : kind_(kind), layout_(layout) {}
  const Json* find(const std::string& name) const;
  std::string text(std::size_t indent) const;

  Kind kind_ = Kind::null;
  Layout layout_ = Layout::line;
  bool boolean_ = false;
  std::int64_t integer_ = 0;
  double number_ = 0.0;
  std::string string_;
  std::vector<std::string> names_;  // names of an object's elements
  std::vector<Json> elements_;
};

/// Parses a JSON text. Throws Error with the line and column of a syntax error, or with the line where a name occurs
/// twice in an object or values are nested more than 16 deep.
Json parse_json(const std::string& text);

}  // namespace tesserec
