// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"
#include <tesserec/jagged/jagged_tensor.hpp>

using namespace tesserec;
using jagged::JaggedFloats;
using jagged::JaggedTensor;
using jagged::JaggedVectors;
using jagged::to_vector;

TEST_CASE("JaggedTensor: from_lengths and from_offsets share the given values") {
  const Vector<Index> values = to_vector<Index>(Exec(), {7, 8, 9});
  const Vector<float> weights = to_vector<float>(Exec(), {0.5f, 1, 2});
  const auto jagged = JaggedTensor::from_lengths(Exec(), values, to_vector<Index>(Exec(), {2, 0, 1}), weights);
  CHECK(list(jagged.offsets) == std::vector<Index>{0, 2, 2, 3});
  CHECK(list(jagged.lengths(Exec())) == std::vector<Index>{2, 0, 1});
  CHECK(jagged.size() == 3);
  CHECK(jagged.total() == 3);
  CHECK(jagged.max_length() == 2);
  CHECK(jagged.values.data() == values.data());
  CHECK(jagged.weights.data() == weights.data());
  const auto again = JaggedTensor::from_offsets(values, jagged.offsets, weights);
  CHECK(again.offsets.data() == jagged.offsets.data());
  CHECK(printed(again) ==
        "JaggedTensor({\n    \"values\": [[7, 8], [], [9]],\n    \"weights\": [[0.5, 1.0], [], [2.0]]\n})");
}

TEST_CASE("JaggedTensor: to_dense returns views and from_dense rebuilds the same tensor") {
  const JaggedTensor jagged = jagged::from_list(Exec(), {{}, {3, 4}, {5}}, {{}, {1, 2}, {3}});
  const auto rows = jagged.to_dense();
  REQUIRE(rows.size() == 3);
  CHECK(list(rows[1]) == std::vector<Index>{3, 4});
  CHECK(rows[1].data() == jagged.values.data());
  CHECK(list(jagged.to_dense_weights()[2]) == std::vector<float>{3});
  rows[2](0) = 6;
  CHECK(jagged.values(2) == 6);
  const auto again = JaggedTensor::from_dense(Exec(), rows, jagged.to_dense_weights());
  CHECK(printed(again) == printed(jagged));
  CHECK(again.values.data() != jagged.values.data());
}

TEST_CASE("JaggedTensor: to_padded_dense fills short rows and truncates long ones") {
  const auto ids = jagged::from_list(Exec(), {{1, 2, 3}, {}, {4}});
  CHECK(list(ids.to_padded_dense(Exec())) == std::vector<Index>{1, 2, 3, 0, 0, 0, 4, 0, 0});
  CHECK(list(ids.to_padded_dense(Exec(), 2, -1)) == std::vector<Index>{1, 2, -1, -1, 4, -1});
  CHECK(ids.to_padded_dense(Exec(), 0).size() == 0);
  const auto floats =
      JaggedFloats::from_lengths(Exec(), to_vector<float>(Exec(), {0.25f, 1e10f}), to_vector<Index>(Exec(), {0, 2}));
  CHECK(list(floats.to_padded_dense(Exec(), 3, 0.5f)) == std::vector<float>{0.5f, 0.5f, 0.5f, 0.25f, 1e10f, 0.5f});
  CHECK(printed(floats) == "JaggedTensor({\n    [[], [0.25, 1e+10]]\n})");
  const auto cut =
      JaggedTensor::from_dense_lengths(Exec(), ids.to_padded_dense(Exec()), to_vector<Index>(Exec(), {2, 1, 0}));
  CHECK(printed(cut) == "JaggedTensor({\n    [[1, 2], [0], []]\n})");
}

TEST_CASE("JaggedVectors: pads and splits and rebuilds bags of vectors") {
  const Matrix<float> vectors = make_matrix<float>(Exec(), "tesserec::test::vectors", 3, 2);
  for (Index i = 0; i < 6; ++i) vectors.data()[i] = static_cast<float>(i);
  const auto jagged = JaggedVectors::from_lengths(Exec(), vectors, to_vector<Index>(Exec(), {1, 0, 2}));
  const auto padded = jagged.to_padded_dense(Exec(), 2, 9);
  REQUIRE(padded.extent(0) == 3);
  REQUIRE(padded.extent(1) == 2);
  REQUIRE(padded.extent(2) == 2);
  CHECK(std::vector<float>(padded.data(), padded.data() + 12) ==
        std::vector<float>{0, 1, 9, 9, 9, 9, 9, 9, 2, 3, 4, 5});
  const auto back = JaggedVectors::from_dense_lengths(Exec(), padded, jagged.lengths(Exec()));
  CHECK(printed(back) == "JaggedTensor({\n    [[[0.0, 1.0]], [], [[2.0, 3.0], [4.0, 5.0]]]\n})");
  CHECK(printed(JaggedVectors::from_dense(Exec(), jagged.to_dense())) == printed(jagged));
  CHECK(jagged.to_dense()[2].data() == &vectors(1, 0));
}

TEST_CASE("JaggedTensor: has no rows and no values if empty") {
  for (const JaggedTensor& none : {JaggedTensor(), jagged::from_list(Exec(), {})}) {
    CHECK(none.size() == 0);
    CHECK(none.total() == 0);
    CHECK(none.max_length() == 0);
    CHECK(none.to_dense().empty());
    CHECK(none.to_dense_weights().empty());
    CHECK(none.to_padded_dense(Exec(), 3).extent(0) == 0);
    CHECK(printed(none) == "JaggedTensor()");
  }
  const auto empty = jagged::from_list(Exec(), {{}, {}});
  CHECK(list(empty.to_padded_dense(Exec(), 1, 4)) == std::vector<Index>{4, 4});
  CHECK(empty.to_padded_dense_weights(Exec()).size() == 0);
}

TEST_CASE("JaggedTensor: throws if lengths or offsets disagree with values or weights") {
  const Vector<Index> values = to_vector<Index>(Exec(), {7, 8, 9});
  const auto lengths = [&](std::vector<Index> numbers) {
    return error_of([&] { JaggedTensor::from_lengths(Exec(), values, to_vector(Exec(), numbers)); });
  };
  CHECK(lengths({2, 1}).empty());
  CHECK(has(lengths({1, 1}), "lengths sum to 2, but there are 3 values"));
  CHECK(has(lengths({2, 2}), "sum to more than the 3 values, from row 1 on"));
  CHECK(has(lengths({4, -1}), "sum to more than the 3 values, from row 0 on"));
  CHECK(has(lengths({1, -1, 3}), "row 1: length -1"));
  CHECK(has(lengths({1, Index{1} << 62, Index{1} << 62}), "from row 1 on"));
  const auto offsets = [&](std::vector<Index> numbers) {
    return error_of([&] { JaggedTensor::from_offsets(values, to_vector(Exec(), numbers)); });
  };
  CHECK(offsets({0, 3}).empty());
  CHECK(has(offsets({}), "no offsets"));
  CHECK(has(offsets({1, 3}), "the offsets start at 1"));
  CHECK(has(offsets({0, 2, 1, 3}), "row 1: its offsets descend from 2 to 1"));
  CHECK(has(offsets({0, 2}), "the offsets end at 2, but there are 3 values"));
  CHECK(has(offsets({0, 4}), "the offsets end at 4, but there are 3 values"));
  const auto jagged = JaggedTensor::from_lengths(Exec(), values, to_vector<Index>(Exec(), {3}));
  CHECK(has(error_of([&] {
              JaggedTensor::from_lengths(Exec(), values, jagged.lengths(Exec()), to_vector<float>(Exec(), {1}));
            }),
            "1 weights for 3 values"));
  CHECK(has(error_of([&] { jagged.to_padded_dense(Exec(), -1); }), "the padded width -1 is negative"));
  CHECK(has(error_of([&] { jagged.to_padded_dense_weights(Exec()); }), "no weights"));
  CHECK(has(error_of([&] { jagged.to_dense_weights(); }), "no weights"));
  CHECK(has(error_of([&] { jagged::from_list(Exec(), {{1, 2}}, {{1}}); }), "row 0 has 2 values and 1 weights"));
  CHECK(has(error_of([&] { jagged::from_list(Exec(), {{1}, {2}}, {{1}}); }), "weights of 1 rows for 2 rows"));
  const auto padded = jagged.to_padded_dense(Exec());
  CHECK(has(error_of([&] { JaggedTensor::from_dense_lengths(Exec(), padded, to_vector<Index>(Exec(), {4})); }),
            "row 0: length 4 is out of range; use 0 to 3"));
}
