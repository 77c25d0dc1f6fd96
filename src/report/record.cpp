// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <filesystem>
#include <limits>

#include <tesserec/core/file.hpp>

namespace tesserec::report {

Record::Record(const std::string& file) : file_(file) {
  if (!std::filesystem::exists(file)) return;
  const std::string text = read_file(file);
  try {
    json_ = parse_json(text);
    json_.names();
  } catch (const Error& error) {
    refuse("", error.what());
  }
}

const Json* Record::find(Path path) const {
  const Json* at = &json_;
  for (const char* const name : path) {
    if (!at->has(name)) return nullptr;
    at = &at->at(name);
  }
  return at;
}

double Record::number(Path path) const {
  const Json* const found = find(path);
  return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : number_of(*found);
}

std::string Record::text(Path path) const {
  const Json* const found = find(path);
  return found == nullptr || found->kind() != Json::Kind::string ? "" : found->string();
}

void Record::refuse(const std::string& member, const char* reason) const {
  fail(file_, ": ", member, member.empty() ? "" : ": ", reason,
       "; the file is not as the program writes it, so move it away");
}

double number_of(const Json& json) {
  const bool number = json.kind() == Json::Kind::integer || json.kind() == Json::Kind::number;
  return number ? json.number() : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> numbers(const Json& array) {
  std::vector<double> values;
  for (const Json& element : array.elements()) values.push_back(element.number());
  return values;
}

}  // namespace tesserec::report
