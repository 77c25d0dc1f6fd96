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

/// Numbers of a feature's tokens, partition by partition.
struct PartitionOrder {
  std::vector<std::size_t> begins = std::vector<std::size_t>(token_partitions + 1, 0);
  std::vector<std::uint32_t> numbers;

  PartitionOrder(const TokenMap& tokens, const FeatureForm& form) : numbers(std::size_t(tokens.size())) {
    std::vector<std::uint16_t> partitions(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      partitions[i] = std::uint16_t(share_number(tokens.token(Index(i)), form) % token_partitions);
      ++begins[partitions[i] + 1];
    }
    for (std::size_t p = 0; p < token_partitions; ++p) begins[p + 1] += begins[p];
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[next[partitions[i]]++] = std::uint32_t(i);
  }
};

}  // namespace

TokenRun write_run(ScratchWriter& file, std::vector<TokenCounts>& counts, std::span<const FeatureForm> forms) {
  std::vector<PartitionOrder> orders;
  for (std::size_t f = 0; f < counts.size(); ++f) orders.emplace_back(counts[f].tokens, forms[f]);
  TokenRun run{file.path(), {}};
  std::string bytes;
  for (std::size_t p = 0; p < token_partitions; ++p) {
    bytes.clear();
    for (std::size_t f = 0; f < counts.size(); ++f)
      for (std::size_t i = orders[f].begins[p]; i < orders[f].begins[p + 1]; ++i) {
        const auto number = Index(orders[f].numbers[i]);
        pack_number(f, bytes);
        pack_number(std::uint64_t(counts[f].counts[number]), bytes);
        pack_text(counts[f].tokens.token(number), bytes);
      }
    run.pieces.push_back(file.append(bytes));
  }
  for (TokenCounts& of_feature : counts) of_feature = {};
  return run;
}

void read_run(const TokenRun& run, const TokenShare& share, std::span<const FeatureForm> forms,
              std::vector<TokenCounts>& counts) {
  const std::span<const ScratchPiece> pieces(run.pieces.data() + share.first, share.last - share.first);
  const std::string bytes = read_scratch(run.path, pieces);
  for (Unpacker unpacker(bytes); !unpacker.done();) {
    const std::uint64_t feature = unpacker.number();
    const Index count = unpacker.index();
    if (feature >= counts.size()) fail(run.path, ": this scratch file names feature ", feature, "; remove its folder");
    const std::string_view token = unpacker.text();
    const std::uint64_t number = share.passes > 1 ? share_number(token, forms[feature]) / token_partitions : 0;
    if (Index(number % std::uint64_t(share.passes)) == share.pass) counts[feature].add(token, count);
  }
}

Index memory_of(std::span<const TokenCounts> counts) {
  Index bytes = 0;
  for (const TokenCounts& of_feature : counts) bytes += of_feature.memory();
  return bytes;
}

}  // namespace tesserec::preprocess
