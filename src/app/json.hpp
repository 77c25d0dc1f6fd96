// SPDX-License-Identifier: Apache-2.0
/// A JSON value that is written, never read.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tesserec::app {

class Json {
 public:
  Json() : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  /// 17 digits: reads back to the same double. Not a number and infinity become null.
  Json(double value);
  Json(const char* value) : Json(std::string(value)) {}
  Json(const std::string& value);
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  Json(T value) : text_(std::to_string(value)) {}
  template <class T>
  Json(const std::vector<T>& values) : Json(array()) {
    for (const T& value : values) add(value);
  }

  static Json object() { return Json('{', '}'); }
  static Json array() { return Json('[', ']'); }

  /// Of an object: one more member.
  Json& set(const std::string& key, const Json& value);
  /// Of an array: one more element.
  Json& add(const Json& value);

  std::string text() const { return open_ == 0 ? text_ : open_ + text_ + close_; }

 private:
  Json(char open, char close) : open_(open), close_(close) {}

  std::string text_;
  char open_ = 0, close_ = 0;
};

}  // namespace tesserec::app
