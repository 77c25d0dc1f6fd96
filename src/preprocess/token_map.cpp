// SPDX-License-Identifier: Apache-2.0
#include "token_map.hpp"

#include <bit>
#include <new>
#include <utility>

#include "token_batch.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/huge_pages.hpp>

namespace tesserec::preprocess {
namespace {

constexpr std::size_t fewest_buckets = 16;

/// Returns whether a hash table has enough buckets for short ways to a free one: at most three quarters are used.
bool is_enough(std::size_t buckets, Index tokens) { return 3 * Index(buckets) >= 4 * tokens; }

}  // namespace

/// Inserts a token that no bucket has.
TokenMap::Bucket& TokenMap::insert_new(const HashedToken& token) {
  constexpr Index most = ~std::uint32_t{0};  // 1 + the last number
  if (size() + 1 == most)
    fail("a column has more than ", most - 1,
         " different values, which preprocess cannot count; set ids = \"hashed\" for its preprocess.column");
  if (!is_enough(bucket_count_, size() + 1)) rehash(bucket_count_ == 0 ? fewest_buckets : 2 * bucket_count_);
  Bucket& bucket = buckets_[place(token)];
  bytes_.insert(bytes_.end(), token.text.begin(), token.text.end());
  offsets_.push_back(std::ssize(bytes_));
  bucket = {token.head, std::uint32_t(size()), form_of(token.text.size())};
  return bucket;
}

void TokenMap::clear() {
  bytes_.clear();
  offsets_.resize(1);
  std::fill_n(buckets_, bucket_count_, Bucket());
}

void TokenMap::reserve(Index size, Index bytes) {
  bytes_.reserve(std::size_t(bytes));
  offsets_.reserve(std::size_t(size) + 1);
  if (size > 0 && !is_enough(bucket_count_, size))
    rehash(std::bit_ceil(std::max(fewest_buckets, std::size_t(4 * size + 2) / 3)));
}

/// Makes the hash table anew with a power of two of buckets.
void TokenMap::rehash(std::size_t buckets) {
  constexpr Index ahead = 16;  // insertions whose memory accesses overlap
  std::vector<std::uint32_t> counts(std::size_t(size()), 0);
  for (std::size_t at = 0; at < bucket_count_; ++at)
    if (buckets_[at].number != 0) counts[buckets_[at].number - 1] = buckets_[at].count();
  memory_.reset();  // frees the old table before the new one is made
  bucket_count_ = 0;
  std::size_t bytes = buckets * sizeof(Bucket) + line_bytes;
  memory_.reset(std::calloc(bytes, 1));  // does not clear memory that comes from the kernel, which has cleared it
  if (memory_ == nullptr) throw std::bad_alloc();
  advise_huge_pages(memory_.get(), bytes);
  void* first = memory_.get();
  buckets_ = static_cast<Bucket*>(std::align(line_bytes, buckets * sizeof(Bucket), first, bytes));
  bucket_count_ = buckets;
  for (Index i = 0; i < size(); ++i) {
    if (i + ahead < size()) prefetch(HashedToken(token(i + ahead)).hash);
    const HashedToken hashed(token(i));
    Bucket& bucket = buckets_[place(hashed)];
    bucket = {hashed.head, std::uint32_t(i + 1), form_of(hashed.text.size())};
    bucket.add(counts[std::size_t(i)]);
  }
}

void TokenCounts::add(const TokenBatch& batch, std::vector<std::uint32_t>& numbers) {
  const std::size_t first = numbers.size(), size = batch.size();
  numbers.resize(first + size);
  std::uint32_t* const found = numbers.data() + first;
  for (std::size_t i = 0; i < size; ++i) {
    if (batch.missing(i)) continue;
    const BatchedToken& token = batch.entry(i);
    TokenMap::Bucket* bucket = tokens.bucket_in_first_line(token.hash, token.head, token.size);
    if (bucket == nullptr) bucket = &tokens.bucket_anywhere(batch[i]);
    found[i] = bucket->number;
    add(*bucket, 1);
  }
}

std::vector<Index> TokenCounts::counts() const {
  std::vector<Index> counts(std::size_t(tokens.size()), 0);
  for (std::size_t at = 0; at < tokens.bucket_count_; ++at)
    if (const TokenMap::Bucket& bucket = tokens.buckets_[at]; bucket.number != 0)
      counts[bucket.number - 1] = Index{bucket.count()};
  for (const auto& [number, count] : large_) counts[number] += count;
  return counts;
}

}  // namespace tesserec::preprocess
