// SPDX-License-Identifier: Apache-2.0
// Jagged and keyed tensors against TorchRec's, bit by bit. Gradients, which are sums, agree within 1e-6.
#include <sstream>

#include "catch.hpp"
#include "golden.hpp"
#include "plan.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/jagged.hpp>
#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

using namespace tesserec;
using jagged::JaggedTensor;
using jagged::KeyedJaggedTensor;
using jagged::KeyedTensor;

namespace {

std::vector<std::string> words(const std::string& text, char between = ' ') {
  std::vector<std::string> found;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, between);) {
    word.erase(0, word.find_first_not_of(' '));
    found.push_back(word);
  }
  return found;
}

template <class T>
std::vector<T> list(const Vector<T>& view) {
  return {view.data(), view.data() + view.extent(0)};
}

template <class T>
std::vector<T> list(const Matrix<T>& view) {
  return {view.data(), view.data() + view.size()};
}

struct Reference {
  store::File file = golden::open("jagged.h5");

  Vector<Index> ids(const std::string& name) const {
    return jagged::to_vector(Exec(), file.read_all<std::int64_t>(name));
  }
  Vector<float> floats(const std::string& name) const { return jagged::to_vector(Exec(), file.read_all<float>(name)); }
  Vector<float> weights(const std::string& group) const {
    return file.exists(group + "/weights") ? floats(group + "/weights") : Vector<float>();
  }
  Matrix<float> matrix(const std::string& name) const {
    const auto numbers = file.read_all<float>(name);
    const Matrix<float> view =
        make_matrix<float>(Exec(), "tesserec::test::matrix", file.shape(name)[0], file.shape(name)[1]);
    std::copy(numbers.begin(), numbers.end(), view.data());
    return view;
  }
  std::vector<std::string> keys(const std::string& object) const {
    return words(file.attribute<std::string>(object, "keys"));
  }
  std::vector<Index> numbers(const std::string& object, const std::string& attribute) const {
    return file.attribute<std::vector<std::int64_t>>(object, attribute);
  }

  void same(const Matrix<Index>& got, const std::string& name) const {
    INFO(name);
    CHECK(std::vector<Index>{Index(got.extent(0)), Index(got.extent(1))} == file.shape(name));
    CHECK(list(got) == file.read_all<std::int64_t>(name));
  }
  void same(const Matrix<float>& got, const std::string& name) const {
    INFO(name);
    CHECK(std::vector<Index>{Index(got.extent(0)), Index(got.extent(1))} == file.shape(name));
    CHECK(list(got) == file.read_all<float>(name));
  }

  void same(const KeyedJaggedTensor& got, const std::string& group) const {
    INFO(group);
    const auto want = [&](const std::string& name) { return file.read_all<std::int64_t>(group + "/" + name); };
    const std::string names = file.attribute<std::string>(group, "keys");
    CHECK(got.keys == (names == "none" ? std::vector<std::string>() : words(names)));
    CHECK(got.stride == file.attribute<std::int64_t>(group, "stride"));
    if (!got.keys.empty()) CHECK(got.stride_per_key() == numbers(group, "stride_per_key"));
    CHECK(got.variable_stride() == (file.attribute<std::int64_t>(group, "variable_stride_per_key") == 1));
    CHECK(list(got.values) == want("values"));
    CHECK(list(got.lengths(Exec())) == want("lengths"));
    CHECK(list(got.offsets) == want("offsets"));
    CHECK(got.length_per_key() == want("length_per_key"));
    CHECK(got.offset_per_key() == want("offset_per_key"));
    CHECK(got.lengths_offset_per_key() == want("lengths_offset_per_key"));
    CHECK(list(got.weights) ==
          (file.exists(group + "/weights") ? file.read_all<float>(group + "/weights") : std::vector<float>()));
  }

  /// Returns the bags of one key as lists, cut from numbers that are stored bag by bag.
  template <class T>
  static std::vector<std::vector<T>> bags(const std::vector<T>& numbers, const std::vector<std::int64_t>& lengths) {
    std::vector<std::vector<T>> found;
    std::size_t at = 0;
    for (const std::int64_t length : lengths) {
      REQUIRE(at + static_cast<std::size_t>(length) <= numbers.size());
      const auto first = numbers.begin() + static_cast<std::ptrdiff_t>(at);
      found.emplace_back(first, first + length);
      at += static_cast<std::size_t>(length);
    }
    return found;
  }

  /// Checks split() at the keys that the group's outputs have.
  void same_split(const KeyedJaggedTensor& source, const std::string& group) const {
    std::vector<Index> segments;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < file.names(group).size(); ++i) {
      parts.push_back(group + "/part_" + std::to_string(i));
      const std::string names = file.attribute<std::string>(parts.back(), "keys");
      segments.push_back(names == "none" ? 0 : static_cast<Index>(words(names).size()));
    }
    if (file.has_attribute(group, "segments")) CHECK(segments == numbers(group, "segments"));
    const auto got = source.split(Exec(), segments);
    REQUIRE(got.size() > 1);
    for (std::size_t i = 0; i < got.size(); ++i) same(got[i], parts[i]);
  }

  KeyedJaggedTensor read(const std::string& group) const {
    const bool variable = file.attribute<std::int64_t>(group, "variable_stride_per_key") == 1;
    return KeyedJaggedTensor::from_lengths(Exec(), keys(group), ids(group + "/values"), ids(group + "/lengths"),
                                           weights(group),
                                           variable ? numbers(group, "stride_per_key") : std::vector<Index>());
  }
};

/// Returns the lists of "[5,6,7], [], [8]; more words".
std::vector<std::vector<Index>> lists(const std::string& text) {
  std::vector<std::vector<Index>> found;
  for (std::size_t at = text.find('['); at < text.find(';'); at = text.find('[', at + 1)) {
    found.emplace_back();
    for (const std::string& number : words(text.substr(at + 1, text.find(']', at) - at - 1), ','))
      found.back().push_back(std::stoll(number));
  }
  return found;
}

/// Checks the padded forms of one key and returns their number. The name has the width, an attribute the padding.
int check_padded(const Reference& reference, const JaggedTensor& bags, const std::string& group) {
  int seen = 0;
  for (const std::string& name : reference.file.names(group)) {
    if (name.rfind("padded_", 0) != 0) continue;
    const bool of_weights = name.size() > 8 && name.substr(name.size() - 8) == "_weights";
    const std::string form = of_weights ? name.substr(0, name.size() - 8) : name;
    std::optional<Index> width;
    if (form != "padded_longest") width = std::stoll(form.substr(7));
    const double padding = reference.file.attribute<double>(group + "/" + form, "padding");
    if (of_weights)
      reference.same(bags.to_padded_dense_weights(Exec(), width, static_cast<float>(padding)), group + "/" + name);
    else
      reference.same(bags.to_padded_dense(Exec(), width, static_cast<Index>(padding)), group + "/" + name);
    ++seen;
  }
  return seen;
}

}  // namespace

TEST_CASE("KeyedJaggedTensor: golden permute and split and concat and padding with and without weights") {
  const Reference reference;
  for (const std::string set : {"plain", "weighted"}) {
    const KeyedJaggedTensor source = reference.read(set + "/source");
    reference.same(source, set + "/source");
    reference.same(KeyedJaggedTensor::from_offsets(source.keys, source.values, source.offsets, source.weights),
                   set + "/from_offsets");

    for (const std::string& key : source.keys) {
      const std::string group = set + "/key/" + key;
      const JaggedTensor bags = source.jagged(Exec(), key);
      CHECK(list(bags.values) == reference.file.read_all<std::int64_t>(group + "/values"));
      CHECK(list(bags.lengths(Exec())) == reference.file.read_all<std::int64_t>(group + "/lengths"));
      CHECK(list(bags.offsets) == reference.file.read_all<std::int64_t>(group + "/offsets"));
      CHECK(check_padded(reference, bags, group) >= (set == "weighted" ? 2 : 1));
    }

    const std::vector<Index> order = reference.numbers(set + "/permute", "order");
    reference.same(source.permute(Exec(), order), set + "/permute");
    const std::string some = set + "/permute_subset_with_repeat";
    reference.same(source.permute(Exec(), reference.numbers(some, "order")), some);
    reference.same(KeyedJaggedTensor::concat(Exec(), {source.permute(Exec(), {order.begin(), order.begin() + 2}),
                                                      source.permute(Exec(), {order.begin() + 2, order.end()})}),
                   set + "/concat");

    reference.same_split(source, set + "/split");
  }
}

TEST_CASE("KeyedJaggedTensor: golden tensors with a stride for each key") {
  const Reference reference;
  const KeyedJaggedTensor source = reference.read("variable_stride/source");
  reference.same(source, "variable_stride/source");
  reference.same(source.permute(Exec(), reference.numbers("variable_stride/permute", "order")),
                 "variable_stride/permute");
  reference.same_split(source, "variable_stride/split");
}

TEST_CASE("JaggedTensor: golden from_list and from_dense_lengths and from_jagged") {
  const Reference reference;
  const auto& file = reference.file;
  const auto rows = lists(file.attribute<std::string>("from_dense", "rows"));
  std::vector<std::int64_t> lengths;
  for (const auto& row : rows) lengths.push_back(static_cast<std::int64_t>(row.size()));
  const JaggedTensor dense =
      jagged::from_list(Exec(), rows, Reference::bags(file.read_all<float>("from_dense/weights"), lengths));
  CHECK(list(dense.values) == file.read_all<std::int64_t>("from_dense/values"));
  CHECK(list(dense.lengths(Exec())) == file.read_all<std::int64_t>("from_dense/lengths"));
  CHECK(list(dense.offsets) == file.read_all<std::int64_t>("from_dense/offsets"));
  CHECK(list(dense.weights) == file.read_all<float>("from_dense/weights"));
  reference.same(dense.to_padded_dense(Exec()), "from_dense/padded");
  const auto back = JaggedTensor::from_dense_lengths(Exec(), dense.to_padded_dense(Exec()), dense.lengths(Exec()));
  CHECK(list(back.values) == list(dense.values));

  const KeyedJaggedTensor keyed = reference.read("from_jt_dict");
  std::vector<JaggedTensor> apart;
  for (const std::string& key : keyed.keys) apart.push_back(keyed.jagged(Exec(), key));
  reference.same(KeyedJaggedTensor::from_jagged(Exec(), keyed.keys, apart), "from_jt_dict");
}

TEST_CASE("KeyedJaggedTensor: golden empty bags and no keys") {
  const Reference reference;
  const KeyedJaggedTensor empty = reference.read("all_bags_empty");
  reference.same(empty, "all_bags_empty");
  const std::string key = empty.keys.at(0);
  const Matrix<Index> longest = empty.jagged(Exec(), key).to_padded_dense(Exec());
  CHECK(std::vector<Index>{Index(longest.extent(0)), Index(longest.extent(1))} ==
        reference.numbers("all_bags_empty", "padded_longest_shape"));
  const auto padding = reference.file.read_all<std::int64_t>("all_bags_empty/padded_3").at(0);
  reference.same(empty.jagged(Exec(), key).to_padded_dense(Exec(), 3, padding), "all_bags_empty/padded_3");

  const KeyedJaggedTensor none;
  CHECK(none.features() == reference.file.attribute<std::int64_t>("no_keys", "keys"));
  CHECK(none.stride == reference.file.attribute<std::int64_t>("no_keys", "stride"));
  CHECK(Index(none.values.extent(0)) == reference.file.attribute<std::int64_t>("no_keys", "values"));
}

TEST_CASE("KeyedTensor: golden regroup") {
  const Reference reference;
  std::vector<KeyedTensor> tensors;
  int regroupings = 0;
  for (const std::string name : {"regroup/first", "regroup/second"}) {
    tensors.push_back(KeyedTensor::from_values(reference.keys(name), reference.numbers(name, "length_per_key"),
                                               reference.matrix(name)));
    CHECK(tensors.back().offset_per_key() == reference.numbers(name, "offset_per_key"));
  }
  for (const std::string& name : reference.file.names("regroup")) {
    const std::string group = "regroup/" + name;
    if (!reference.file.has_attribute(group, "groups")) continue;
    std::vector<std::vector<std::string>> groups;
    for (const std::string& keys : words(reference.file.attribute<std::string>(group, "groups"), ';'))
      groups.push_back(words(keys));
    const auto grouped = KeyedTensor::regroup(Exec(), tensors, groups);
    REQUIRE(grouped.size() == reference.file.names(group).size());
    for (std::size_t i = 0; i < grouped.size(); ++i) reference.same(grouped[i], group + "/group_" + std::to_string(i));
    ++regroupings;
  }
  REQUIRE(regroupings > 0);
}

TEST_CASE("ShardedEmbeddingBagCollection: golden un-pooled vectors and the tables' gradients") {
  const Reference reference;
  const auto kjt = KeyedJaggedTensor::from_lengths(Exec(), reference.keys("unpooled"), reference.ids("unpooled/ids"),
                                                   reference.ids("unpooled/lengths"));
  std::vector<embedding::EmbeddingBagConfig> tables;
  const auto of = [&](const char* group, std::size_t t) {
    return concat("unpooled/", group, "/embeddings.", tables[t].name, ".weight");
  };
  for (const std::string& text :
       words(reference.file.attribute<std::string>("unpooled", "tables"), ';')) {  // "t0: x z"
    embedding::EmbeddingBagConfig& table = tables.emplace_back();
    table.name = text.substr(0, text.find(':'));
    table.feature_names = table.unpooled = words(text.substr(text.find(':') + 2));
    const auto shape = reference.file.shape(of("weights", tables.size() - 1));
    table.num_embeddings = shape[0], table.embedding_dim = shape[1];
  }
  const comm::Communicator comm(MPI_COMM_SELF);
  sharding::ShardedEmbeddingBagCollection collection(Exec(), comm, tables,
                                                     golden::whole_tables(tables, embedding::ComputeKernel::fused),
                                                     kjt.keys, Lanes(2), {{.lr = 1}, {}, Kernels::simd});
  for (const auto& shard : collection.shards())
    Kokkos::deep_copy(shard.rows->weights().host(), reference.matrix(of("weights", shard.table)));
  auto batch = collection.start({}, kjt, kjt.stride);
  const auto vectors = collection.forward(Exec(), batch).unpooled;
  const auto slopes = collection.gradient(Exec(), batch).unpooled;
  std::size_t q = 0;
  for (const auto& table : tables)
    for (const std::string& key : table.unpooled) {
      reference.same(vectors[q].values, "unpooled/output/" + key);
      CHECK(list(vectors[q].offsets) == list(kjt.jagged(Exec(), key).offsets));
      Kokkos::deep_copy(slopes[q++].values, reference.matrix("unpooled/upstream/" + key));
    }
  for (const auto& shard : collection.shards()) shard.rows->weights().fill(Exec(), "tesserec::test::fill", 0.0f);
  collection.backward(Exec(), std::move(batch), {}, 1);
  for (const auto& shard : collection.shards()) {
    std::vector<float> gradient = shard.rows->weights().to_host(Exec());
    for (float& g : gradient) g = -g;  // it moved from 0 by 1 * gradient
    CHECK(golden::gap(gradient, reference.file.read_all<float>(of("grad", shard.table))) <= 1e-6);
  }
}
