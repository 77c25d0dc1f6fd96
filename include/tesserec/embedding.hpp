// SPDX-License-Identifier: Apache-2.0
#pragma once

/// embedding: embedding tables with pooled and un-pooled lookups, and the exact update of the touched rows.
/// A program describes its tables by EmbeddingBagConfig and gives them to an EmbeddingBagCollection, as in TorchRec.
/// The collection starts without storage; the folder sharding cuts the description over the ranks. The call
/// initialize() allocates all rows on this rank instead, with the start values that they have under any plan. Then
/// forward() pools each bag of a batch into one vector, and unpooled() returns one vector per id. An EmbeddingBag is
/// one whole table. Nothing here communicates. One thread at a time uses a collection, const functions included, and
/// lookups run on all threads of Kokkos. Returned tensors own their values, but none may outlive the body of
/// comm::run. The constructor throws Error for invalid tables. A lookup throws Error for a missing feature or an id
/// outside its table. The order of additions is in docs/design/law.md, the rest in src/embedding/README.md.
///
/// ```cpp
/// embedding::EmbeddingBagCollection collection(
///     {{.name = "movies", .num_embeddings = 4000, .embedding_dim = 16, .feature_names = {"watched", "liked"}},
///      {.name = "users", .num_embeddings = 900, .embedding_dim = 8, .feature_names = {"user"}}});
/// collection.initialize(exec, /*seed=*/7);
///
/// const auto batch = jagged::KeyedJaggedTensor::from_dense(
///     exec, {"watched", "liked", "user"}, {{{12, 7}, {3999}}, {{7}, {}}, {{41}, {899}}});  // [key][sample] bags
/// const jagged::KeyedTensor pooled = collection.forward(exec, batch);  // [2, 16 + 16 + 8]
/// const jagged::Columns liked = pooled["liked"];                       // [2, 16]; the empty bag of row 1 gives zeros
/// ```

#include <tesserec/embedding/block_of.hpp>
#include <tesserec/embedding/complete_tables.hpp>
#include <tesserec/embedding/disk_row.hpp>
#include <tesserec/embedding/embedding_bag.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/embedding/moved_rows.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/embedding/row_store.hpp>
#include <tesserec/embedding/row_sums.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/embedding/shard_lookups.hpp>
#include <tesserec/embedding/table.hpp>
