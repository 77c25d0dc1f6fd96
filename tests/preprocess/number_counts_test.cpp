// SPDX-License-Identifier: Apache-2.0
#include "src/preprocess/number_counts.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "raw_text.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

TEST_CASE("number_key: keys are in the order of the numbers") {
  const double largest = std::numeric_limits<float>::max();
  const std::vector<double> ascending = {-largest, -2.5,   -1, -1e-300, 0, 5e-324, 0.1, std::nextafter(0.1, 1),
                                         7,        largest};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    CHECK(key_number(number_key(ascending[i])) == ascending[i]);
    if (i > 0) CHECK(number_key(ascending[i - 1]) < number_key(ascending[i]));
  }
  CHECK(number_key(-0.0) == number_key(0.0));
}

TEST_CASE("NumberCounts: counts below a key are exact in memory and on the scratch file") {
  const comm::Communicator self(MPI_COMM_SELF), world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Random random(3, Purpose::test);
  for (const Index different : {Index{100}, Index{30000}, Index{40001}}) {
    const std::string path = folder / concat("counts", world.rank());
    NumberCounts counts(path, 1);
    const Index all = different == 100 ? 5000 : different == 30000 ? 12000 : 50000;
    std::vector<double> values;
    for (Index i = 0; i < all; ++i) values.push_back(double(random.below(std::uint64_t(different), i, 0)) / 8 - 40);
    for (const double value : values) counts.add(value);
    counts.finish();
    CHECK(counts.keys(1000).empty() == (different > 4096));
    if (different == 100) CHECK(counts.keys(100).size() == 100);
    CHECK(counts.keys(99).empty());
    REQUIRE(counts.size() == all);
    // 12000 numbers are 3 runs, which are merged at once, and 50000 are 13 runs; the files before are removed.
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK(std::filesystem::exists(path + "-1") == (different == 30000));
    CHECK(std::filesystem::exists(path + "-2") == (different == 40001));
    std::sort(values.begin(), values.end());
    for (Index i = 0; i < 300; ++i) {
      const double border = double(random.below(std::uint64_t(different + 9), i, 1)) / 8 - 40.5;
      const auto expected = std::lower_bound(values.begin(), values.end(), border) - values.begin();
      REQUIRE(counts.below(number_key(border)) == expected);
    }
    CHECK(counts.below(~std::uint64_t{0}) == all);
  }
}
