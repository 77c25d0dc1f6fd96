// SPDX-License-Identifier: Apache-2.0
// One main for all tests: owns MPI and Kokkos, and fails on every rank when a test fails on one.
#include <Kokkos_Core.hpp>
#include <mpi.h>
#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Kokkos::initialize(argc, argv);
  int failed = Catch::Session().run(argc, argv);
  Kokkos::finalize();
  int failed_anywhere = 0;
  MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return failed_anywhere == 0 ? 0 : 1;
}
