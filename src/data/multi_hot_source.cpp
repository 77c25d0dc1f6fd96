// SPDX-License-Identifier: Apache-2.0
#include "multi_hot_source.hpp"

#include <algorithm>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::data {

SourceInfo multi_hot_info(SourceInfo info, const std::vector<Index>& sizes) {
  const std::size_t features = info.features.size();
  if (sizes.size() != features)
    fail("data.multi_hot_sizes has ", counted(std::ssize(sizes), "size"), " for ", counted(Index(features), "feature"),
         " of ", info.description, "; give one for each, in their order: ", join(info.features));
  for (std::size_t f = 0; f < features; ++f) {
    const bool weighted = !info.weighted.empty() && info.weighted[f];
    if (info.rows[f] == any_id || weighted)
      fail("data.multi_hot_sizes: feature ", info.features[f], " of ", info.description,
           weighted ? " has weights" : " has ids of 64 bits", ", so it cannot get more ids; remove multi_hot_sizes");
    if (!info.ids_per_bag.empty() && info.ids_per_bag[f] != 1)
      fail("data.multi_hot_sizes: feature ", info.features[f], " of ", info.description, " has ",
           significant(info.ids_per_bag[f], 4), " ids a sample, not 1; remove multi_hot_sizes");
  }
  info.multi_hot = sizes;
  info.ids_per_bag.assign(sizes.begin(), sizes.end());
  return info;
}

MultiHotSource::MultiHotSource(std::unique_ptr<Source> source, const std::vector<Index>& sizes, std::uint64_t seed)
    : SourceOver(std::move(source)) {
  info_ = multi_hot_info(std::move(info_), sizes);
  for (const std::string& name : info_.features)
    random_.emplace_back(seed, Purpose::multi_hot, store::bytes_checksum("multi-hot", name.data(), std::ssize(name)));
}

void MultiHotSource::require_single(const Batch& batch) const {
  for (std::size_t f = 0; f < info_.features.size(); ++f)
    for (Index b = 0; b < batch.size; ++b)
      if (const Index length = batch.sparse.length(Index(f), b); length != 1)
        fail("data.multi_hot_sizes: feature ", info_.features[f], " of ", info_.description, " has ",
             counted(length, "id"), " in sample ", b, " of a batch, not 1; remove multi_hot_sizes");
}

void MultiHotSource::fill(std::size_t feature, const Index* ids, Index size, Index* bags) const {
  const Index length = info_.multi_hot[feature];
  const Index quads = length / 2;  // of 64-bit numbers for two places each, behind the first
  const auto rows = std::uint64_t(info_.rows[feature]);
  constexpr Index block_quads = 512;  // quads per pass
  Index row[block_quads], quad[block_quads];
  Index* place[block_quads];
  std::uint32_t words[4 * block_quads];
  const auto drawn = [&](const std::uint32_t* w) {
    // The high half of the product with a number uniform in [0, 2^64) is uniform in [0, rows).
    return Index((static_cast<unsigned __int128>(std::uint64_t{w[0]} << 32 | w[1]) * rows) >> 64);
  };
  for (Index b = 0; b < size; ++b) bags[b * length] = ids[b];
  for (Index b = 0, q = 0; quads > 0 && b < size;) {
    Index n = 0;
    for (; n < block_quads && b < size; ++n) {
      row[n] = ids[b];
      quad[n] = q;
      place[n] = bags + b * length + 1 + 2 * q;
      if (++q < quads) continue;
      q = 0;
      ++b;
    }
    random_[feature].quads({row, std::size_t(n)}, {quad, std::size_t(n)}, words);
    for (Index i = 0; i < n; ++i) {
      place[i][0] = drawn(words + 4 * i);
      if (2 * quad[i] + 2 < length) place[i][1] = drawn(words + 4 * i + 2);
    }
  }
}

bool MultiHotSource::next(Batch& batch) {
  if (!source_->next(batch)) return false;
  require_single(batch);
  Index total = 0;
  for (const Index length : info_.multi_hot) total += length * batch.size;
  reserve(batch.exec, values_, "tesserec::data::values", std::max<Index>(total, 1));
  Index first = 0;
  for (std::size_t f = 0; f < info_.features.size(); ++f) {
    const Index length = info_.multi_hot[f];
    fill(f, batch.sparse.values.data() + batch.sparse.begin(Index(f), 0), batch.size, values_.data() + first);
    for (Index b = 0; b < batch.size; ++b) batch.sparse.offsets(Index(f) * batch.size + b) = first + b * length;
    first += length * batch.size;
  }
  batch.sparse.offsets(std::ssize(info_.features) * batch.size) = total;
  std::swap(batch.sparse.values, values_);
  return true;
}

}  // namespace tesserec::data
