// SPDX-License-Identifier: Apache-2.0
#include "token_runs.hpp"

#include <cstdint>
#include <utility>

#include "counted_hashes.hpp"
#include "packing.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

/// Returns the number by which tokens are shared out: equal for all hashes of one id.
std::uint64_t share_number(std::string_view token, const FeatureForm& form) {
  return form.hashed() ? std::uint64_t(counted_id(token, form.max_rows)) : token_hash(token) >> 32;
}

constexpr std::size_t partitions_at_once = 256;  // whose packed tokens are in memory beside the counts

/// Calls take(feature, number) for all tokens, in order.
template <class Take>
void for_each_token(std::span<const TokenCounts> counts, const Take& take) {
  for (std::size_t f = 0; f < counts.size(); ++f)
    for (Index i = 0; i < counts[f].tokens.size(); ++i) take(f, i);
}

}  // namespace

TokenRun write_run(ScratchWriter& file, std::vector<TokenCounts>& counts, std::span<const FeatureForm> forms) {
  // The tokens are read in order for each group of partitions: packed at once they would take as much memory as counts.
  static_assert(token_partitions % partitions_at_once == 0);
  std::vector<std::uint16_t> partitions;
  std::size_t tokens = 0;
  for (const TokenCounts& of_feature : counts) tokens += std::size_t(of_feature.tokens.size());
  partitions.reserve(tokens);
  for_each_token(counts, [&](std::size_t f, Index i) {
    partitions.push_back(std::uint16_t(share_number(counts[f].tokens.token(i), forms[f]) % token_partitions));
  });
  std::vector<std::vector<Index>> numbers;  // of occurrences
  for (const TokenCounts& of_feature : counts) numbers.push_back(of_feature.counts());
  TokenRun run{file.path(), {}};
  std::vector<std::string> packed(partitions_at_once);
  for (std::size_t first = 0; first < token_partitions; first += partitions_at_once) {
    auto partition = partitions.begin();
    for_each_token(counts, [&](std::size_t f, Index i) {
      const std::size_t at = *partition++ - first;  // of a partition before `first`: a large number
      if (at >= partitions_at_once) return;
      pack_number(f, packed[at]);
      pack_number(std::uint64_t(numbers[f][std::size_t(i)]), packed[at]);
      pack_text(counts[f].tokens.token(i), packed[at]);
    });
    for (std::string& of_partition : packed) {
      run.pieces.push_back(file.append(of_partition));
      of_partition.clear();
    }
  }
  for (TokenCounts& of_feature : counts) of_feature = TokenCounts();
  return run;
}

void read_run(const TokenRun& run, const TokenShare& share, std::span<const FeatureForm> forms,
              std::vector<TokenCounts>& counts) {
  const std::span<const ScratchPiece> pieces(run.pieces.data() + share.first, share.last - share.first);
  const std::string bytes = read_scratch(run.path, pieces);
  struct Counted {
    TokenCounts* to;
    Index count;
    HashedToken token;
  };
  std::vector<Counted> some;  // tokens whose memory accesses overlap
  const auto add = [&] {
    for (const Counted& counted : some) counted.to->add(counted.token, counted.count);
    some.clear();
  };
  for (Unpacker unpacker(bytes); !unpacker.done();) {
    const std::uint64_t feature = unpacker.number();
    const Index count = unpacker.index();
    if (feature >= counts.size()) fail(run.path, ": this scratch file names feature ", feature, "; remove its folder");
    const std::string_view token = unpacker.text();
    const std::uint64_t number = share.passes > 1 ? share_number(token, forms[feature]) / token_partitions : 0;
    if (Index(number % std::uint64_t(share.passes)) != share.pass) continue;
    some.push_back({&counts[feature], count, token});
    counts[feature].tokens.prefetch(some.back().token.hash);
    if (some.size() == 32) add();
  }
  add();
}

Index memory_of(std::span<const TokenCounts> counts) {
  Index bytes = 0;
  for (const TokenCounts& of_feature : counts) bytes += of_feature.memory();
  return bytes;
}

}  // namespace tesserec::preprocess
