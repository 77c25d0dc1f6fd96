// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include <algorithm>
#include <limits>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {

Vocabulary::Vocabulary(const std::string& feature, const TokenCounts& counts, Index minimum_count) {
  extend(feature, counts, minimum_count);
}

Vocabulary::Vocabulary(const std::string& where, const std::vector<std::uint8_t>& bytes,
                       const std::vector<Index>& offsets) {
  const bool valid = offsets.size() >= 2 && offsets[0] == 0 && offsets[1] == 0 &&
                     std::is_sorted(offsets.begin(), offsets.end()) && offsets.back() == std::ssize(bytes);
  if (!valid)
    fail(where, "/offsets is invalid: it must start with 0, 0, ascend, and end at ", bytes.size(),
         "; preprocess the raw files again");
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t id = 1; id + 1 < offsets.size(); ++id) {
    const std::string_view token(text + offsets[id], offsets[id + 1] - offsets[id]);
    if (tokens_.insert(token) != Index(id) - 1)
      fail(where, "/tokens has ", shown(token), " twice; preprocess the raw files again");
  }
}

void Vocabulary::extend(const std::string& feature, const TokenCounts& counts, Index minimum_count) {
  std::vector<Index> order;
  for (Index i = 0; i < counts.tokens.size(); ++i)
    if (counts.counts[i] >= minimum_count && tokens_.find(counts.tokens.token(i)) < 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (counts.counts[a] != counts.counts[b]) return counts.counts[a] > counts.counts[b];
    return counts.tokens.token(a) < counts.tokens.token(b);
  });
  if (const Index all = tokens_.size() + std::ssize(order); all >= std::numeric_limits<std::int32_t>::max())
    fail(feature, ": ", all, " different values do not fit 32-bit ids; raise preprocess.minimum_count");
  for (const Index i : order) tokens_.insert(counts.tokens.token(i));
}

std::vector<Index> Vocabulary::offsets() const {
  std::vector<Index> offsets = {0};
  offsets.insert(offsets.end(), tokens_.offsets().begin(), tokens_.offsets().end());
  return offsets;
}

TokenCounts merge(const comm::Communicator& comm, const TokenCounts& local) {
  // The ranks broadcast one table at a time, so that no rank has more than the sum, its own table and one other.
  TokenCounts merged;
  for (int root = 0; root < comm.size(); ++root) {
    const bool is_root = root == comm.rank();
    std::vector<char> bytes = is_root ? local.tokens.bytes() : std::vector<char>();
    std::vector<Index> offsets = is_root ? local.tokens.offsets() : std::vector<Index>();
    std::vector<Index> counts = is_root ? local.counts : std::vector<Index>();
    comm.broadcast(bytes, root);
    comm.broadcast(offsets, root);
    comm.broadcast(counts, root);
    comm::agree(comm, [&] {
      for (std::size_t i = 0; i < counts.size(); ++i)
        merged.add(std::string_view(bytes.data() + offsets[i], offsets[i + 1] - offsets[i]), counts[i]);
    });
  }
  return merged;
}

}  // namespace tesserec::preprocess
