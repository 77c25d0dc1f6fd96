// SPDX-License-Identifier: Apache-2.0
#pragma once

/// model: a whole model on its ranks, with the tables cut by a plan and one dense half per node.
/// A ShardedModel takes Settings, which has the network and its loss, and the tables. It also takes ParallelOptions
/// (plan, lanes, micro-batches, seed, schedule) and a sharder with the optimizers of rows and of the dense half. The
/// sharder's `exchange` decides the formats of messages, so set it to exchange_forward and exchange_backward of
/// Settings. A train::TrainStep then trains the model, and ends each step by move_dense(). The members `embeddings` and
/// `dense` are its halves; `parameters` has the numbers of the dense half, which the ranks of a node share. The
/// constructor and move_dense() are collective: every rank calls them in one order, from the thread that made the
/// model. The communicator must outlive the model. Settings that differ between ranks are one Error on all of them,
/// naming setting and ranks. The page docs/library.md has the order of calls, and docs/models.md has the models.
///
/// ```cpp
/// const embedding::EmbeddingBagCollection collection(
///     {embedding::table_config("movies", /*rows=*/4000, /*dim=*/16, {"watched"})});
/// model::Settings settings;  // a DLRM that reads 16 columns of each feature
/// settings.bottom = {64, 16};
/// settings.top = {64, 1};
/// sharding::ParallelOptions options;
/// options.seed = 7;
/// sharding::EmbeddingBagCollectionSharder sharder;
/// sharder.fused = {.type = optim::Type::rowwise_adagrad, .lr = 0.1};  // updates rows
/// sharder.dense = {.type = optim::Type::adam, .lr = 0.01};            // updates the dense half
/// model::ShardedModel model(exec, world, settings, /*dense_features=*/13, collection, options, sharder);
/// const std::string layers = network::describe_layers(model.dense.layers());
/// ```

#include <tesserec/model/dense_cost.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/model/sharded_model.hpp>
