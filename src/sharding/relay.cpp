// SPDX-License-Identifier: Apache-2.0
#include "relay.hpp"

#include <algorithm>
#include <utility>

namespace tesserec::sharding {

Relay::Relay(const comm::Communicator& node, const Routes& routes, const ExchangePrecision& precision,
             std::shared_ptr<BatchBuffers> buffers)
    : routes_(routes),
      buffers_(std::move(buffers)),
      node_exchange_(node, nullptr, *routes.relays().routes, precision, buffers_) {
  for (const embedding::EmbeddingBagConfig& table : routes.relays().routes->tables())
    sparse_.keys.insert(sparse_.keys.end(), table.feature_names.begin(), table.feature_names.end());
}

void Relay::request(const Exec& exec, const std::vector<embedding::ShardLookups>& relays, const BatchSplit& split,
                    Index begin) {
  constexpr Index line = 16;  // floats of a cache line
  samples_.clear();
  for (Index rank = routes_.rank() % routes_.node().size(); rank < split.ranks(); rank += routes_.node().size())
    samples_.push_back(split.samples(int(rank)).size());
  copy_bags(exec, relays, split);
  node_exchange_.start(exec, sparse_, split, true, (begin + line - 1) / line * line);
  node_exchange_.receive(exec);
  find_runs(relays);
}

/// Concatenates the samples of all partners into one batch.
void Relay::copy_bags(const Exec& exec, const std::vector<embedding::ShardLookups>& relays, const BatchSplit& split) {
  std::vector<const embedding::ShardBags*> tables;
  Index total = 0;
  for (std::size_t i = 0; i < relays.size(); ++i) {
    if (routes_.relays().shards[i].same_ids) continue;
    tables.push_back(&relays[i].bags);
    for (const auto& run : relays[i].bags)
      for (const embedding::Bags& bags : run) total += bags.total();
  }
  const Routes& inside = *routes_.relays().routes;
  sparse_.stride = inside.samples(split, inside.rank());
  reserve(exec, sparse_.offsets, "tesserec::sharding::relayed_offsets", sparse_.bags() + 1);
  reserve(exec, sparse_.values, "tesserec::sharding::relayed_ids", total);
  if (inside.weighted()) reserve(exec, sparse_.weights, "tesserec::sharding::relayed_weights", total + 1);
  Index bag = 0, at = sparse_.offsets(0) = 0;
  for (const embedding::ShardBags* const runs : tables)
    for (std::size_t f = 0; f < runs->front().size(); ++f)
      for (std::size_t partner = 0; partner < runs->size(); ++partner) {
        const embedding::Bags& bags = (*runs)[partner][f];
        std::copy_n(bags.ids, bags.total(), sparse_.values.data() + at);
        if (bags.weights != nullptr) std::copy_n(bags.weights, bags.total(), sparse_.weights.data() + at);
        for (Index s = 0, next = 0; s < samples_[partner]; ++s) {
          next += next < bags.count && bags.sample(next) == bags.first_sample + s;
          sparse_.offsets(++bag) = at + bags.offsets[next];
        }
        at += bags.total();
      }
}

void Relay::find_runs(const std::vector<embedding::ShardLookups>& relays) {
  runs_.clear();
  const Routes& inside = *routes_.relays().routes;
  std::vector<std::vector<Index>> first(inside.tables().size());  // column of each pooled feature, or its sequence
  Index width = 0, sequences = 0;
  for (std::size_t t = 0; t < first.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = inside.tables()[t];
    for (std::size_t f = 0; f < table.feature_names.size(); ++f)
      first[t].push_back(table.pools(f) ? std::exchange(width, width + table.embedding_dim) : sequences++);
  }
  const Front& front = node_exchange_.front();
  for (std::size_t i = 0; i < relays.size(); ++i) {
    const auto [t, column] = routes_.relays().inside[i];
    const embedding::EmbeddingBagConfig& table = inside.tables()[t];
    const Index dim = routes_.relays().shards[i].shard.columns.size();
    for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
      const bool pools = table.pools(f);
      const Index step = pools ? width : table.embedding_dim;
      Index at = (pools ? front.begin + first[t][f] : front.sequences[first[t][f]].at) + column;
      for (std::size_t partner = 0; partner < relays[i].bags.size(); ++partner) {
        const embedding::Bags& bags = relays[i].bags[partner][f];
        runs_.push_back({&bags, relays[i].sums_at[partner][f], at, step, dim});
        at += (pools ? samples_[partner] : bags.total()) * step;
      }
    }
  }
}

template <class Visit>
void Relay::visit_vectors(const Run& run, Index outside, Index stride, const Visit& visit) {
  const embedding::Bags& bags = *run.bags;
  const bool with_empty = bags.unpooled || stride > 0;  // bags without ids have vectors, too
  const Index vectors = bags.unpooled ? bags.total() : bags.count;
  const Index step = stride > 0 ? stride : run.dim;
  for (Index v = 0; v < vectors; ++v) {
    if (!with_empty && bags.length(v) == 0) continue;
    visit(outside, run.inside_at + (bags.unpooled ? v : bags.sample(v) - bags.first_sample) * run.inside_step);
    outside += step;
  }
}

/// Copies sums to the partners' vectors, or gradients from them.
void Relay::copy_vectors(const Exec& exec, float* data, bool gradients) {
  const auto visit_run = [&](const Run& run, const auto& visit) {  // visit(to, from)
    const embedding::Bags& bags = *run.bags;
    const Index outside_at = gradients ? bags.gradients_at : run.sums_at;
    const Index stride = gradients ? bags.gradients_stride : bags.sums_stride;
    visit_vectors(run, outside_at, stride,
                  [&](Index outside, Index inside) { gradients ? visit(inside, outside) : visit(outside, inside); });
  };
  if (buffers_->sums.place() == Place::host)
    return parallel_for(exec, "tesserec::sharding::relayed", std::ssize(runs_), [&](Index i) {
      visit_run(runs_[i], [&](Index to, Index from) { std::copy_n(data + from, runs_[i].dim, data + to); });
    });
  device_.clear();
  for (const Run& run : runs_)
    visit_run(run, [&](Index to, Index from) {
      device_.begin(DeviceVectors::out, to, run.dim);
      device_.add(DeviceVectors::out, from, 0);
    });
  device_.launch(device_of(exec), {data, nullptr, nullptr});
}

void Relay::return_sums(const Exec& exec) {
  node_exchange_.return_sums(exec);
  copy_vectors(exec, buffers_->sums.data(), false);
}

void Relay::send_gradients(const Exec& exec) {
  copy_vectors(exec, buffers_->gradients.data(), true);
  node_exchange_.send_gradients(exec);
}

}  // namespace tesserec::sharding
