// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/sharding/distributed_model_parallel.hpp>
#include <tesserec/sharding/exchange_precision.hpp>
#include <tesserec/sharding/gradient_sums.hpp>
#include <tesserec/sharding/in_flight.hpp>
#include <tesserec/sharding/routes.hpp>
#include <tesserec/sharding/row_totals.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>
#include <tesserec/sharding/sharder.hpp>
