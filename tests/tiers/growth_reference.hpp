// SPDX-License-Identifier: Apache-2.0
// Growing table in plain C++: sorted maps, one batch at a time, all columns.
#pragma once

#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <tesserec/tiers/growing_rows.hpp>

/// Row of the reference.
struct ReferenceRow {
  tesserec::tiers::IdUse use;
  std::vector<float> weights, sums;
};

/// Growing table that replays the batches of a store.
class GrowthReference {
 public:
  using Index = tesserec::Index;
  using Rows = std::map<Index, ReferenceRow>;
  using Waiting = std::map<Index, tesserec::tiers::IdUse>;

  GrowthReference(const tesserec::embedding::EmbeddingBagConfig& config, double initial_sum,
                  const tesserec::tiers::GrowthSettings& settings, const tesserec::embedding::StartValues& start)
      : config_(config),
        initial_sum_(float(initial_sum)),
        settings_(settings),
        start_(start),
        rows_(1024),
        waiting_(1024) {}

  const Rows& rows(Index block) const { return rows_[block]; }
  const Waiting& waiting(Index block) const { return waiting_[block]; }
  ReferenceRow* find(Index id) {
    const auto found = rows_[block(id)].find(id);
    return found == rows_[block(id)].end() ? nullptr : &found->second;
  }
  std::vector<float> start(Index id) const {
    std::vector<float> result;
    for (Index c = 0; c < config_.embedding_dim; ++c)
      result.push_back(std::fma(2 * start_.bound(), start_.random().uniform(id, c), -start_.bound()));
    return result;
  }

  void train(const std::vector<Index>& ids) {
    ++batch_;
    const std::set<Index> distinct(ids.begin(), ids.end());
    if (settings_.eviction == tesserec::tiers::Eviction::ttl)
      for (Rows& rows : rows_)
        evicted += std::erase_if(rows, [&](const auto& row) { return batch_ - row.second.use.last > settings_.ttl; });
    std::vector<Index> missing;
    for (const Index id : distinct) {
      ReferenceRow* const row = find(id);
      if (row == nullptr)
        missing.push_back(id);
      else
        row->use = {id, batch_, row->use.batches + 1};
    }
    for (const Index id : missing) admit(id);
  }

  /// Adds rows with start values.
  void restore(const std::vector<tesserec::tiers::IdUse>& uses) {
    for (const tesserec::tiers::IdUse& use : uses)
      rows_[block(use.id)][use.id] = {use, start(use.id), std::vector<float>(config_.embedding_dim, initial_sum_)};
  }

  /// Changes the capacity, and the counts to those of a new store.
  void grow(Index capacity) {
    config_.num_embeddings = capacity;
    start_ = tesserec::embedding::StartValues(config_, 3, 0);
    admitted = refused = evicted = 0;
  }

  Index admitted = 0, refused = 0, evicted = 0;

 private:
  static Index block(Index id) { return tesserec::embedding::BlockOf::by_hash()(id); }

  void admit(Index id) {
    Rows& rows = rows_[block(id)];
    Waiting& waiting = waiting_[block(id)];
    Index batches = 1;
    if (settings_.admit_after > 1) {
      const auto most =
          std::size_t(std::max(1.0, std::ceil(settings_.waiting * double(config_.num_embeddings) / 1024)));
      if (waiting.count(id) == 0 && waiting.size() == most) {
        auto least = waiting.begin();
        for (auto at = waiting.begin(); at != waiting.end(); ++at)
          if (std::tuple(at->second.batches, at->second.last) < std::tuple(least->second.batches, least->second.last))
            least = at;
        waiting.erase(least);
      }
      batches = waiting[id].batches + 1;
      waiting[id] = {id, batch_, batches};
      if (batches < settings_.admit_after) return;
    }
    const Index share = (block(id) + 1) * config_.num_embeddings / 1024 - block(id) * config_.num_embeddings / 1024;
    if (std::ssize(rows) == share && !evict(rows)) {
      ++refused;
      return;
    }
    waiting.erase(id);
    ++admitted;
    rows[id] = {{id, batch_, batches}, start(id), std::vector<float>(config_.embedding_dim, initial_sum_)};
  }

  bool evict(Rows& rows) {
    using enum tesserec::tiers::Eviction;
    if (settings_.eviction == none || settings_.eviction == ttl) return false;
    auto victim = rows.end();
    const auto key = [&](const ReferenceRow& row) {
      return std::tuple(settings_.eviction == lfu ? row.use.batches : 0, row.use.last);
    };
    for (auto at = rows.begin(); at != rows.end(); ++at)
      if (at->second.use.last < batch_ - 1 && (victim == rows.end() || key(at->second) < key(victim->second)))
        victim = at;
    if (victim == rows.end()) return false;
    rows.erase(victim);
    ++evicted;
    return true;
  }

  tesserec::embedding::EmbeddingBagConfig config_;
  float initial_sum_;
  tesserec::tiers::GrowthSettings settings_;
  tesserec::embedding::StartValues start_;
  Index batch_ = 0;
  std::vector<Rows> rows_;        // [block]
  std::vector<Waiting> waiting_;  // [block]
};
