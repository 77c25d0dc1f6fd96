// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/embedding/block_of.hpp>
#include <tesserec/embedding/complete_tables.hpp>
#include <tesserec/embedding/embedding_bag.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/embedding/row_store.hpp>
#include <tesserec/embedding/row_sums.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/embedding/shard_lookups.hpp>
#include <tesserec/embedding/table.hpp>
