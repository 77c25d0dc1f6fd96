// SPDX-License-Identifier: Apache-2.0
// plan.replicas: the cost of replica groups, the choice of their number from a list, plan files, and refusals.
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include <tesserec/planning/plan_file.hpp>

using namespace tesserec;
using planned::four_tables, planned::Given;
using planning::ShardingType;

namespace {

/// Returns the best plan with one number of replica groups.
planning::ProvenPlan proven_with(Given given, int replicas) {
  given.settings.replicas = replicas;
  return given.planner().plan(four_tables());
}

Given eight_ranks() {
  Given given;
  given.ranks = 8;
  given.ranks_per_node = 4;
  return given;
}

}  // namespace

TEST_CASE("plan.replicas: groups of one rank send, update and hold what data_parallel does") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  Given copies = eight_ranks();
  copies.settings.default_type = ShardingType::data_parallel;
  const planning::PlanEstimate expected = proven_with(copies, 1).estimate;
  Given groups = eight_ranks();
  groups.settings.default_type = ShardingType::table_wise;
  const planning::PlanEstimate estimate = proven_with(groups, 8).estimate;
  REQUIRE(estimate.seconds.size() == 8);
  REQUIRE(estimate.holds.size() == 8);
  for (std::size_t rank = 0; rank < 8; ++rank) {
    CHECK(estimate.split[rank].exchange == Approx(expected.split[rank].exchange));
    CHECK(estimate.split[rank].update == Approx(expected.split[rank].update));
    CHECK(estimate.split[rank].latency == Approx(expected.split[rank].latency));
    CHECK(estimate.holds[rank].rows == expected.holds[rank].rows);
    CHECK(estimate.holds[rank].states == expected.holds[rank].states);
  }
}

TEST_CASE("plan.replicas: fewer bytes cross nodes and a message goes to fewer ranks, but ranks hold more") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  Given given = eight_ranks();
  given.settings.default_type = ShardingType::row_wise;
  for (auto& table : four_tables()) given.settings.tables[table.name].pooling_factor = 1;
  given.settings.costs.inside_bytes = 1e30;  // only bytes between nodes take time
  given.settings.costs.inside_latency = 0;
  given.settings.costs.between_latency = 1;
  const planning::PlanEstimate one = proven_with(given, 1).estimate, two = proven_with(given, 2).estimate,
                               four = proven_with(given, 4).estimate;
  CHECK(one.split[0].latency == 4 * 4);  // four messages to each of the other node's four ranks
  CHECK(two.split[0].latency == 4 * 1);  // a group is a node, and one copy is on the other
  CHECK(four.split[0].latency == 4 * 2);
  CHECK(two.holds[0].rows == 2 * one.holds[0].rows);
  CHECK(four.holds[0].rows == 4 * one.holds[0].rows);
  // Two copies exchange the rows of 256 samples each, [64 floats + row + lane], at between_bytes.
  double rows = 0;
  for (const auto& table : four_tables())
    rows += double(table.num_embeddings) * -std::expm1(256 * std::log1p(-1.0 / double(table.num_embeddings)));
  const double bytes = rows / 4 * (4 * 64 + 16);
  CHECK(two.split[0].exchange == Approx(2 * bytes / given.settings.costs.between_bytes).epsilon(1e-6));
  CHECK(two.table_bytes[0] > 1.5 * one.table_bytes[0]);  // rows, and messages of one step
}

TEST_CASE("plan.replicas: the planner takes the fastest number of a list") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  for (const double latency : {1e-9, 1e-3}) {
    Given given = eight_ranks();
    given.settings.costs.between_latency = latency;
    given.settings.costs.between_bytes = latency < 1e-6 ? 1e6 : 1e12;
    double fastest = planning::Topology().ranks * 1e300, bound = 1e300;
    int best = 0;
    for (const int replicas : {1, 2, 4, 8}) {
      const planning::ProvenPlan proven = proven_with(given, replicas);
      bound = std::min(bound, proven.lower_bound);
      if (proven.estimate.critical_path() < fastest) fastest = proven.estimate.critical_path(), best = replicas;
    }
    given.settings.replicas = {1, 2, 3, 4, 8};
    const planning::ProvenPlan chosen = given.planner().plan(four_tables());
    CHECK(planning::replicas(chosen.plan) == best);
    CHECK(chosen.estimate.critical_path() == fastest);
    CHECK(chosen.lower_bound == bound);
    REQUIRE(chosen.tried.size() == 5);
    CHECK(mentions(chosen.tried[2].refused, "plan.replicas = 3: 8 ranks do not divide"));
    const std::string text = planning::describe(four_tables(), chosen);
    CHECK(mentions(text, "replica groups\n"));
    CHECK(mentions(text, concat("  ", best, " replica groups; ranks are those of the first group")) == (best > 1));
  }
}

TEST_CASE("plan.replicas: numbers that the job cannot have are refused") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  Given given = eight_ranks();
  const auto refusal = [&] { return error_of([&] { given.plan(); }); };
  given.settings.replicas = 3;
  CHECK(refusal() == "plan.replicas = 3: 8 ranks do not divide into that many groups; set a divisor of 8");
  given.settings.replicas = {3, 5};
  CHECK(mentions(refusal(), "plan.replicas: none of 3, 5 has a plan; plan.replicas = 3: 8 ranks do not divide"));
  given.settings.replicas = 4;
  given.settings.tables["large_0"].sharding = ShardingType::table_wise;
  given.settings.tables["large_0"].ranks = {2};
  CHECK(mentions(refusal(), "rank 2 does not exist; a replica group has ranks 0 to 1"));
  given = eight_ranks();
  given.settings.memory = 1200000;
  given.settings.reserve = 0;
  CHECK(refusal() == "");
  given.settings.replicas = 8;
  CHECK(mentions(refusal(), "but 1 rank of each of 8 groups has "));
  CHECK(mentions(refusal(), " or a smaller plan.replicas"));
}

TEST_CASE("plan.replicas: a plan file keeps the number, and the key must agree with it") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  Given given = eight_ranks();
  const planning::ProvenPlan proven = proven_with(given, 2);
  given.settings.file =
      (std::filesystem::temp_directory_path() / ("tesserec_groups_" + std::to_string(getpid()) + ".json")).string();
  const std::string text = planning::plan_json(four_tables(), proven, given.planner().model().topology(), 512);
  std::ofstream(given.settings.file) << text;
  for (const bool with_key : {false, true}) {
    if (with_key) given.settings.replicas = {4, 2};
    const planning::ProvenPlan again = given.planner().given_plan(four_tables());
    CHECK(planning::replicas(again.plan) == 2);
    CHECK(again.estimate.seconds == proven.estimate.seconds);
    for (std::size_t t = 0; t < again.plan.size(); ++t) CHECK(again.plan[t].shards == proven.plan[t].shards);
  }
  given.settings.replicas = {1, 4};
  CHECK(mentions(error_of([&] { given.planner().given_plan(four_tables()); }),
                 "the plan has 2 replica groups, but plan.replicas is 1, 4; remove that key, or make another plan"));
  std::string other = text;
  other.replace(other.find("\"replicas\": 2"), 13, "\"replicas\": 3");
  CHECK(mentions(error_of([&] { planning::parse_plan(other, "p", four_tables(), 8); }),
                 "p: replicas = 3 does not divide the 8 ranks; set a divisor of 8"));
  std::filesystem::remove(given.settings.file);
}
