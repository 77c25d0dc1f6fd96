// SPDX-License-Identifier: Apache-2.0
#include "counted_hashes.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/feature_form.hpp>

namespace tesserec::preprocess {

void add_hash(std::string_view token, TokenCounts& hashes) {
  const std::uint64_t hash = token_hash(token);
  char bytes[sizeof hash];
  std::memcpy(bytes, &hash, sizeof hash);
  hashes.add(std::string_view(bytes, sizeof hash));
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
  Index shared = 0;
  for (auto begin = ids.begin(), end = begin; begin != ids.end(); begin = end) {
    end = std::upper_bound(begin, ids.end(), *begin);
    if (end - begin > 1) shared += end - begin;
  }
  return shared;
}

}  // namespace tesserec::preprocess
