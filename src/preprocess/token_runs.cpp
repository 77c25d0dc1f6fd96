// SPDX-License-Identifier: Apache-2.0
#include "token_runs.hpp"

#include <bit>
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

/// Returns the bytes of pack_number().
std::size_t packed_bytes(std::uint64_t number) { return std::size_t(std::bit_width(number | 1) + 6) / 7; }

/// Calls take(feature, number) for all tokens, in order.
template <class Take>
void for_each_token(std::span<const TokenCounts> counts, const Take& take) {
  for (std::size_t f = 0; f < counts.size(); ++f)
    for (Index i = 0; i < counts[f].tokens.size(); ++i) take(f, i);
}

}  // namespace

TokenRun write_run(ScratchWriter& file, std::vector<TokenCounts>& counts, std::span<const FeatureForm> forms) {
  // The tokens are read in order, twice, and packed each behind the last one of its partition.
  std::vector<std::uint16_t> partitions;
  std::vector<std::size_t> ends(token_partitions + 1, 0);
  for_each_token(counts, [&](std::size_t f, Index i) {
    const std::string_view token = counts[f].tokens.token(i);
    const auto partition = std::uint16_t(share_number(token, forms[f]) % token_partitions);
    partitions.push_back(partition);
    ends[partition + 1] += packed_bytes(f) + packed_bytes(std::uint64_t(counts[f].counts[std::size_t(i)])) +
                           packed_bytes(token.size()) + token.size();
  });
  for (std::size_t p = 0; p < token_partitions; ++p) ends[p + 1] += ends[p];
  std::string all(ends.back(), '\0'), one;
  auto partition = partitions.begin();
  for_each_token(counts, [&](std::size_t f, Index i) {
    one.clear();
    pack_number(f, one);
    pack_number(std::uint64_t(counts[f].counts[std::size_t(i)]), one);
    pack_text(counts[f].tokens.token(i), one);
    std::size_t& at = ends[*partition++];
    one.copy(all.data() + at, one.size());
    at += one.size();
  });
  TokenRun run{file.path(), {}};
  std::size_t begin = 0;
  for (std::size_t p = 0; p < token_partitions; begin = ends[p++])
    run.pieces.push_back(file.append(std::string_view(all).substr(begin, ends[p] - begin)));
  for (TokenCounts& of_feature : counts) of_feature = {};
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
    counts[feature].tokens.prefetch(some.back().token);
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
