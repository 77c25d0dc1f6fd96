// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"
#include <tesserec/jagged/keyed_tensor.hpp>

using namespace tesserec;
using jagged::KeyedTensor;

namespace {

Matrix<float> matrix(Index rows, Index columns, float start) {
  const Matrix<float> view = make_matrix<float>(Exec(), "tesserec::test::matrix", rows, columns);
  for (Index i = 0; i < rows * columns; ++i) view.data()[i] = start + static_cast<float>(i);
  return view;
}

}  // namespace

TEST_CASE("KeyedTensor: columns of a key are views") {
  const Matrix<float> values = matrix(2, 3, 0);
  const KeyedTensor tensor = KeyedTensor::from_values({"a", "none", "b"}, {1, 0, 2}, values);
  CHECK(tensor.features() == 3);
  CHECK(tensor.samples() == 2);
  CHECK(tensor.offset_per_key() == std::vector<Index>{0, 1, 1, 3});
  const jagged::Columns b = tensor["b"];
  REQUIRE(b.extent(0) == 2);
  REQUIRE(b.extent(1) == 2);
  CHECK(&b(1, 0) == &values(1, 1));
  b(1, 1) = 50;
  CHECK(values(1, 2) == 50);
  CHECK(tensor["none"].extent(1) == 0);
  const auto map = tensor.to_map();
  REQUIRE(map.size() == 3);
  CHECK(map.at("a").data() == values.data());
  CHECK(printed(tensor) ==
        "KeyedTensor({\n    \"a\": [[0.0], [3.0]],\n    \"none\": [[], []],\n    \"b\": [[1.0, 2.0], [4.0, "
        "50.0]]\n})");
}

TEST_CASE("KeyedTensor: from_list joins matrices by columns and regroup gathers columns by key") {
  const KeyedTensor first = KeyedTensor::from_list(Exec(), {"a", "b"}, {matrix(2, 1, 0), matrix(2, 2, 10)});
  CHECK(list(first.values) == std::vector<float>{0, 10, 11, 1, 12, 13});
  CHECK(first.length_per_key == std::vector<Index>{1, 2});
  const KeyedTensor second = KeyedTensor::from_list(Exec(), {"c"}, {matrix(2, 1, 20)});
  const auto groups = KeyedTensor::regroup(Exec(), {first, second}, {{"c", "a"}, {"b"}, {}, {"a", "c"}});
  REQUIRE(groups.size() == 4);
  CHECK(list(groups[0]) == std::vector<float>{20, 0, 21, 1});
  CHECK(list(groups[1]) == std::vector<float>{10, 11, 12, 13});
  CHECK(groups[2].extent(0) == 2);
  CHECK(groups[2].extent(1) == 0);
  CHECK(list(groups[3]) == std::vector<float>{0, 20, 1, 21});
  CHECK(list(KeyedTensor::regroup(Exec(), {first}, {{"a", "b"}})[0]) == list(first.values));
}

TEST_CASE("KeyedTensor: has no keys or no samples if empty") {
  const KeyedTensor none;
  CHECK(none.features() == 0);
  CHECK(none.samples() == 0);
  CHECK(none.offset_per_key() == std::vector<Index>{0});
  CHECK(none.to_map().empty());
  CHECK(printed(none) == "KeyedTensor()");
  CHECK(KeyedTensor::from_list(Exec(), {}, {}).values.size() == 0);
  CHECK(KeyedTensor::regroup(Exec(), {}, {}).empty());
  const KeyedTensor no_samples = KeyedTensor::from_values({"a"}, {3}, matrix(0, 3, 0));
  CHECK(no_samples["a"].extent(0) == 0);
  CHECK(KeyedTensor::regroup(Exec(), {no_samples}, {{"a", "a"}})[0].extent(1) == 6);
  CHECK(printed(no_samples) == "KeyedTensor({\n    \"a\": []\n})");
}

TEST_CASE("KeyedTensor: throws if keys or lengths disagree with values or rows or samples") {
  const KeyedTensor tensor = KeyedTensor::from_values({"a", "b"}, {1, 2}, matrix(2, 3, 0));
  const KeyedTensor other = KeyedTensor::from_values({"b"}, {3}, matrix(2, 3, 0));
  const KeyedTensor longer = KeyedTensor::from_values({"c"}, {3}, matrix(3, 3, 0));
  CHECK(has(error_of([&] { tensor["x"]; }), "the keyed tensor has no key \"x\"; its keys: \"a\", \"b\""));
  CHECK(has(error_of([&] {
              KeyedTensor::from_values({"a", "b"}, {1, 1}, tensor.values);
            }),
            "sum to 2, but the values have 3"));
  CHECK(has(error_of([&] { KeyedTensor::from_values({"a", "b"}, {4, -1}, tensor.values); }), "key \"b\": length -1"));
  CHECK(has(error_of([&] { KeyedTensor::from_values({"a"}, {1, 2}, tensor.values); }), "lengths of 2 keys for 1 keys"));
  CHECK(has(error_of([&] { KeyedTensor::from_list(Exec(), {"a", "b"}, {tensor.values}); }), "1 matrices for 2 keys"));
  CHECK(has(error_of([&] {
              KeyedTensor::from_list(Exec(), {"a", "b"}, {tensor.values, longer.values});
            }),
            "key \"b\" has 3 rows, but key \"a\" has 2"));
  const auto regroup = [&](const std::vector<KeyedTensor>& tensors, const std::vector<std::string>& group) {
    return error_of([&] { KeyedTensor::regroup(Exec(), tensors, {group}); });
  };
  CHECK(has(regroup({tensor}, {"a", "x"}), "the keyed tensors have no key \"x\"; their keys: \"a\", \"b\""));
  CHECK(regroup({tensor, other}, {"a"}).empty());
  CHECK(has(regroup({tensor, other}, {"b"}), "key \"b\" is in two"));
  CHECK(has(regroup({tensor, longer}, {"a"}), "keys \"c\" has 3 samples"));
}
