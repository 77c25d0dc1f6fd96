// SPDX-License-Identifier: Apache-2.0
#include "partition_sorter.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "counted_hashes.hpp"
#include "packing.hpp"
#include <tesserec/core/signals.hpp>

namespace tesserec::preprocess {
namespace {

constexpr Index sample_bytes = Index{64} << 10;  // bytes of packed tokens per sample of the order
/// Memory of a counted token in TokenCounts, divided by its packed bytes: of a text of 8 bytes, which has 11 when
/// packed, with a count and spare memory for the text.
constexpr Index unpacked_factor = (TokenMap::token_memory + 3 * 8 + 10) / 11;
static_assert(unpacked_factor == 8);
constexpr Index smallest_group = Index{8} << 10;  // unpacked bytes
constexpr Index cached_group = Index{1} << 20;    // unpacked bytes that are added up in the cache

/// Place of a token in the order, as far as a radix sort finds it.
struct RadixKey {
  std::uint64_t head = 0;   ///< of the TokenRank
  std::uint32_t place = 0;  ///< in the list
  std::uint32_t level = 0;  ///< 0 for counts of at least most_level, which are the first ones, then count by count
};
constexpr Index most_level = 255;

/// Sorts keys by one byte and keeps the order of those that have the same one.
template <class Byte>
void sort_by_byte(std::vector<RadixKey>& keys, std::vector<RadixKey>& scratch, const Byte& byte) {
  std::array<std::size_t, 257> first{};
  for (const RadixKey& key : keys) ++first[byte(key) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  scratch.resize(keys.size());
  for (const RadixKey& key : keys) scratch[first[byte(key)]++] = key;
  keys.swap(scratch);
}

/// Returns the keys of a list, sorted by level, then by head.
std::vector<RadixKey> sorted_keys(const TokenList& tokens) {
  std::vector<RadixKey> keys(tokens.counts.size()), scratch;
  std::uint64_t differs = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const TokenRank rank = tokens.rank(i);
    keys[i] = {rank.head(), std::uint32_t(i), std::uint32_t(most_level - std::min(rank.count(), most_level))};
    differs |= keys[i].head ^ keys[0].head;
  }
  for (int shift = 0; shift < 64; shift += 8)
    if ((differs >> shift & 0xFF) != 0)
      sort_by_byte(keys, scratch, [shift](const RadixKey& key) { return key.head >> shift & 0xFF; });
  sort_by_byte(keys, scratch, [](const RadixKey& key) { return std::size_t{key.level}; });
  return keys;
}

}  // namespace

PartitionSorter::PartitionSorter(std::span<const TokenRun> runs, const TokenSort& sort, std::string path)
    : runs_(runs),
      sort_(sort),
      file_(std::move(path)),
      values_(sort.forms.size(), 0),
      known_(values_),
      collisions_(values_) {}

std::vector<TokenRank> sorted(const TokenList& tokens) {
  constexpr std::size_t few = 512;  // tokens that a comparison sort takes no longer for
  std::vector<TokenRank> order;
  order.reserve(tokens.counts.size());
  if (tokens.counts.size() < few || tokens.counts.size() > std::numeric_limits<std::uint32_t>::max()) {
    for (std::size_t i = 0; i < tokens.counts.size(); ++i) order.push_back(tokens.rank(i));
    std::sort(order.begin(), order.end());
    return order;
  }
  const std::vector<RadixKey> keys = sorted_keys(tokens);
  for (const RadixKey& key : keys) order.push_back(tokens.rank(key.place));
  // Tokens that have the same key are still in any order.
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    const auto same = [&](const RadixKey& key) {
      return key.level == keys[begin].level && (key.level == 0 || key.head == keys[begin].head);
    };
    for (end = begin + 1; end < keys.size() && same(keys[end]);) ++end;
    if (end > begin + 1) std::sort(order.begin() + Index(begin), order.begin() + Index(end));
  }
  return order;
}

void PartitionSorter::add(std::size_t first, std::size_t last) {
  const Index most = std::max(smallest_group, sort_.memory / 2);
  while (first < last) {
    TokenShare share{first, end_of_group(first, last, most)};
    if (share.last == first + 1) share.passes = std::max(Index{1}, (bytes_of(first) + most - 1) / most);
    for (; share.pass < share.passes; ++share.pass) sort_share(share);
    first = share.last;
  }
}

std::vector<SortedPiece> PartitionSorter::finish() {
  file_.seal("");
  return std::move(pieces_);
}

/// Returns the memory that a partition's tokens take when they are counted, at most.
Index PartitionSorter::bytes_of(std::size_t partition) const {
  Index bytes = 0;
  for (const TokenRun& run : runs_) bytes += run.pieces[partition].bytes;
  return unpacked_factor * bytes;
}

/// Returns the end of the partitions from `first` on, at least one, whose tokens take at most `most` bytes.
std::size_t PartitionSorter::end_of_group(std::size_t first, std::size_t last, Index most) const {
  std::size_t end = first + 1;
  for (Index bytes = bytes_of(first); end < last; ++end)
    if ((bytes += bytes_of(end)) > most) break;
  return end;
}

void PartitionSorter::sort_share(const TokenShare& share) {
  std::vector<TokenList> lists(sort_.forms.size());
  std::vector<TokenCounts> counts(sort_.forms.size());
  TokenShare some = share;
  for (; some.first < share.last; some.first = some.last) {
    some.last = end_of_group(some.first, share.last, cached_group);
    for (const TokenRun& run : runs_) {
      Signals::check();
      read_run(run, some, sort_.forms, counts);
    }
    for (std::size_t f = 0; f < counts.size(); ++f) {
      take(f, counts[f], lists[f]);
      counts[f].clear();
    }
  }
  for (std::size_t f = 0; f < lists.size(); ++f) {
    write_sorted(f, lists[f]);
    lists[f] = {};
  }
  ++groups_;
}

/// Adds tokens that get ids to a list, and what is counted of all.
void PartitionSorter::take(std::size_t f, const TokenCounts& counts, TokenList& list) {
  const FeatureForm& form = sort_.forms[f];
  const std::vector<Index> numbers = counts.counts();
  values_[f] += std::count_if(numbers.begin(), numbers.end(), [](Index n) { return n > 0; });
  if (form.hashed()) {
    collisions_[f] += preprocess::collisions(counts, form.max_rows);
    return;
  }
  for (Index i = 0; i < counts.tokens.size(); ++i) {
    const Index number = numbers[std::size_t(i)];
    if (number == 0) continue;
    if (sort_.has_id && sort_.has_id(f, counts.tokens.token(i)))
      ++known_[f];
    else if (number >= sort_.minimum_count)
      list.add(counts.tokens.token(i), number);
  }
}

void PartitionSorter::write_sorted(std::size_t f, const TokenList& list) {
  const std::vector<TokenRank> order = sorted(list);
  std::string bytes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (bytes.empty())
      pieces_.push_back({f, groups_, order[i].count(), std::string(order[i].token()), 0, file_.path(), {}});
    pack_number(std::uint64_t(order[i].count()), bytes);
    pack_text(order[i].token(), bytes);
    ++pieces_.back().tokens;
    if (i + 1 < order.size() && std::ssize(bytes) < sample_bytes) continue;
    pieces_.back().piece = file_.append(bytes);
    bytes.clear();
  }
}

}  // namespace tesserec::preprocess
