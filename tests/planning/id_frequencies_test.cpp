// SPDX-License-Identifier: Apache-2.0
// Distinct rows among ids with Zipf's law: against sums over all rows, and against counted ids.
#include <cmath>
#include <set>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/planning/cost_model.hpp>

using namespace tesserec;
using planning::IdFrequencies;

namespace {

bool near(double a, double b, double share) { return std::abs(a - b) <= share * std::abs(b); }

/// Returns the share of each row, the most frequent first.
std::vector<double> shares(Index rows, double exponent) {
  std::vector<double> all;
  double sum = 0;
  for (Index k = 1; k <= rows; ++k) all.push_back(std::pow(double(k), -exponent)), sum += all.back();
  for (double& share : all) share /= sum;
  return all;
}

/// A generator of rows with Zipf's law whose frequent rows are scattered over the table.
class Scattered {
 public:
  Scattered(Index rows, double exponent) : random_(7, Purpose::test) {
    for (double sum = 0; const double share : shares(rows, exponent)) upto_.push_back(sum += share);
    for (Index k = 0; k < rows; ++k) row_.push_back(k);
    for (Index k = rows - 1; k > 0; --k) std::swap(row_[k], row_[random_.below(k + 1, 0, k)]);
  }
  Index operator()(Index draw) const {
    const auto at = std::lower_bound(upto_.begin(), upto_.end(), random_.uniform53(1, draw) * upto_.back());
    return row_[at - upto_.begin()];
  }

 private:
  Random random_;
  std::vector<double> upto_;
  std::vector<Index> row_;
};

}  // namespace

TEST_CASE("IdFrequencies: distinct() and classes() agree with sums over all rows") {
  for (const double exponent : {0.0, 0.5, 1.0, 1.05, 2.0})
    for (const Index rows : {1, 3, 70, 5000, 300000}) {
      const IdFrequencies frequencies(double(rows), exponent);
      const std::vector<double> all = shares(rows, exponent);
      for (const double ids : {0.5, 1.0, 20.0, 4096.0, 1e6}) {
        double distinct = 0;
        for (const double share : all) distinct += share < 1 ? -std::expm1(ids * std::log1p(-share)) : 1;
        INFO(exponent << ' ' << rows << ' ' << ids);
        CHECK(near(frequencies.distinct(ids), distinct, 1e-3));
      }
      double own = 0, place = 0, of_hot = 0;  // the most frequent third
      for (Index k = 0; k < rows / 3; ++k) of_hot += all[k];
      for (const IdFrequencies::Class& row_class : frequencies.classes()) {
        CHECK(row_class.block == IdFrequencies::scattered);
        own += row_class.rows * row_class.share;
        place += row_class.rows;
      }
      CHECK(place == double(rows));
      CHECK(near(own, 1, 1e-12));
      CHECK(near(frequencies.share_of_most(double(rows / 3)), of_hot, 2e-3));
      CHECK(near(frequencies.share_of_most(double(rows)), 1, 1e-12));
      CHECK(frequencies.share_of_most(0) == 0);
    }
}

TEST_CASE("IdFrequencies: popular rows have their share and the others follow Zipf's law") {
  const std::vector<double> all = shares(5000, 1.05);
  planning::Popularity popular;
  for (Index k = 0; k < 200; ++k) popular.rows.push_back({k % 7, 1, all[k]});
  const IdFrequencies known(5000, 1.05, &popular), scattered(5000, 1.05);
  for (const double ids : {1.0, 50.0, 4096.0}) CHECK(near(known.distinct(ids), scattered.distinct(ids), 1e-3));
  CHECK(near(known.share_of_most(500), scattered.share_of_most(500), 1e-3));
  CHECK(known.classes().front().block == 0);
  CHECK(known.classes().back().block == IdFrequencies::scattered);
}

TEST_CASE("IdFrequencies: as_uniform() returns the ids themselves if uniform and fewer if skewed") {
  CHECK(IdFrequencies(1000, 0).as_uniform(20) == 20);
  CHECK(IdFrequencies(1000, 1.05).as_uniform(0.7) == 0.7);
  const IdFrequencies skewed(1e6, 1.2);
  CHECK(skewed.as_uniform(100) < 80);
  CHECK(near(IdFrequencies(1e6, 0).distinct(skewed.as_uniform(100)), skewed.distinct(100), 1e-6));
}

TEST_CASE("TableCosts: counts of scattered ids agree with the cost model") {
  constexpr Index rows = 20480, bags = 4000, ids_a_bag = 20;
  for (const double exponent : {0.0, 0.8, 1.05}) {
    const Scattered draw(rows, exponent);
    const embedding::RowBlocks blocks(rows);
    std::set<Index> distinct, rank_distinct;
    Index vectors = 0, filled = 0;  // subtrees of blocks 256 to 1024, and bags with an id there
    Index parts = 0;                // groups of 16 row blocks with an id of a bag
    for (Index bag = 0; bag < bags; ++bag) {
      bool low = false, high = false;
      std::set<Index> hit;
      for (Index i = 0; i < ids_a_bag; ++i) {
        const Index row = draw(bag * ids_a_bag + i);
        distinct.insert(row);
        if (bag < bags / 4) rank_distinct.insert(row);
        hit.insert(blocks.block(row) / 16);
        (blocks.block(row) >= 512 ? high : low) |= blocks.block(row) >= 256;
      }
      vectors += low + high, filled += low || high, parts += std::ssize(hit);
    }
    embedding::EmbeddingBagConfig table;
    table.name = "t", table.feature_names = {"t"}, table.num_embeddings = rows, table.embedding_dim = 16;
    planning::ParameterConstraints demand;
    demand.kernel = planning::ComputeKernel::fused;
    demand.pooling_factor = ids_a_bag;
    demand.zipf = exponent;
    planning::Topology topology;
    topology.ranks = topology.ranks_per_node = 4;
    // Only the rate under test takes time.
    for (const auto rate :
         {&planning::MachineCosts::cached_row_reads, &planning::MachineCosts::row_reads,
          &planning::MachineCosts::read_bytes, &planning::MachineCosts::vector_bytes,
          &planning::MachineCosts::update_bytes, &planning::MachineCosts::ids, &planning::MachineCosts::fetched_ids,
          &planning::MachineCosts::fetched_bytes, &planning::MachineCosts::bags, &planning::MachineCosts::add_bytes,
          &planning::MachineCosts::inside_bytes, &planning::MachineCosts::row_updates,
          &planning::MachineCosts::cached_row_updates})
      topology.costs.*rate = 1e300;
    const auto seconds = [&](double planning::MachineCosts::*rate, planning::ExchangeForm form, Range range) {
      planning::Topology fast = topology;
      fast.costs.*rate = 1;
      fast.costs.cached_bytes = 1;
      const planning::TableCosts costs(table, demand, {}, fast, bags);
      const auto load = costs.shard(range, {0, 16}, form);
      return load.owner.seconds + 4 * load.common.seconds;
    };
    using Costs = planning::MachineCosts;
    const Range all{0, 1024}, range{256, 1024};
    const double rounds = exponent == 0 ? 0.01 : 0.03;  // where the frequent rows of this one table lie
    INFO("exponent " << exponent);
    CHECK(near(seconds(&Costs::row_updates, planning::ExchangeForm::pooled, all), double(distinct.size()), 0.02));
    CHECK(
        near(seconds(&Costs::row_reads, planning::ExchangeForm::rows, all), 4.0 * double(rank_distinct.size()), 0.02));
    CHECK(near(seconds(&Costs::add_bytes, planning::ExchangeForm::pooled, range), 64.0 * double(vectors), rounds));
    CHECK(near(seconds(&Costs::add_bytes, planning::ExchangeForm::rows, range), 64.0 * double(filled), rounds));
    CHECK(near(seconds(&Costs::add_bytes, planning::ExchangeForm::rows, {16, 32}), double(parts), 0.02));
  }
}
