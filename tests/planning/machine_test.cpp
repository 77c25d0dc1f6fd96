// SPDX-License-Identifier: Apache-2.0
// Plans for GPUs that this machine lacks: their rates, and the memory that they leave for tables.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/gpu.hpp>
#include <tesserec/planning/planner.hpp>

using namespace tesserec;

namespace {

constexpr Index mib = 1 << 20;

planning::Settings named(const std::string& machine) {
  planning::Settings settings;
  settings.machine = machine;
  settings.reserve = 0;
  return settings;
}

}  // namespace

TEST_CASE("plan.machine: plans a named GPU as cuda with eight a node and rates of its data sheet") {
  CHECK(planning::plan_device(named("")) == (built_for_gpus() ? "cuda" : "cpu"));
  CHECK(planning::plan_device(named("a100")) == "cuda");
  const auto topology = planning::topology_for(1024, 0, named("a100"));
  CHECK(topology.device == "cuda");
  CHECK(topology.ranks_per_node == 8);
  CHECK(topology.memory == 80'000'000'000);
  CHECK(planning::topology_for(4, 0, named("a100")).ranks_per_node == 4);
  auto unnamed = named("");
  unnamed.device = "cuda";
  CHECK(planning::topology_for(8, 0, unnamed).memory == planning::gpu_machine("h200")->memory);
  CHECK(planning::gpu_machine("v100") == nullptr);
  // Rates are proportional to the bandwidth of the memory, 4.8 to 2.039 TB/s, and of the links.
  const auto &h200 = planning::gpu_machine("h200")->costs, &a100 = planning::gpu_machine("a100")->costs;
  for (const auto rate :
       {&planning::MachineCosts::row_reads, &planning::MachineCosts::read_bytes, &planning::MachineCosts::vector_bytes,
        &planning::MachineCosts::update_bytes, &planning::MachineCosts::add_bytes})
    CHECK(std::abs(h200.*rate / (a100.*rate) - 4.8 / 2.039) < 1e-9);
  CHECK(std::abs(h200.inside_bytes / a100.inside_bytes - 1.5) < 1e-9);
  CHECK(std::abs(h200.between_bytes / a100.between_bytes - 2) < 1e-9);
  CHECK(std::abs(h200.read_bytes - 0.62 * 4.8e12) < 1e6);
}

TEST_CASE("gpu_taken: context and workspaces and NCCL's buffers are not usable for tables") {
  CHECK(planning::gpu_taken(1).total() == (512 + 36) * mib);
  CHECK(planning::gpu_taken(8).messages == (256 + 7 * 8) * mib);
  auto settings = named("h200");
  settings.memory = Index{4} << 30;
  const auto topology = planning::topology_for(8, 8, settings);
  CHECK(topology.usable_memory() == settings.memory - planning::gpu_taken(8).total());
  CHECK(topology.memory_for(double(topology.usable_memory())) == settings.memory);
  settings.reserve = 0.5;
  const auto reserved = planning::topology_for(8, 8, settings);
  CHECK(reserved.usable_memory() == settings.memory / 2 - planning::gpu_taken(8).total());

  embedding::EmbeddingBagConfig table;
  table.name = "large";
  table.feature_names = {"large"};
  table.num_embeddings = Index{7} << 20;
  table.embedding_dim = 128;  // 3.5 GiB of 4, of which 860 MiB are taken
  settings.reserve = 0;
  settings.tables["large"].sharding = planning::ShardingType::table_wise;
  const auto plan = [&] {
    return planning::EmbeddingShardingPlanner(planning::topology_for(8, 8, settings), settings, {}, {}, 4096)
        .plan(std::vector{table});
  };
  const std::string refused = error_of(plan);
  CHECK(refused.find("table large does not fit") == 0);
  settings.memory += planning::gpu_taken(8).total();
  CHECK(error_of(plan).empty());
  settings.memory = 500 * mib;
  CHECK(mentions(error_of(plan), "bytes for CUDA, cuBLASLt and NCCL, leaves no byte to tables; set plan.memory = "));
}

TEST_CASE("topology_of: throws on CPUs if the plan names GPUs") {
  if (built_for_gpus()) return;
  const comm::Communicator comm(MPI_COMM_WORLD);
  CHECK(mentions(error_of([&] { planning::topology_of(comm, named("h200")); }), "plan.machine = \"h200\" has GPUs"));
  auto settings = named("");
  settings.device = "cuda";
  CHECK(mentions(error_of([&] { planning::topology_of(comm, settings); }), "plan.device is \"cuda\""));
}
