// SPDX-License-Identifier: Apache-2.0
// Failures on some ranks and on all, for the test of the test program's main.
#include <cstdio>
#include <stdexcept>

#include <mpi.h>

#include "catch.hpp"

namespace {

int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

TEST_CASE("main: ends the job if one rank leaves a test", "[.][one]") {
  INFO("what was being done");
  REQUIRE(rank() != 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("main: ends the job if one rank throws", "[.][throw]") {
  if (rank() == 1) throw std::runtime_error("thrown");
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("main: ends the job if ranks fail in different places", "[.][places]") {
  REQUIRE(rank() == 1);
  REQUIRE(rank() == 2);
}

TEST_CASE("main: lets ranks continue after a failed CHECK", "[.][together]") {
  CHECK(rank() != 1);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("main: continues if all ranks leave a test", "[.][together]") { REQUIRE(rank() == 7); }

TEST_CASE("main: runs the next test", "[.][together]") {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank() == 0) std::puts("the next test ran");
}
