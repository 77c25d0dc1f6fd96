// SPDX-License-Identifier: Apache-2.0
#include <tesserec/raw/feature_form.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tesserec/core/text.hpp>

namespace tesserec::raw {

Index id_of_hash(std::uint64_t hash, Index max_rows) {
  return max_rows == 0 ? static_cast<Index>(hash) : 1 + Index(hash % std::uint64_t(max_rows - 1));
}

std::string FeatureForm::rule() const {
  if (!hashed()) return "vocabulary";
  return max_rows == 0 ? "hashed" : concat("hashed rows=", max_rows);
}

std::string FeatureForm::kind() const {
  if (hashed()) return bag ? "hashed bag" : "hashed";
  return bag ? "bag" : "category";
}

std::uint64_t token_hash(std::string_view token) { return XXH3_64bits(token.data(), token.size()); }

Index hashed_id(std::string_view token, Index max_rows) { return id_of_hash(token_hash(token), max_rows); }

}  // namespace tesserec::raw
