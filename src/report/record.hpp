// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>

namespace tesserec::report {

/// A file of a run's folder that is one JSON object: run.json, result.json, point.json.
class Record {
 public:
  using Path = std::initializer_list<const char*>;

  Record() = default;
  /// Error, naming the file: it is there, and no object.
  explicit Record(const std::string& file);

  bool there() const { return json_.kind() == Json::Kind::object; }
  /// A member's number or text, whatever lies on the way; what is not there, or something else, is NaN or empty.
  double number(Path path) const;
  std::string text(Path path) const;
  /// Returns what `take` makes of a member; none without it. An Error of `take` names file and member.
  template <class Take>
  auto read(Path path, const Take& take) const -> std::optional<decltype(take(Json()))> {
    const Json* const found = find(path);
    if (found == nullptr) return std::nullopt;
    try {
      return take(*found);
    } catch (const std::exception& error) {
      refuse(join(path, "."), error.what());
    }
  }

 private:
  const Json* find(Path path) const;
  [[noreturn]] void refuse(const std::string& member, const char* why) const;

  std::string file_;
  Json json_;
};

/// NaN where it is no number.
double number_of(const Json& json);
/// The numbers of an array. Error: it is none, or has something else.
std::vector<double> numbers(const Json& array);

}  // namespace tesserec::report
