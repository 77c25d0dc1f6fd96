// SPDX-License-Identifier: Apache-2.0
// Tables cut over the ranks: a lookup with the bits of whole tables, and all rows of one gathered again.
#include <algorithm>
#include <iostream>

#include <tesserec/comm.hpp>
#include <tesserec/embedding.hpp>
#include <tesserec/jagged.hpp>
#include <tesserec/sharding.hpp>

using namespace tesserec;

namespace {

/// Samples of two features; sample s has s % 3 ids of "a" and one of "b".
jagged::KeyedJaggedTensor batch(const Exec& exec, Range samples) {
  std::vector<Index> ids, offsets{0};
  for (const Index key : {0, 1})
    for (Index s = samples.begin; s < samples.end; ++s) {
      for (Index i = 0; i < (key == 0 ? s % 3 : 1); ++i) ids.push_back((s * 37 + i * 101) % 500);
      offsets.push_back(std::ssize(ids));
    }
  return jagged::KeyedJaggedTensor::from_offsets({"a", "b"}, jagged::to_vector<Index>(exec, ids),
                                                 jagged::to_vector<Index>(exec, offsets));
}

int run(const comm::Communicator& world) {
  const Exec exec;
  embedding::EmbeddingBagCollection collection(
      {{.name = "large", .num_embeddings = 4000, .embedding_dim = 16, .feature_names = {"a"}},
       {.name = "small", .num_embeddings = 500, .embedding_dim = 8, .feature_names = {"b", "a"}}});
  sharding::ParallelOptions options;
  options.seed = 7;
  sharding::DistributedModelParallel model(exec, collection, world, options);

  // Each rank brings the samples of its lanes, so that the bits are those of any number of ranks.
  const Range mine = model.samples(64);
  const jagged::KeyedTensor sharded = model.forward(exec, batch(exec, mine));
  const std::vector<float> rows = tesserec::sharding::gather(exec, model, "large", 0);  // on rank 0

  collection.initialize(exec, options.seed);
  const jagged::KeyedTensor whole = collection.forward(exec, batch(exec, mine));
  const auto& weights = collection.embedding_bag("large").weights();
  const float* const first = whole.values.data();
  bool same = std::equal(first, first + whole.values.size(), sharded.values.data());
  same = same && std::equal(rows.begin(), rows.end(), weights.data());
  same = world.min(same ? 1 : 0) == 1;
  if (world.rank() == 0)
    std::cout << model.describe() << rows.size() / 16 << " rows gathered; the sharded tables have "
              << (same ? "" : "NOT ") << "the bits of the whole ones" << std::endl;
  return same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return comm::run(argc, argv, run); }
