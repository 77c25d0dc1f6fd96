// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include <algorithm>
#include <limits>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>

namespace tesserec::data {

Vocabulary::Vocabulary(const std::string& feature, const TokenCounts& counts, Index minimum_count) {
  std::vector<Index> order;
  for (Index i = 0; i < counts.tokens.size(); ++i)
    if (counts.counts[i] >= minimum_count) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (counts.counts[a] != counts.counts[b]) return counts.counts[a] > counts.counts[b];
    return counts.tokens.token(a) < counts.tokens.token(b);
  });
  if (std::ssize(order) >= std::numeric_limits<std::int32_t>::max())
    fail(feature, ": ", order.size(), " different values do not fit 32-bit ids; raise preprocess.minimum_count");
  for (const Index i : order) tokens_.insert(counts.tokens.token(i));
}

std::vector<Index> Vocabulary::offsets() const {
  std::vector<Index> offsets = {0};
  offsets.insert(offsets.end(), tokens_.offsets().begin(), tokens_.offsets().end());
  return offsets;
}

TokenCounts merge(const comm::Communicator& comm, const TokenCounts& mine) {
  // One rank's table at a time, so that no rank holds more than the sum and one other.
  TokenCounts all;
  for (int root = 0; root < comm.size(); ++root) {
    const bool speaks = root == comm.rank();
    std::vector<char> bytes = speaks ? mine.tokens.bytes() : std::vector<char>();
    std::vector<Index> offsets = speaks ? mine.tokens.offsets() : std::vector<Index>();
    std::vector<Index> counts = speaks ? mine.counts : std::vector<Index>();
    comm.broadcast(bytes, root);
    comm.broadcast(offsets, root);
    comm.broadcast(counts, root);
    comm::agree(comm, [&] {
      for (std::size_t i = 0; i < counts.size(); ++i)
        all.add(std::string_view(bytes.data() + offsets[i], offsets[i + 1] - offsets[i]), counts[i]);
    });
  }
  return all;
}

}  // namespace tesserec::data
