// SPDX-License-Identifier: Apache-2.0
// A program that reads a model from a deck and is linked without MPI and HDF5.
#include <cstdlib>
#include <regex>

#include "catch.hpp"
#include "driver/program.hpp"

using namespace tesserec::test;

TEST_CASE("read_model: works in a program without MPI and HDF5", "[schema.alone]") {
  const Outcome read = Program("ALONE").run({std::string(std::getenv("INPUTS")) + "/adult.toml"});
  CHECK(read.code == 0);
  CHECK(read.out.substr(0, read.out.find('\n')) == "dlrm");
  const Outcome libraries = Program("LDD").run({std::getenv("ALONE")});
  INFO(libraries.out);
  REQUIRE(libraries.code == 0);
  CHECK(!std::regex_search(libraries.out, std::regex("libmpi|libhdf5|libopen-pal")));
}
