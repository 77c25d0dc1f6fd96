// SPDX-License-Identifier: Apache-2.0
#include "device_bags.hpp"

#include <algorithm>

namespace tesserec::embedding {

DeviceBags::DeviceBags(std::vector<const EmbeddingTable*> tables)
    : tables_(std::move(tables)), dim_(tables_.front()->dim()) {
  const Device exec;
  DeviceShard* const to = shards_.reserve(exec, "tesserec::embedding::shards", std::ssize(tables_));
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const EmbeddingTable& table = *tables_[i];
    to[i] = {table.weights().data(),
             {},
             table.dense_gradient().data(),
             table.rows().begin,
             table.blocks().begin,
             table.blocks().end,
             table.row_blocks()};
    for (std::size_t s = 0; s < table.state().size(); ++s) to[i].states[s] = table.state()[s].values.data();
  }
  arrays_.shards = shards_.send(exec, std::ssize(tables_));
}

void DeviceBags::read(const Device& exec, std::span<const AskedShard* const> asked, const BatchSplit& split) {
  Index bags = 0, ids = 0;
  bool weighted = false;
  for (const AskedShard* shard : asked)
    for (const std::vector<Bags>& run : shard->bags)
      for (const Bags& feature : run) {
        bags += feature.unpooled ? feature.total() : feature.count;
        ids += feature.total();
        weighted = weighted || feature.weights != nullptr;
      }
  Index* const begins = begins_.reserve(exec, "tesserec::embedding::bag_begins", bags + 1);
  DeviceBag* const at = at_.reserve(exec, "tesserec::embedding::bags", bags);
  Index* const to = ids_.reserve(exec, "tesserec::embedding::ids", ids);
  float* const weights = weighted ? weights_.reserve(exec, "tesserec::embedding::weights", ids) : nullptr;
  bags = 0, ids = 0, longest_ = 0;
  whole_sums_ = whole_gradients_ = dim_ % 4 == 0;
  std::vector<Index> next;  // float offset of each feature's next gradient
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t r = 0; r < asked[i]->bags.size(); ++r) {
      const std::vector<Bags>& run = asked[i]->bags[r];
      next.clear();
      for (const Bags& feature : run) next.push_back(feature.gradients_at);
      const Index samples = run.empty() ? 0 : run.front().count;
      const Index first = samples > 0 ? run.front().first_sample : 0;
      int lane = samples > 0 ? split.lane_of(first) : 0;
      for (Index s = 0; s < samples; ++s) {
        while (first + s >= split.lane(lane).end && lane + 1 < split.lane_count()) ++lane;
        for (std::size_t f = 0; f < run.size(); ++f) {
          const Bags& feature = run[f];
          const Nodes& nodes = asked[i]->nodes[r][f];
          const Index begin = feature.offsets[s], length = feature.length(s);
          const Index sums_stride = feature.sums_stride > 0 ? feature.sums_stride : dim_;
          const Index stride = feature.gradients_stride > 0 ? feature.gradients_stride : dim_;
          const Index sums_at = asked[i]->sums_at[r][f];
          const auto push = [&](Index from, Index count, Index sums) {
            begins[bags] = ids;
            at[bags] = {sums, next[f], std::int32_t(i), lane, feature.unpooled};
            std::copy_n(feature.ids + from, count, to + ids);
            if (weights != nullptr && feature.weights != nullptr)
              std::copy_n(feature.weights + from, count, weights + ids);
            else if (weights != nullptr)
              std::fill_n(weights + ids, count, 1.0f);
            whole_sums_ = whole_sums_ && sums % 4 == 0;
            whole_gradients_ = whole_gradients_ && next[f] % 4 == 0;
            ++bags, ids += count;
          };
          if (feature.unpooled) {
            for (Index k = begin; k < begin + length; ++k, next[f] += stride)
              push(k, 1, sums_at + (k - feature.offsets[0]) * sums_stride);
            continue;
          }
          longest_ = std::max(longest_, length);
          if (length > 0 || feature.sums_stride > 0)
            push(begin, length, sums_at + (feature.sums_stride > 0 ? s * sums_stride : nodes.offsets[s] * dim_));
          if (feature.gradients_stride > 0 || length > 0) next[f] += stride;
        }
      }
    }
  begins[bags] = ids;
  arrays_.bags = bags, arrays_.ids_count = ids;
  arrays_.begins = begins_.send(exec, bags + 1);
  arrays_.at = at_.send(exec, bags);
  arrays_.ids = ids_.send(exec, ids);
  arrays_.weights = weighted ? weights_.send(exec, ids) : nullptr;
}

}  // namespace tesserec::embedding
