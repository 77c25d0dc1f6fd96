// SPDX-License-Identifier: Apache-2.0
// Sort of counted tokens by count, by partitions first and then by ranges of the order (a sample sort).
#include <algorithm>
#include <memory>
#include <utility>

#include "packing.hpp"
#include "partition_sorter.hpp"
#include "scratch_folder.hpp"
#include "sorted_tokens.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

constexpr Index piece_bytes = Index{256} << 10;    // bytes of texts in a TokenPiece
constexpr Index smallest_bucket = Index{1} << 20;  // bytes

/// Range of the order of one feature, from the first token of one sample up to that of another.
struct Bucket {
  std::size_t feature = 0;
  std::vector<const SortedPiece*> pieces;  ///< pieces that may have tokens of the range
  const SortedPiece* from = nullptr;       ///< null = from the start
  const SortedPiece* to = nullptr;         ///< null = to the end
};

std::string pack_pieces(std::span<const SortedPiece> pieces) {
  std::string bytes;
  for (const SortedPiece& piece : pieces) {
    pack_number(piece.feature, bytes);
    pack_number(piece.group, bytes);
    pack_number(std::uint64_t(piece.count), bytes);
    pack_text(piece.token, bytes);
    pack_number(std::uint64_t(piece.tokens), bytes);
    pack_text(piece.path, bytes);
    pack_list(std::span<const ScratchPiece>(&piece.piece, 1), bytes);
  }
  return bytes;
}

std::vector<SortedPiece> unpack_pieces(std::string_view bytes) {
  std::vector<SortedPiece> pieces;
  for (Unpacker unpacker(bytes); !unpacker.done();) {
    SortedPiece& piece = pieces.emplace_back();
    piece.feature = unpacker.number();
    piece.group = unpacker.number();
    piece.count = unpacker.index();
    piece.token = unpacker.text();
    piece.tokens = unpacker.index();
    piece.path = unpacker.text();
    piece.piece = unpacker.list<ScratchPiece>().at(0);
  }
  return pieces;
}

/// Cuts the order of one feature into buckets of about `bytes` each. `pieces`: those of the feature, by their first
/// tokens.
void cut_buckets(std::span<const SortedPiece* const> pieces, Index bytes, std::vector<Bucket>& buckets) {
  std::vector<const SortedPiece*> cuts = {nullptr};
  Index since = 0;
  for (const SortedPiece* piece : pieces) {
    if (since >= bytes) {
      cuts.push_back(piece);
      since = 0;
    }
    since += piece->piece.bytes;
  }
  for (std::size_t b = 0; b < cuts.size(); ++b)
    buckets.push_back({pieces.front()->feature, {}, cuts[b], b + 1 < cuts.size() ? cuts[b + 1] : nullptr});
}

/// Returns the buckets of all features and the pieces that each one reads. A piece ends where the next one of its file
/// begins.
std::vector<Bucket> buckets_of(const std::vector<SortedPiece>& pieces, std::size_t features, Index bytes) {
  std::vector<std::vector<const SortedPiece*>> of_feature(features);
  for (const SortedPiece& piece : pieces) of_feature[piece.feature].push_back(&piece);
  std::vector<Bucket> buckets;
  for (const std::vector<const SortedPiece*>& own : of_feature) {
    if (own.empty()) continue;
    std::vector<const SortedPiece*> sorted = own;
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first() < b->first(); });
    const std::size_t begin = buckets.size();
    cut_buckets(sorted, bytes, buckets);
    // Pieces of one group ascend, so a piece reaches at most to the first token of the next.
    for (std::size_t i = 0; i < own.size(); ++i) {
      const bool followed =
          i + 1 < own.size() && own[i + 1]->group == own[i]->group && own[i + 1]->path == own[i]->path;
      const SortedPiece* const next = followed ? own[i + 1] : nullptr;
      const auto first = std::partition_point(buckets.begin() + Index(begin), buckets.end(), [&](const Bucket& b) {
        return b.to != nullptr && !(own[i]->first() < b.to->first());
      });
      const auto end = std::partition_point(first, buckets.end(), [&](const Bucket& b) {
        return b.from == nullptr || next == nullptr || b.from->first() < next->first();
      });
      for (auto b = first; b != end; ++b) b->pieces.push_back(own[i]);
    }
  }
  return buckets;
}

/// Sorts tokens that are a few sorted runs, one behind another.
void merge_runs(std::vector<TokenRank>& order) {
  std::vector<Index> ends;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i] < order[i - 1]) ends.push_back(Index(i));
  ends.push_back(std::ssize(order));
  while (ends.size() > 1) {
    std::vector<Index> merged;
    for (std::size_t run = 0; run + 1 < ends.size(); run += 2) {
      const auto begin = order.begin() + (run == 0 ? 0 : ends[run - 1]);
      std::inplace_merge(begin, order.begin() + ends[run], order.begin() + ends[run + 1]);
      merged.push_back(ends[run + 1]);
    }
    if (ends.size() % 2 == 1) merged.push_back(ends.back());
    ends = std::move(merged);
  }
}

/// Writes the tokens of one bucket in order and returns their pieces.
std::vector<TokenPiece> write_bucket(const Bucket& bucket, ScratchWriter& file) {
  std::vector<std::string> read;
  std::vector<TokenRank> order;
  read.reserve(bucket.pieces.size());  // The tokens point into the texts, which must not move.
  for (const SortedPiece* piece : bucket.pieces) {
    read.push_back(read_scratch(piece->path, {&piece->piece, 1}));
    Unpacker unpacker(read.back());
    for (Index i = 0; i < piece->tokens; ++i) {
      const Index count = unpacker.index();
      const TokenRank entry(count, unpacker.text());
      const bool before = bucket.from != nullptr && entry < bucket.from->first();
      if (!before && (bucket.to == nullptr || entry < bucket.to->first())) order.push_back(entry);
    }
  }
  merge_runs(order);
  std::vector<TokenPiece> pieces;
  std::string bytes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (bytes.empty()) pieces.push_back({file.path(), {}, 0, 0, order[i].count(), 0, 0});
    pack_text(order[i].token(), bytes);
    ++pieces.back().tokens;
    pieces.back().bytes += std::ssize(order[i].token());
    if (i + 1 < order.size() && std::ssize(bytes) < piece_bytes) continue;
    pieces.back().piece = file.append(bytes);
    bytes.clear();
  }
  return pieces;
}

std::string all_bytes(const comm::Communicator& comm, const std::string& own) {
  const std::vector<char> all = comm.all_gather(std::span<const char>(own));
  return {all.begin(), all.end()};
}

/// Numbers tokens and bytes of pieces that are in order.
void number_pieces(FeatureTokens& feature) {
  Index first = 0, first_byte = 0;
  for (TokenPiece& piece : feature.pieces) {
    piece.first = first;
    piece.first_byte = first_byte;
    first = piece.end();
    first_byte = piece.end_byte();
  }
}

}  // namespace

std::vector<FeatureTokens> sort_tokens(const comm::Communicator& comm, std::span<const TokenRun> runs,
                                       const ScratchFolder& scratch, const TokenSort& sort) {
  const std::size_t features = sort.forms.size(), ranks = std::size_t(comm.size()), rank = std::size_t(comm.rank());
  std::vector<Index> values, known, collided;
  std::string own;
  comm::agree(comm, [&] {
    PartitionSorter sorter(runs, sort, scratch.path(concat(partition_files, rank)));
    sorter.add(rank * token_partitions / ranks, (rank + 1) * token_partitions / ranks);
    own = pack_pieces(sorter.finish());
    values = std::move(sorter.values());
    known = std::move(sorter.known());
    collided = std::move(sorter.collisions());
  });
  comm.sum(std::span<Index>(values));
  comm.sum(std::span<Index>(known));
  comm.sum(std::span<Index>(collided));
  const std::vector<SortedPiece> pieces = unpack_pieces(all_bytes(comm, own));

  // A bucket in memory has its packed bytes and 24 bytes for each token.
  const std::vector<Bucket> buckets = buckets_of(pieces, features, std::max(smallest_bucket, sort.memory / 16));
  own.clear();
  comm::agree(comm, [&] {
    ScratchWriter file(scratch.path(concat(token_files, rank)));
    for (std::size_t b = rank; b < buckets.size(); b += ranks) {
      Signals::check();
      FeatureTokens of_bucket;
      of_bucket.pieces = write_bucket(buckets[b], file);
      pack_number(b, own);
      pack_text(pack_tokens({&of_bucket, 1}), own);
    }
    file.seal("");
  });
  const std::string all = all_bytes(comm, own);
  std::vector<std::vector<TokenPiece>> of_bucket(buckets.size());
  for (Unpacker unpacker(all); !unpacker.done();) {
    const std::uint64_t b = unpacker.number();
    of_bucket.at(b) = unpack_tokens(unpacker.text(), scratch).at(0).pieces;
  }
  std::vector<FeatureTokens> tokens(features);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    std::vector<TokenPiece>& to = tokens[buckets[b].feature].pieces;
    to.insert(to.end(), of_bucket[b].begin(), of_bucket[b].end());
  }
  for (std::size_t f = 0; f < features; ++f) {
    tokens[f].values = values[f];
    tokens[f].known = known[f];
    tokens[f].collisions = collided[f];
    number_pieces(tokens[f]);
  }
  return tokens;
}

}  // namespace tesserec::preprocess
