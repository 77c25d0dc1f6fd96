// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/comm/same.hpp>

using namespace tesserec;

namespace {

/// Returns the error of require_same if rank `other` has the list `differing` and all other ranks `first`.
std::string error_where(const comm::Communicator& world, int other, const std::vector<comm::Named>& first,
                        const std::vector<comm::Named>& differing) {
  return error_of([&] { comm::require_same(world, world.rank() == other ? differing : first, "give all one deck"); });
}

}  // namespace

TEST_CASE("require_same: throws on all ranks with the rank and the key and both values that differ") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const std::vector<comm::Named> deck = {{"train.steps", "7"}, {"optimizer.dense.lr", "0.002"}, {"train.lanes", "8"}};
  CHECK(error_where(world, 0, deck, deck).empty());
  for (int other = 1; other < world.size(); ++other) {
    const std::string rank = "rank " + std::to_string(other);
    CHECK(error_where(world, other, deck,
                      {{"train.steps", "7"}, {"optimizer.dense.lr", "0.003"}, {"train.lanes", "8"}}) ==
          rank + ": optimizer.dense.lr is 0.003, rank 0 has 0.002; give all one deck");
    CHECK(error_where(world, other, deck, {{"train.steps", "7"}, {"train.lanes", "8"}}) ==
          rank + " has no optimizer.dense.lr, which is 0.002 on rank 0; give all one deck");
    CHECK(error_where(world, other, {}, {{"plan.file", "\"\""}}) ==
          rank + ": plan.file is \"\", rank 0 has none; give all one deck");
    CHECK(
        error_where(world, other, deck, {{"train.steps", "8"}, {"optimizer.dense.lr", "0.1"}, {"a.b", "c"}}) ==
        rank +
            ": train.steps is 8, rank 0 has 7; the ranks also differ in optimizer.dense.lr, train.lanes, a.b; give all "
            "one deck");
    CHECK(mentions(error_where(world, other, deck, {deck[1], deck[0], deck[2]}),
                   rank + " has the values in another order"));
  }
}

TEST_CASE("require_same: names the lowest rank that differs and counts all of them") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const std::string own = world.rank() == 0 ? "0" : "other";
  const std::string error = error_of([&] { comm::require_same(world, {{"run.seed", own}}, "set one"); });
  if (world.size() == 1) CHECK(error.empty());
  if (world.size() == 2) CHECK(error == "rank 1: run.seed is other, rank 0 has 0; set one");
  if (world.size() > 2)
    CHECK(error == "rank 1: run.seed is other, rank 0 has 0; " + std::to_string(world.size() - 1) + " of " +
                       std::to_string(world.size()) + " ranks differ from rank 0; set one");
}

TEST_CASE("require_same: shows long values only around the place where they differ") {
  const comm::Communicator world(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  const std::string filler(5000, 'x');
  const std::string error = error_where(world, 1, {{"rows", filler + "1" + filler}}, {{"rows", filler + "2" + filler}});
  CHECK(mentions(error, "xxx2xxx"));
  CHECK(mentions(error, "xxx1xxx"));
  CHECK(error.size() < 400);
}
