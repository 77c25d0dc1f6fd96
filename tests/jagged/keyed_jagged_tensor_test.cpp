// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

using namespace tesserec;
using jagged::JaggedTensor;
using jagged::KeyedJaggedTensor;
using jagged::to_vector;

namespace {

/// Returns a batch of two keys and three samples.
KeyedJaggedTensor tutorial() {
  return KeyedJaggedTensor::from_dense(Exec(), {"product", "user"}, {{{101, 202}, {}, {303}}, {{404}, {505}, {606}}});
}

/// Returns a batch of three keys and two samples, with weights; the last key's bags are empty.
KeyedJaggedTensor weighted() {
  return KeyedJaggedTensor::from_dense(Exec(), {"a", "b", "c"}, {{{1}, {2, 3}}, {{}, {4}}, {{}, {}}},
                                       {{{0.5f}, {2, 3}}, {{}, {0.1f}}, {{}, {}}});
}

}  // namespace

TEST_CASE("KeyedJaggedTensor: finds the bag of a key and a sample") {
  jagged::KeyedJaggedTensor kjt;
  kjt.keys = {"product", "user"};
  kjt.stride = 3;
  kjt.values = to_vector<Index>(Exec(), {101, 202, 303, 404, 505, 606});
  kjt.offsets = to_vector<Index>(Exec(), {0, 2, 2, 3, 4, 5, 6});
  REQUIRE(kjt.features() == 2);
  REQUIRE(kjt.total() == 6);
  REQUIRE_FALSE(kjt.weighted());
  REQUIRE(kjt.length(0, 0) == 2);
  REQUIRE(kjt.length(0, 1) == 0);
  REQUIRE(kjt.values(kjt.begin(0, 2)) == 303);
  REQUIRE(kjt.values(kjt.begin(1, 1)) == 505);
  REQUIRE(printed(kjt) == printed(tutorial()));
  REQUIRE(list(kjt.offsets) == list(tutorial().offsets));
  REQUIRE(jagged::KeyedJaggedTensor{}.total() == 0);
}

TEST_CASE("KeyedJaggedTensor: prints its bags key by key") {
  CHECK(printed(tutorial()) ==
        "KeyedJaggedTensor({\n    \"product\": [[101, 202], [], [303]],\n    \"user\": [[404], [505], "
        "[606]]\n})");
  CHECK(printed(weighted().permute(Exec(), {1, 2})) ==
        "KeyedJaggedTensor({\n"
        "    \"b\": {\n        \"values\": [[], [4]],\n        \"weights\": [[], [0.1]]\n    },\n"
        "    \"c\": {\n        \"values\": [[], []],\n        \"weights\": [[], []]\n    }\n})");
  CHECK(printed(KeyedJaggedTensor()) == "KeyedJaggedTensor()");
}

TEST_CASE("KeyedJaggedTensor: jagged and split return views of the values") {
  const KeyedJaggedTensor kjt = weighted();
  const JaggedTensor b = kjt.jagged(Exec(), "b");
  CHECK(list(b.values) == std::vector<Index>{4});
  CHECK(list(b.offsets) == std::vector<Index>{0, 0, 1});
  CHECK(b.values.data() == kjt.values.data() + 3);
  CHECK(b.weights.data() == kjt.weights.data() + 3);
  b.values(0) = 40;
  CHECK(kjt.values(3) == 40);
  CHECK(kjt.to_map(Exec()).at("b").values.data() == b.values.data());
  CHECK(list(kjt.jagged(Exec(), "a").to_padded_dense(Exec(), {}, -1)) == std::vector<Index>{1, -1, 2, 3});

  const auto segments = kjt.split(Exec(), {1, 0, 2});
  REQUIRE(segments.size() == 3);
  CHECK(segments[0].keys == std::vector<std::string>{"a"});
  CHECK(segments[1].keys.empty());
  CHECK(segments[1].stride == 2);
  CHECK(segments[2].stride == 2);
  CHECK(segments[0].values.data() == kjt.values.data());
  CHECK(segments[2].values.data() == kjt.values.data() + 3);
  CHECK(segments[2].weights.data() == kjt.weights.data() + 3);
  segments[2].values(0) = 4;
  CHECK(kjt.values(3) == 4);
}

TEST_CASE("KeyedJaggedTensor: ignores values beyond those that the offsets use") {
  KeyedJaggedTensor kjt = tutorial();
  kjt.values = to_vector<Index>(Exec(), {101, 202, 303, 404, 505, 606, -1, -1});
  kjt.offsets = to_vector<Index>(Exec(), {0, 2, 2, 3, 4, 5, 6, -1});
  CHECK(printed(kjt) == printed(tutorial()));
  CHECK(list(kjt.split(Exec(), {2})[0].values) == list(tutorial().values));
  CHECK(list(kjt.permute(Exec(), {0, 1}).offsets) == list(tutorial().offsets));
  CHECK(list(kjt.lengths(Exec())) == std::vector<Index>{2, 0, 1, 1, 1, 1});
}

TEST_CASE("KeyedJaggedTensor: permute and concat of split and from_jagged rebuild the same tensor") {
  const KeyedJaggedTensor kjt = weighted();
  const auto same = [&](const KeyedJaggedTensor& got) {
    CHECK(got.keys == kjt.keys);
    CHECK(got.stride == kjt.stride);
    CHECK(list(got.values) == list(kjt.values));
    CHECK(list(got.weights) == list(kjt.weights));
    CHECK(list(got.offsets) == list(kjt.offsets));
    CHECK(got.values.data() != kjt.values.data());
  };
  const std::vector<std::vector<Index>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    std::vector<Index> inverse(3);
    for (Index i = 0; i < 3; ++i) inverse[order[i]] = i;
    const KeyedJaggedTensor permuted = kjt.permute(Exec(), order);
    for (Index i = 0; i < 3; ++i) CHECK(printed(permuted.jagged(Exec(), i)) == printed(kjt.jagged(Exec(), order[i])));
    same(permuted.permute(Exec(), inverse));
  }
  for (const std::vector<Index>& segments : {std::vector<Index>{3}, {0, 2, 0, 1}, {1, 1, 1}, {3, 0}})
    same(KeyedJaggedTensor::concat(Exec(), kjt.split(Exec(), segments)));
  same(KeyedJaggedTensor::from_jagged(Exec(), kjt.keys,
                                      {kjt.jagged(Exec(), "a"), kjt.jagged(Exec(), "b"), kjt.jagged(Exec(), "c")}));
  same(KeyedJaggedTensor::from_lengths(Exec(), kjt.keys, to_vector(Exec(), list(kjt.values)), kjt.lengths(Exec()),
                                       kjt.weights));
  same(KeyedJaggedTensor::from_offsets(kjt.keys, to_vector(Exec(), list(kjt.values)), kjt.offsets, kjt.weights));
}

TEST_CASE("KeyedJaggedTensor: a key may have a stride of its own") {
  const auto kjt = KeyedJaggedTensor::from_lengths(Exec(), {"u", "v", "w"}, to_vector<Index>(Exec(), {1, 2, 3, 4}),
                                                   to_vector<Index>(Exec(), {1, 0, 2, 1}), {}, {2, 0, 2});
  CHECK(kjt.variable_stride());
  CHECK(kjt.stride == 2);
  CHECK(kjt.stride_per_key() == std::vector<Index>{2, 0, 2});
  CHECK(kjt.length_per_key() == std::vector<Index>{1, 0, 3});
  CHECK(kjt.begin(2, 1) == 3);
  CHECK(kjt.length(2, 0) == 2);
  CHECK(printed(kjt) == "KeyedJaggedTensor({\n    \"u\": [[1], []],\n    \"v\": [],\n    \"w\": [[2, 3], [4]]\n})");
  CHECK(printed(kjt.permute(Exec(), {2, 1, 0}).permute(Exec(), {2, 1, 0})) == printed(kjt));
  const auto joined = KeyedJaggedTensor::concat(Exec(), kjt.split(Exec(), {1, 2}));
  CHECK(printed(joined) == printed(kjt));
  CHECK(joined.first_bags == kjt.first_bags);
  CHECK(has(error_of([&] {
              KeyedJaggedTensor::concat(Exec(), {kjt, weighted()});
            }),
            "one tensor has a stride for each key"));
}

TEST_CASE("KeyedJaggedTensor: works without keys or samples or ids") {
  const std::vector<KeyedJaggedTensor> without_keys = {
      KeyedJaggedTensor(), KeyedJaggedTensor::from_dense(Exec(), {}, {}), KeyedJaggedTensor::concat(Exec(), {}),
      KeyedJaggedTensor::from_lengths(Exec(), {}, Vector<Index>(), Vector<Index>()),
      KeyedJaggedTensor::from_offsets({}, Vector<Index>(), to_vector<Index>(Exec(), {0}))};
  for (const KeyedJaggedTensor& kjt : without_keys) {
    CHECK(kjt.features() == 0);
    CHECK(kjt.stride == 0);
    CHECK(kjt.total() == 0);
    CHECK(kjt.lengths(Exec()).extent(0) == 0);
    CHECK(kjt.length_per_key().empty());
    CHECK(kjt.offset_per_key() == std::vector<Index>{0});
    CHECK(kjt.to_map(Exec()).empty());
    CHECK(kjt.permute(Exec(), {}).features() == 0);
    CHECK(kjt.split(Exec(), {}).empty());
    CHECK(kjt.split(Exec(), {0, 0}).size() == 2);
    CHECK(printed(kjt) == "KeyedJaggedTensor()");
    CHECK(printed(KeyedJaggedTensor::concat(Exec(), {kjt, tutorial(), kjt})) == printed(tutorial()));
  }
  const auto no_samples = KeyedJaggedTensor::from_dense(Exec(), {"a", "b"}, {{}, {}});
  CHECK(no_samples.stride == 0);
  CHECK(list(no_samples.offsets) == std::vector<Index>{0});
  CHECK(no_samples.length_per_key() == std::vector<Index>{0, 0});
  CHECK(no_samples.jagged(Exec(), "b").size() == 0);
  CHECK(no_samples.jagged(Exec(), "a").to_padded_dense(Exec(), 2).extent(0) == 0);
  CHECK(no_samples.permute(Exec(), {1, 0}).keys == std::vector<std::string>{"b", "a"});
  CHECK(printed(no_samples.split(Exec(), {1, 1})[1]) == "KeyedJaggedTensor({\n    \"b\": []\n})");
  const auto no_ids = KeyedJaggedTensor::from_dense(Exec(), {"a", "b"}, {{{}, {}}, {{}, {}}});
  CHECK(no_ids.stride == 2);
  CHECK(no_ids.permute(Exec(), {1}).bags() == 2);
  CHECK(list(no_ids.jagged(Exec(), "a").offsets) == std::vector<Index>{0, 0, 0});
  // A batch without ids may have weights or not; both look the same.
  CHECK(KeyedJaggedTensor::concat(Exec(), {no_ids, weighted()}).weighted());
  CHECK(KeyedJaggedTensor::concat(Exec(), weighted().split(Exec(), {2, 1})).weighted());
}

TEST_CASE("KeyedJaggedTensor: throws if keys or strides disagree with lengths or offsets or weights") {
  const Vector<Index> values = to_vector<Index>(Exec(), {7, 8, 9});
  const auto lengths = [&](std::vector<Index> numbers, std::vector<Index> strides = {}) {
    return error_of([&] {
      KeyedJaggedTensor::from_lengths(Exec(), {"a", "b"}, values, to_vector(Exec(), numbers), {}, strides);
    });
  };
  CHECK(lengths({2, 0, 1, 0}).empty());
  CHECK(has(lengths({2, 0, 2, 0}), "more than the 3 values, from key \"b\", sample 0 on"));
  CHECK(has(lengths({2, 0, 0, 0}), "the lengths sum to 2, but there are 3 values"));
  CHECK(has(lengths({2, 0, 1, -1}), "key \"b\", sample 1: length -1"));
  CHECK(has(lengths({2, 0, 1}), "3 bags cannot be divided evenly among 2 keys (\"a\", \"b\")"));
  CHECK(lengths({2, 0, 1}, {1, 2}).empty());
  CHECK(has(lengths({2, 0, -1}, {1, 2}), "key \"b\", sample 1: length -1"));
  CHECK(has(lengths({2, 0, 1}, {1, 1}), "the strides sum to 2 bags, but there are 3"));
  CHECK(has(lengths({2, 0, 1}, {4, -1}), "key \"b\": stride -1"));
  CHECK(has(lengths({2, 0, 1}, {3}), "1 strides for 2 keys"));
  const auto offsets = [&](std::vector<Index> numbers) {
    return error_of([&] { KeyedJaggedTensor::from_offsets({"a", "b"}, values, to_vector(Exec(), numbers)); });
  };
  CHECK(offsets({0, 2, 3}).empty());
  CHECK(has(offsets({}), "no offsets"));
  CHECK(has(offsets({1, 2, 3}), "the offsets start at 1"));
  CHECK(has(offsets({0, 4, 3}), "key \"b\", sample 0: its offsets descend from 4 to 3"));
  CHECK(has(offsets({0, 2, 4}), "the offsets end at 4, but there are 3 values"));

  const KeyedJaggedTensor kjt = tutorial();
  CHECK(has(error_of([&] { kjt.jagged(Exec(), "price"); }),
            "the keyed jagged tensor has no key \"price\"; its keys: \"product\", \"user\""));
  CHECK(has(error_of([&] { KeyedJaggedTensor().jagged(Exec(), "price"); }), "its keys: none"));
  CHECK(has(error_of([&] { kjt.permute(Exec(), {0, 2}); }), "no key at position 2"));
  CHECK(has(error_of([&] { kjt.split(Exec(), {1}); }), "the segments have 1 keys together"));
  CHECK(has(error_of([&] { kjt.split(Exec(), {3, -1}); }), "a segment of -1 keys"));
  CHECK(has(error_of([&] { KeyedJaggedTensor::concat(Exec(), {kjt, weighted()}); }), "strides 3 and 2"));
  CHECK(has(error_of([&] {
              KeyedJaggedTensor::from_dense(Exec(), {"a", "b"}, {{{1}}, {{1}, {2}}});
            }),
            "key \"b\" has 2 rows, but key \"a\" has 1"));
  CHECK(has(error_of([&] { KeyedJaggedTensor::from_dense(Exec(), {"a"}, {}); }), "bags of 0 keys for 1 keys"));
  CHECK(has(error_of([&] {
              KeyedJaggedTensor::from_jagged(Exec(), {"a", "b"},
                                             {weighted().jagged(Exec(), "a"), jagged::from_list(Exec(), {{1}, {}})});
            }),
            "only one of the tensors has weights"));
}
