// SPDX-License-Identifier: Apache-2.0
#include "partition_sorter.hpp"

#include <algorithm>
#include <utility>

#include "counted_hashes.hpp"
#include "packing.hpp"
#include <tesserec/core/signals.hpp>

namespace tesserec::preprocess {
namespace {

constexpr Index sample_bytes = Index{64} << 10;  // bytes of packed tokens per sample of the order
/// Memory of a counted token in TokenCounts, divided by its packed bytes: of a text of 8 bytes, which has 11 when
/// packed, with a count and spare memory for its text.
constexpr Index unpacked_factor = (TokenMap::token_memory + 8 + 2 * 8 + 10) / 11;
static_assert(unpacked_factor == 9);
constexpr Index smallest_group = Index{8} << 10;  // unpacked bytes

}  // namespace

PartitionSorter::PartitionSorter(std::span<const TokenRun> runs, const TokenSort& sort, std::string path)
    : runs_(runs),
      sort_(sort),
      file_(std::move(path)),
      values_(sort.forms.size(), 0),
      known_(values_),
      collisions_(values_) {}

void PartitionSorter::add(std::size_t first, std::size_t last) {
  const Index most = std::max(smallest_group, sort_.memory / 2);
  while (first < last) {
    const Index of_first = bytes_of(first);
    TokenShare share{first, first + 1};
    for (Index bytes = of_first; share.last < last; ++share.last)
      if ((bytes += bytes_of(share.last)) > most) break;
    if (share.last == first + 1) share.passes = std::max(Index{1}, (of_first + most - 1) / most);
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

void PartitionSorter::sort_share(const TokenShare& share) {
  std::vector<TokenCounts> counts(sort_.forms.size());
  for (const TokenRun& run : runs_) {
    Signals::check();
    read_run(run, share, sort_.forms, counts);
  }
  for (std::size_t f = 0; f < counts.size(); ++f) {
    const FeatureForm& form = sort_.forms[f];
    values_[f] += std::count_if(counts[f].counts.begin(), counts[f].counts.end(), [](Index n) { return n > 0; });
    if (form.hashed())
      collisions_[f] += preprocess::collisions(counts[f], form.max_rows);
    else
      write_sorted(f, counts[f]);
    counts[f] = {};
  }
  ++groups_;
}

void PartitionSorter::write_sorted(std::size_t f, const TokenCounts& counts) {
  std::vector<TokenRank> order;
  order.reserve(counts.counts.size());
  for (Index i = 0; i < counts.tokens.size(); ++i) {
    if (counts.counts[i] == 0) continue;
    if (sort_.has_id && sort_.has_id(f, counts.tokens.token(i)))
      ++known_[f];
    else if (counts.counts[i] >= sort_.minimum_count)
      order.emplace_back(counts.counts[i], counts.tokens.token(i));
  }
  std::sort(order.begin(), order.end());
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
