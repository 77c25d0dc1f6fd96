// SPDX-License-Identifier: Apache-2.0
/// JSON, read and written: plans, manifests, metrics, what --json prints.
#pragma once

#include <cassert>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tesserec {

class Json {
 public:
  enum class Kind { null, boolean, integer, number, string, array, object };
  /// Form in which an array or object is written: on one line, or a line for each of its elements.
  enum class Layout { line, lines };

  Json() = default;
  Json(bool value) : kind_(Kind::boolean), boolean_(value) {}
  /// Written with 17 digits, which read back to the same double. Not a number and infinity become null.
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

  /// Adds a member to an object, by a name that it does not have.
  Json& set(const std::string& name, Json value);
  /// Adds an element to an array.
  Json& add(Json value);

  Kind kind() const { return kind_; }
  /// Returns whether this is an object that has the member.
  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// The member, or Error that names it.
  const Json& at(const std::string& name) const;
  /// The value, or Error when it is of another kind.
  bool boolean() const;
  std::int64_t integer() const;
  double number() const;  ///< of integers too
  const std::string& string() const;
  const std::vector<Json>& elements() const;
  /// Lists the names of an object, in the order of the text.
  const std::vector<std::string>& names() const;

  /// As JSON, whatever bytes the strings have: what is not UTF-8 in them becomes U+FFFD.
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
  std::vector<std::string> names_;  // of an object's elements
  std::vector<Json> elements_;
};

/// Error with the line and column where the text stops to be JSON, or has a name twice in an object.
Json parse_json(const std::string& text);

}  // namespace tesserec
