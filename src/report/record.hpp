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

/// File of a run's folder that holds one JSON object: run.json, result.json, point.json, importance.json.
class Record {
 public:
  using Path = std::initializer_list<const char*>;

  Record() = default;
  /// Reads the file. A missing file gives an empty record. Throws Error naming the file if it is not a JSON object.
  explicit Record(const std::string& file);

  bool exists() const { return json_.kind() == Json::Kind::object; }
  /// Returns the number or text of a member; NaN or empty if the member is missing or of another type.
  double number(Path path) const;
  std::string text(Path path) const;
  /// Returns what `take` makes of a member, or nothing without the member. Errors of `take` name file and member.
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
  [[noreturn]] void refuse(const std::string& member, const char* reason) const;

  std::string file_;
  Json json_;
};

/// Returns a number, or NaN if the value is not a number.
double number_of(const Json& json);
/// Returns the numbers of an array. Throws Error if the value is not an array of numbers.
std::vector<double> numbers(const Json& array);

}  // namespace tesserec::report
