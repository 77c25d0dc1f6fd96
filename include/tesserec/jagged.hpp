// SPDX-License-Identifier: Apache-2.0
#pragma once

/// jagged: tensors of bags of different lengths, with the names, layout and meaning of TorchRec's.
/// They hold the sparse half of a batch and the result of its lookup. A `KeyedJaggedTensor` has a bag of ids for each
/// key and sample, key-major; from_lengths(), from_offsets() or from_dense() makes it. Its jagged() returns the bags of
/// one key as a `JaggedTensor`, which to_padded_dense() copies to a matrix. A `KeyedTensor` has one vector for each key
/// and sample, such as pooled embeddings; `[key]` views its columns, and regroup() copies keys side by side. Copies of
/// a tensor share its storage, as Kokkos views do; src/jagged/README.md lists the functions that copy values. No
/// function is collective, and one thread makes the calls. Lengths, offsets or keys that do not fit together throw
/// class Error. The tensors do not know tables, so their ids are checked at the lookup. docs/tutorial.md looks ids up.
///
/// ```cpp
/// const auto batch = jagged::KeyedJaggedTensor::from_dense(exec, {"item", "shop"}, {{{3, 1}, {}}, {{0}, {2, 2, 5}}});
/// const jagged::JaggedTensor shops = batch.jagged(exec, "shop");     // bags [0] and [2, 2, 5]; shares the ids
/// const Matrix<Index> padded = shops.to_padded_dense(exec, {}, -1);  // [[0, -1, -1], [2, 2, 5]]
/// const Index shop = batch.find("shop"), count = batch.length(shop, 1), first = batch.values(batch.begin(shop, 1));
/// if (count != 3 || first != 2) fail("sample 1 has other ids of ", batch.keys[shop]);
/// const Matrix<float> vectors = make_matrix<float>(exec, "vectors", batch.stride, 8 + 4);
/// Kokkos::deep_copy(vectors, 0.5f);
/// const auto pooled = jagged::KeyedTensor::from_values(batch.keys, {8, 4}, vectors);
/// const jagged::Columns columns = pooled["shop"];  // a view [2, 4] of vectors
/// ```

#include <tesserec/jagged/jagged_tensor.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/jagged/keyed_tensor.hpp>
