// SPDX-License-Identifier: Apache-2.0
#include "token_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace tesserec::preprocess {

std::uint64_t TokenMap::head_of(std::string_view token) {
  std::uint64_t head = 0;
  if (!token.empty()) std::memcpy(&head, token.data(), std::min(token.size(), sizeof head));
  return head;
}

std::size_t TokenMap::bucket(std::string_view token, std::uint64_t head) const {
  const auto length = std::ssize(token);
  const auto differs = [&](const Bucket& bucket) {
    return bucket.head != head || bucket.length != length ||
           (token.size() > sizeof head && this->token(bucket.number) != token);
  };
  const std::size_t mask = buckets_.size() - 1;
  std::size_t at = std::hash<std::string_view>()(token) & mask;
  while (buckets_[at].number >= 0 && differs(buckets_[at])) at = (at + 1) & mask;
  return at;
}

Index TokenMap::find(std::string_view token) const {
  return buckets_.empty() ? -1 : buckets_[bucket(token, head_of(token))].number;
}

Index TokenMap::insert(std::string_view token) {
  if (std::ssize(buckets_) <= 2 * size()) rehash(buckets_.empty() ? 16 : 2 * buckets_.size());
  const std::uint64_t head = head_of(token);
  Bucket& bucket = buckets_[this->bucket(token, head)];
  if (bucket.number >= 0) return bucket.number;
  bucket = {head, std::ssize(token), size()};
  bytes_.insert(bytes_.end(), token.begin(), token.end());
  offsets_.push_back(std::ssize(bytes_));
  return bucket.number;
}

void TokenMap::reserve(Index size, Index bytes) {
  bytes_.reserve(std::size_t(bytes));
  offsets_.reserve(std::size_t(size) + 1);
  if (const std::size_t buckets = std::bit_ceil(std::size_t(2 * size + 1)); size > 0 && buckets > buckets_.size())
    rehash(buckets);
}

/// Makes the hash table anew with a power of two of buckets.
void TokenMap::rehash(std::size_t buckets) {
  buckets_ = {};  // frees the old table before the new one is made
  buckets_.resize(buckets);
  for (Index i = 0; i < size(); ++i) {
    const std::string_view text = token(i);
    const std::uint64_t head = head_of(text);
    buckets_[bucket(text, head)] = {head, std::ssize(text), i};
  }
}

}  // namespace tesserec::preprocess
