// SPDX-License-Identifier: Apache-2.0
#pragma once

/// sharding: embedding tables cut over ranks by a plan, and the exchange of ids, pooled vectors and gradients.
/// A DistributedModelParallel takes tables, ParallelOptions (plan, lanes, seed) and an EmbeddingBagCollectionSharder,
/// which has the optimizers. It plans if no plan is given, and allocates only this rank's shards. Each batch has one
/// forward(), which returns the pooled vectors of this rank's samples, and one backward(), which updates each touched
/// row once. Meanwhile start() may begin the exchange of later batches. The function gather() returns all rows of a
/// table. All of these and the constructor are collective: every rank calls them in one order, from the thread that
/// made the model. The communicator must outlive the model. If each rank brings its samples(), the bits do not depend
/// on the ranks or the plan. An id outside its table, or an option that differs between ranks, is an Error on every
/// rank. The sharding types are in docs/tutorial.md, and the messages in docs/design/exchange.md.
///
/// ```cpp
/// const embedding::EmbeddingBagCollection collection(
///     {embedding::table_config("movies", /*rows=*/4000, /*dim=*/16, {"watched"})});
/// sharding::EmbeddingBagCollectionSharder sharder;
/// sharder.fused = {.type = optim::Type::rowwise_adagrad, .lr = 0.1};
/// sharding::DistributedModelParallel model(exec, collection, world, {}, sharder);
///
/// const auto batch = jagged::KeyedJaggedTensor::from_dense(exec, {"watched"}, {{{12, 7}, {3999}}});  // of this rank
/// const jagged::KeyedTensor pooled = model.forward(exec, batch);
/// const auto gradient = make_matrix<float>(exec, "gradient", batch.stride, pooled.values.extent(1));
/// Kokkos::deep_copy(gradient, 1.0f / float(model.global_batch()));  // the loss: the mean of all samples' sums
/// model.backward(exec, gradient);
/// const std::vector<float> rows = sharding::gather(exec, model, "movies", /*root=*/0);  // empty on other ranks
/// ```

#include <tesserec/sharding/distributed_model_parallel.hpp>
#include <tesserec/sharding/exchange_precision.hpp>
#include <tesserec/sharding/gradient_sums.hpp>
#include <tesserec/sharding/in_flight.hpp>
#include <tesserec/sharding/replica.hpp>
#include <tesserec/sharding/replica_groups.hpp>
#include <tesserec/sharding/routes.hpp>
#include <tesserec/sharding/row_totals.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/sharding/sharder.hpp>
