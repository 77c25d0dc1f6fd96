// SPDX-License-Identifier: Apache-2.0
// TrainStep: gradients that are not finite are an error before any weight has moved.
#include <algorithm>

#include "catch.hpp"
#include "errors.hpp"
#include "left_out.hpp"
#include "small_job.hpp"
#include <tesserec/train/checkpoint.hpp>

using namespace tesserec;

namespace {

train::Job with_steep_loss(train::Job job) {
  job.model.loss = "wbce";
  job.model.loss_settings.weights = {1.0, 1e30};
  return job;
}

/// Sets one number of the dense half.
void set(const train::Session& session, Index at, float number) {
  const auto& all = session.model.parameters;
  copy(Exec(), Place::host, &number, all.place(), all.data() + at, 1);
}

/// A session before a step in which one sample of `rank` has a steep loss.
struct Steep {
  Steep(const comm::Communicator& world, const train::Job& job, int rank)
      : source(data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true))),
        session(Exec(), world, with_steep_loss(job), source->info()) {
    REQUIRE(source->next(batch));
    std::fill_n(batch.labels.data(), batch.size, 0.0f);
    if (world.rank() == rank) batch.labels(batch.size - 1) = 1.0f;
  }
  std::string refusal() {
    train::PipelinedBatch now{batch, {}};
    return error_of([&] { session.step(now, nullptr, 5); });
  }

  std::unique_ptr<data::Source> source;
  train::Session session;
  data::Batch batch{Exec()};
};

}  // namespace

TEST_CASE("TrainStep: throws on every rank if a table's gradient is not finite and moves nothing") {
  const comm::Communicator world(MPI_COMM_WORLD);
  Index turn = 0;
  for (int rank = 0; rank < world.size(); ++rank)
    for (const std::size_t table : {0, 2}) {
      if (left_out(turn++, 3)) continue;
      train::Job job = small_job("");
      job.model.interaction = network::Interaction::cat;
      Steep steep(world, job, rank);
      train::Session& session = steep.session;

      // The steep loss follows large weights that read only zeros of the table.
      for (const auto& shard : session.model.tables().shards())
        shard.rows->weights().fill(Exec(), "tesserec::test::fill", 0.0f);
      const Index dim = job.model.embedding_dim, column = dim * static_cast<Index>(table + 1) + dim - 1;
      for (const network::Parameter& p : session.model.dense.layout())
        if (p.name == "top.0.weight")
          for (Index row = 0; row < p.rows; ++row) set(session, p.offset + row * p.columns + column, 1e15f);
      world.barrier();
      const std::string weights = train::weights_digest(session), state = train::state_digest(session);

      const std::string name = session.model.tables().tables()[table].name;
      CHECK(steep.refusal() == "step 5: the gradient of table " + name + " (feature " + name +
                                   ") is not finite; lower the learning rate. This step has no checkpoint");
      CHECK(train::weights_digest(session) == weights);
      CHECK(train::state_digest(session) == state);
    }
}

TEST_CASE("TrainStep: throws if the gradient of an un-pooled feature is not finite and moves nothing") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = small_job("");
  weigh_vectors(job);
  job.run.kernels = GENERATE(Kernels::simd, Kernels::portable);
  Steep steep(world, job, 0);
  train::Session& session = steep.session;
  for (const auto& shard : session.model.tables().shards())
    if (shard.table == 3) {
      for (const float weight : shard.rows->weights().to_host(Exec())) REQUIRE(weight == 1.0f);
    } else {
      shard.rows->weights().fill(Exec(), "tesserec::test::fill", 0.0f);
    }
  const network::Parameter& top = session.model.dense.layout().front();
  set(session, top.offset + top.columns - 1, 1e15f);
  world.barrier();
  const std::string weights = train::weights_digest(session);
  CHECK(steep.refusal() ==
        "step 5: the gradient of table weights (feature C3) is not finite; lower the learning rate. This step has no "
        "checkpoint");
  CHECK(train::weights_digest(session) == weights);
}

TEST_CASE("TrainStep: throws on every rank with the first dense gradient that is not finite") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Kernels kernels = GENERATE(Kernels::simd, Kernels::portable);
  for (const bool two : {false, true}) {
    train::Job job = small_job("");
    job.model.loss = "wbce";
    job.model.loss_settings.weights = {1e30, 1e30};
    job.run.kernels = kernels;
    const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true));
    train::Session session(Exec(), world, job, source->info());
    data::Batch batch{Exec()};
    REQUIRE(source->next(batch));

    // Large activations precede weights that cancel each other; large inputs precede weights of zero.
    const auto set_all = [&](const std::string& name, float even, float odd) {
      for (const network::Parameter& p : session.model.dense.layout())
        for (Index i = 0; p.name == name && i < p.rows * p.columns; ++i)
          set(session, p.offset + i, i % 2 == 0 ? even : odd);
    };
    set_all("bottom.0.weight", 0.0f, 0.0f);
    set_all("bottom.0.bias", 0.5f, 0.5f);
    set_all("top.0.bias", 1e12f, 1e12f);
    set_all("top.1.weight", 1e-12f, -1e-12f);
    if (two) Kokkos::deep_copy(batch.dense, 1e30f);
    world.barrier();
    train::PipelinedBatch now{batch, {}};
    CHECK(error_of([&] { session.step(now, nullptr, 2); }) ==
          std::string("step 2: the gradient of ") + (two ? "bottom.0" : "top.1") +
              ".weight is not finite; lower the learning rate. This step has no checkpoint");
  }
}
