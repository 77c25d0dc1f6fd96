// SPDX-License-Identifier: Apache-2.0
#include <tesserec/raw/feature_form.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tesserec/core/text.hpp>

namespace tesserec::raw {

Index id_of_hash(std::uint64_t hash, Index max_rows) {
  return max_rows == 0 ? static_cast<Index>(hash) : 1 + Index(hash % std::uint64_t(max_rows - 1));
}

std::string FeatureForm::id_rule() const {
  if (!hashed()) return "vocabulary";
  return max_rows == 0 ? "hashed" : concat("hashed rows=", max_rows);
}

std::string FeatureForm::rule() const { return definition.empty() ? id_rule() : id_rule() + "; " + definition; }

std::pair<std::string, std::string> parts_of_rule(const std::string& stored) {
  const std::size_t stop = stored.find("; ");
  if (stop == std::string::npos) return {stored, {}};
  return {stored.substr(0, stop), stored.substr(stop + 2)};
}

std::string FeatureForm::kind() const {
  if (hashed()) return bag ? "hashed bag" : "hashed";
  return bag ? "bag" : "category";
}

std::uint64_t token_hash(std::string_view token) { return XXH3_64bits(token.data(), token.size()); }

Index hashed_id(std::string_view token, Index max_rows) { return id_of_hash(token_hash(token), max_rows); }

}  // namespace tesserec::raw
