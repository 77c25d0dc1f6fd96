// SPDX-License-Identifier: Apache-2.0
// A program outside Tesserec's tree: tables cut over the ranks, a lookup, the same bits as from whole tables.
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
      offsets.push_back(static_cast<Index>(ids.size()));
    }
  jagged::KeyedJaggedTensor sparse;
  sparse.keys = {"a", "b"};
  sparse.stride = samples.size();
  sparse.values = make_vector<Index>(exec, "outside::ids", static_cast<Index>(ids.size()));
  sparse.offsets = make_vector<Index>(exec, "outside::offsets", static_cast<Index>(offsets.size()));
  std::copy(ids.begin(), ids.end(), sparse.values.data());
  std::copy(offsets.begin(), offsets.end(), sparse.offsets.data());
  return sparse;
}

int run(const comm::Communicator& world) {
  const Exec exec;
  embedding::EmbeddingBagCollection collection({{"large", 500, 12, {"a"}, embedding::PoolingType::mean, false, {}},
                                                {"small", 500, 8, {"b", "a"}, embedding::PoolingType::sum, false, {}}});
  sharding::ParallelOptions options;
  options.seed = 7;
  sharding::DistributedModelParallel model(exec, collection, world, options);
  const Range mine = model.samples(64);
  const auto sharded = model.forward(exec, batch(exec, mine));

  collection.initialise(exec, options.seed);
  const auto whole = collection.forward(exec, batch(exec, mine));
  const bool same = std::equal(whole.values.data(), whole.values.data() + whole.values.size(), sharded.values.data());
  const bool everywhere = world.min(same ? 1 : 0) == 1;
  if (world.rank() == 0)
    std::cout << model.describe() << "the sharded lookup has " << (everywhere ? "" : "NOT ")
              << "the bits of the whole table" << std::endl;
  return everywhere ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const comm::Environment mpi(argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const comm::Communicator world(mpi.world());
  return run(world);
}
