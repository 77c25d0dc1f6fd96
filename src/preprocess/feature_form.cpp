// SPDX-License-Identifier: Apache-2.0
#include "feature_form.hpp"

#define XXH_INLINE_ALL
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

Index collisions(const TokenCounts& hashes, Index max_rows) {
  std::vector<bool> used(max_rows);
  Index shared = 0;
  for (Index i = 0; i < hashes.tokens.size(); ++i) {
    std::uint64_t hash = 0;
    std::memcpy(&hash, hashes.tokens.token(i).data(), sizeof hash);
    const Index id = id_of_hash(hash, max_rows);
    shared += used[id];
    used[id] = true;
  }
  return shared;
}

}  // namespace tesserec::preprocess
