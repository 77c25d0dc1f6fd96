// SPDX-License-Identifier: Apache-2.0
// Bytes that the cost model charges for messages with numbers of 32 and of 16 bits.
#include "catch.hpp"
#include <tesserec/planning/cost_model.hpp>

using namespace tesserec;

namespace {

constexpr Index ranks = 4, batch = 1000, rows = 1 << 20, dim = 16;
constexpr double id = 8, length = 4, vector = 4 * dim;

/// Returns a table with one id a bag.
embedding::EmbeddingBagConfig table() {
  embedding::EmbeddingBagConfig config;
  config.name = "t", config.feature_names = {"t"}, config.num_embeddings = rows, config.embedding_dim = dim;
  return config;
}

/// Returns the bytes that a shard exchanges with all ranks. Nothing but messages takes time, one second a byte.
double bytes(const planning::ExchangeBytes& exchange, Range blocks, planning::ExchangeForm form) {
  planning::Topology topology;
  topology.ranks = topology.ranks_per_node = ranks;
  topology.exchange = exchange;
  for (const auto rate :
       {&planning::MachineCosts::cached_row_reads, &planning::MachineCosts::row_reads,
        &planning::MachineCosts::read_bytes, &planning::MachineCosts::vector_bytes,
        &planning::MachineCosts::update_bytes, &planning::MachineCosts::ids, &planning::MachineCosts::fetched_ids,
        &planning::MachineCosts::fetched_bytes, &planning::MachineCosts::bags, &planning::MachineCosts::add_bytes,
        &planning::MachineCosts::row_updates, &planning::MachineCosts::cached_row_updates})
    topology.costs.*rate = 1e300;
  topology.costs.inside_bytes = 1 - 1.0 / ranks;  // a rank keeps its own share
  planning::ParameterConstraints demand;
  demand.kernel = planning::ComputeKernel::fused;
  demand.pooling_factor = 1;
  return planning::TableCosts(table(), demand, {}, topology, batch).shard(blocks, {0, dim}, form).owner.seconds;
}

}  // namespace

TEST_CASE("ExchangeBytes: finished sums and gradients have the bytes of their precision and others 4") {
  const Range all{0, 1024}, half{0, 512};
  using planning::ExchangeForm;
  const double sent = batch * (id + length);
  CHECK(bytes({}, all, ExchangeForm::pooled) == Approx(sent + batch * 2 * vector));
  CHECK(bytes({2, 4}, all, ExchangeForm::pooled) == Approx(sent + batch * 1.5 * vector));
  CHECK(bytes({4, 2}, all, ExchangeForm::pooled) == Approx(sent + batch * 1.5 * vector));
  CHECK(bytes({2, 2}, all, ExchangeForm::pooled) == Approx(sent + batch * vector));
  // Half of the rows have half of the ids. Their sums are unfinished, their gradients are finished.
  const double some = batch * (0.5 * id + length);
  CHECK(bytes({}, half, ExchangeForm::pooled) == Approx(some + batch * vector));
  CHECK(bytes({2, 2}, half, ExchangeForm::pooled) == Approx(some + batch * 0.75 * vector));
  CHECK(bytes({2, 2}, all, ExchangeForm::rows) == Approx(bytes({}, all, ExchangeForm::rows)));
}
