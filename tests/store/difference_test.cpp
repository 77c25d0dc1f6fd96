// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "scratch.hpp"
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/difference.hpp>

using namespace tesserec;
using store::File;
using store::MatrixDifference;

namespace {

struct NamedMatrix {
  std::string name;
  Index rows, columns;
  std::vector<float> numbers;
};

store::PartedFile write(const std::string& path, const std::vector<NamedMatrix>& matrices) {
  const Exec exec;
  File file = File::create(path);
  for (const NamedMatrix& matrix : matrices) {
    file.create_dataset<float>(matrix.name, {matrix.rows, matrix.columns});
    file.write(matrix.name, {0, matrix.rows}, matrix.numbers.data());
    const store::TableBlock block{matrix.numbers.data(), 0, matrix.rows, 0, matrix.columns, matrix.columns};
    const std::uint64_t checksum = store::table_checksum(exec, matrix.name, block);
    file.set_attribute<std::string>(matrix.name, "checksum", store::checksum_text(checksum));
  }
  file.close();
  return store::PartedFile::open(path);
}

}  // namespace

TEST_CASE("compare_states: names matrices by shape, first number and largest distance") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const NamedMatrix same{"same", 2, 4, {1, 2, 3, 4, 5, 6, 7, 8}};
  const store::PartedFile a = write(folder / "a.h5", {same,
                                                      {"moved", 2, 3, {0.0f, 1, 2, 3, 4, 5}},
                                                      {"nan", 1, 2, {1, 2}},
                                                      {"longer", 2, 2, {1, 2, 3, 4}},
                                                      {"only_a", 1, 1, {1}}});
  const store::PartedFile b = write(folder / "b.h5", {same,
                                                      {"moved", 2, 3, {-0.0f, 1, 2, 3, 4.5f, 5.25f}},
                                                      {"nan", 1, 2, {100, nan}},
                                                      {"longer", 3, 1, {1, 30, 9}},
                                                      {"only_b", 1, 1, {1}}});
  const std::vector<MatrixDifference> found = store::compare_states(a, b);
  REQUIRE(found.size() == 5);
  CHECK(found[0].name == "longer");
  CHECK(found[0].compared == 2);
  CHECK(found[0].different == 1);
  CHECK(found[0].first.row == 1);
  CHECK(found[0].first.a == 3);
  CHECK(found[0].first.b == 30);
  CHECK(found[1].name == "moved");
  CHECK(found[1].different == 3);
  CHECK(found[1].first.row == 0);  // the signs of zeros differ
  CHECK(std::signbit(found[1].first.b));
  CHECK(found[1].largest.row == 1);
  CHECK(found[1].largest.column == 1);
  CHECK(found[2].name == "nan");
  CHECK(found[2].largest.column == 1);
  CHECK(found[3].name == "only_a");
  CHECK(found[3].b.columns == 0);
  CHECK(found[4].name == "only_b");
  CHECK(found[4].compared == 0);
  CHECK(store::compare_states(a, a).empty());
}

TEST_CASE("compare_states: rows of a matrix that is read in pieces") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  constexpr Index rows = 3000, columns = 1024;  // 12 MB
  std::vector<float> numbers(std::size_t(rows * columns));
  const store::PartedFile a = write(folder / "a.h5", {{"m", rows, columns, numbers}});
  numbers[2500 * columns + 7] = 1;
  numbers[2900 * columns + 8] = 2;
  const store::PartedFile b = write(folder / "b.h5", {{"m", rows, columns, numbers}});
  const std::vector<MatrixDifference> found = store::compare_states(a, b);
  REQUIRE(found.size() == 1);
  CHECK(found[0].compared == rows * columns);
  CHECK(found[0].different == 2);
  CHECK(found[0].first.row == 2500);
  CHECK(found[0].first.column == 7);
  CHECK(found[0].largest.row == 2900);
  CHECK(found[0].largest.column == 8);
}
