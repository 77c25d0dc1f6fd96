// SPDX-License-Identifier: Apache-2.0
#include "token_map.hpp"

#include <algorithm>
#include <bit>

#include "token_batch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/huge_pages.hpp>

namespace tesserec::preprocess {

std::size_t TokenMap::bucket(const HashedToken& token) const {
  const std::size_t mask = buckets_.size() - 1;
  std::size_t at = token.hash & mask;
  while (buckets_[at].number != none && !is(buckets_[at], token)) at = (at + 1) & mask;
  return at;
}

Index TokenMap::find(const HashedToken& token) const {
  if (buckets_.empty()) return -1;
  const std::uint32_t number = buckets_[bucket(token)].number;
  return number == none ? -1 : Index{number};
}

/// Inserts a token that is not in its first bucket.
Index TokenMap::insert_behind(const HashedToken& token) {
  if (std::ssize(buckets_) <= 2 * size()) rehash(buckets_.empty() ? 16 : 2 * buckets_.size());
  Bucket& bucket = buckets_[this->bucket(token)];
  if (bucket.number != none) return bucket.number;
  if (size() == Index{none})
    fail("a column has more than ", none,
         " different values, which preprocess cannot count; set ids = \"hashed\" for its preprocess.column");
  bucket = {token.head, std::uint32_t(token.text.size()), std::uint32_t(size())};
  bytes_.insert(bytes_.end(), token.text.begin(), token.text.end());
  offsets_.push_back(std::ssize(bytes_));
  return bucket.number;
}

void TokenMap::clear() {
  bytes_.clear();
  offsets_.resize(1);
  std::fill(buckets_.begin(), buckets_.end(), Bucket());
}

void TokenMap::reserve(Index size, Index bytes) {
  bytes_.reserve(std::size_t(bytes));
  offsets_.reserve(std::size_t(size) + 1);
  if (const std::size_t buckets = std::bit_ceil(std::size_t(2 * size + 1)); size > 0 && buckets > buckets_.size())
    rehash(buckets);
}

/// Makes the hash table anew with a power of two of buckets.
void TokenMap::rehash(std::size_t buckets) {
  constexpr Index ahead = 16;        // insertions whose memory accesses overlap
  buckets_ = std::vector<Bucket>();  // frees the old table before the new one is made
  buckets_.reserve(buckets);
  advise_huge_pages(buckets_.data(), buckets * sizeof(Bucket));
  buckets_.resize(buckets);
  for (Index i = 0; i < size(); ++i) {
    if (i + ahead < size()) prefetch(token(i + ahead));
    const HashedToken hashed(token(i));
    buckets_[bucket(hashed)] = {hashed.head, std::uint32_t(hashed.text.size()), std::uint32_t(i)};
  }
}

/// Appends the count of a new token.
void TokenCounts::begin_count() {
  if (counts.size() == counts.capacity()) {
    counts.reserve(std::max(std::size_t{16}, 2 * counts.capacity()));
    advise_huge_pages(counts.data(), counts.capacity() * sizeof(Index));
  }
  counts.push_back(0);
}

void TokenCounts::add(const TokenBatch& batch, std::vector<std::uint32_t>& numbers) {
  const std::size_t first = numbers.size();
  numbers.resize(first + batch.size());
  std::uint32_t* const found = numbers.data() + first;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.missing(i)) continue;
    const auto number = std::size_t(tokens.insert(batch[i]));
    found[i] = std::uint32_t(number + 1);
    if (number == counts.size()) begin_count();
    __builtin_prefetch(&counts[number], 1);
  }
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (found[i] != 0) ++counts[found[i] - 1];
}

}  // namespace tesserec::preprocess
