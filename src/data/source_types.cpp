// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/registry.hpp>
#include <tesserec/data/source_types.hpp>

namespace tesserec::data {
namespace {

Registry<SourceType>& source_registry() {
  static Registry<SourceType> types("source", {});
  return types;
}

Settings completed_settings(const Settings& settings) {
  return source_registry().completed(source_type(settings.source), settings);
}

}  // namespace

const std::vector<SourceType>& source_types() { return source_registry().all(); }

void add_source_type(SourceType type) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (type.name.empty() || type.name.find_first_not_of(letters) != std::string::npos)
    fail(source_registry().owner(type.name), " cannot name a block [data.NAME]; use lowercase letters, digits and _");
  for (const char* reserved : {"train", "evaluate", "predict", "trust", "source", "synthetic"})
    if (type.name == reserved) fail(source_registry().owner(type.name), " has the name of a key of [data]; rename it");
  source_registry().add(std::move(type));
}

const SourceType& source_type(const std::string& name) { return source_registry().at(name); }

bool has_own_source(const Settings& settings, Use use) {
  const SourceType& type = source_type(settings.source);
  return !type.has || type.has(completed_settings(settings), use);
}

std::unique_ptr<Source> make_own_source(const Settings& settings, Use use, const Deal& deal) {
  return source_type(settings.source).make(completed_settings(settings), use, deal);
}

}  // namespace tesserec::data
