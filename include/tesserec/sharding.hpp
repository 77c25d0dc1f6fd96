// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/sharding/cost_model.hpp>
#include <tesserec/sharding/distributed_model_parallel.hpp>
#include <tesserec/sharding/exchange.hpp>
#include <tesserec/sharding/plan.hpp>
#include <tesserec/sharding/plan_file.hpp>
#include <tesserec/sharding/plan_text.hpp>
#include <tesserec/sharding/planner.hpp>
#include <tesserec/sharding/row_fetch.hpp>
#include <tesserec/sharding/row_squares.hpp>
#include <tesserec/sharding/settings.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/sharding/sharder.hpp>
#include <tesserec/sharding/topology.hpp>
