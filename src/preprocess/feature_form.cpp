// SPDX-License-Identifier: Apache-2.0
#include "feature_form.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cstring>
#include <vector>

#include <xxhash.h>

#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

Index id_of_hash(std::uint64_t hash, Index max_rows) {
  return max_rows == 0 ? static_cast<Index>(hash) : 1 + Index(hash % std::uint64_t(max_rows - 1));
}

}  // namespace

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

void add_hash(std::string_view token, TokenCounts& hashes) {
  const std::uint64_t hash = token_hash(token);
  char bytes[sizeof hash];
  std::memcpy(bytes, &hash, sizeof hash);
  hashes.add({bytes, sizeof hash});
}

Index counted_id(std::string_view hash, Index max_rows) {
  std::uint64_t number = 0;
  std::memcpy(&number, hash.data(), std::min(hash.size(), sizeof number));
  return id_of_hash(number, max_rows);
}

Index collisions(const TokenCounts& hashes, Index max_rows) {
  std::vector<Index> ids;
  for (Index i = 0; i < hashes.tokens.size(); ++i) ids.push_back(counted_id(hashes.tokens.token(i), max_rows));
  std::sort(ids.begin(), ids.end());
  return hashes.tokens.size() - Index(std::unique(ids.begin(), ids.end()) - ids.begin());
}

}  // namespace tesserec::preprocess
