// SPDX-License-Identifier: Apache-2.0
// smaller_tables(): tables that are cut in two, and tables of mixed dimensions.
#include "catch.hpp"
#include "errors.hpp"
#include "src/sharding/owner_buckets.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/model.hpp>
#include <tesserec/network.hpp>

using namespace tesserec;
using embedding::EmbeddingBagConfig;
using embedding::QrOperation;

namespace {

EmbeddingBagConfig table_of(const std::string& name, Index rows, Index dim = 0) {
  EmbeddingBagConfig table;
  table.name = name;
  table.num_embeddings = rows;
  table.embedding_dim = dim;
  table.feature_names = {name};
  return table;
}

/// Returns "NAME rows x dim > projection", ...
std::string shown(const std::vector<EmbeddingBagConfig>& tables) {
  return join(tables, ", ", [](const EmbeddingBagConfig& t) {
    return concat(t.name, " ", t.num_embeddings, "x", t.embedding_dim,
                  t.projection > 0 ? ">" + std::to_string(t.projection) : "");
  });
}

std::string shown(const std::vector<network::EmbeddedFeature>& features) {
  return join(features, ", ", [](const network::EmbeddedFeature& f) {
    return concat(f.name, " ", f.dim, f.makes.empty() ? "" : " makes " + f.makes);
  });
}

network::Settings settings_of(Index collisions, double temperature = 0.0) {
  network::Settings settings;
  settings.embedding_dim = 8;
  settings.smaller.qr_collisions = collisions;
  settings.smaller.md_temperature = temperature;
  return settings;
}

}  // namespace

TEST_CASE("smaller_tables: cuts tables of more rows than qr_threshold in two") {
  const std::vector<EmbeddingBagConfig> tables = {table_of("large", 1001), table_of("small", 200),
                                                  table_of("just", 201, 6)};
  CHECK(shown(network::smaller_tables(tables, settings_of(0))) == "large 1001x8, small 200x8, just 201x6");
  const auto cut = network::smaller_tables(tables, settings_of(4));
  CHECK(shown(cut) == "large_quotient 251x8, large_remainder 4x8, small 200x8, just_quotient 51x6, just_remainder 4x6");
  CHECK(shown(network::smaller_tables(cut, settings_of(4))) == shown(cut));
  CHECK(cut[1].ids() == 1001);
  CHECK(cut[1].whole() == "large");
  network::Settings concat = settings_of(4);
  concat.smaller.qr_operation = QrOperation::concat;
  CHECK(shown(network::smaller_tables({table_of("large", 1001)}, concat)) ==
        "large_quotient 251x4, large_remainder 4x4");

  std::vector<EmbeddingBagConfig> own = tables;
  own[0].qr_collisions = 0;
  own[1].qr_collisions = 3;
  CHECK(shown(network::smaller_tables(own, settings_of(100))) ==
        "large 1001x8, small_quotient 67x8, small_remainder 3x8, just_quotient 3x6, just_remainder 100x6");
  own[1].num_embeddings = 0;  // not known yet
  CHECK(shown(network::smaller_tables({own[1]}, settings_of(100, 0.5))) == "small 0x8");
}

TEST_CASE("smaller_tables: md_temperature narrows tables and projects them to the model's dimension") {
  std::vector<EmbeddingBagConfig> tables = {table_of("a", 3001), table_of("b", 7), table_of("c", 500),
                                            table_of("d", 900, 3)};
  CHECK(shown(network::smaller_tables(tables, settings_of(0, 0.3))) == "a 3001x1>8, b 7x8, c 500x2>8, d 900x3");
  tables[3].projection = 5;
  CHECK(shown(network::smaller_tables(tables, settings_of(0, 0.0))) == "a 3001x8, b 7x8, c 500x8, d 900x3>5");
  network::Settings rounded = settings_of(0, 0.005);
  rounded.embedding_dim = 12;  // 11.6 columns, rounded 16: no wider than the model's
  rounded.smaller.md_round_dims = true;
  CHECK(shown(network::smaller_tables({tables[0], tables[1]}, rounded)) == "a 3001x12, b 7x12");
  rounded.smaller.md_threshold = 3001;
  rounded.smaller.md_temperature = 1.0;
  CHECK(shown(network::smaller_tables({tables[0], tables[1]}, rounded)) == "a 3001x12, b 7x12");
  CHECK(shown(network::smaller_tables({tables[2]}, settings_of(4, 1.0))) == "c_quotient 125x8, c_remainder 4x8");
  CHECK(shown(network::smaller_tables({tables[0], tables[1]}, settings_of(4, 0.2))) ==
        "a_quotient 751x2>8, a_remainder 4x2>8, b 7x8");
}

TEST_CASE("embedded_features: layers read one vector a feature by the names of whole tables") {
  EmbeddingBagConfig shared = table_of("shared", 1000);
  shared.feature_names = {"x", "y"};
  EmbeddingBagConfig again = table_of("again", 100);
  again.feature_names = {"y"};
  CHECK(
      shown(network::embedded_features(network::smaller_tables({shared, again, table_of("z", 900, 3)}, settings_of(10)))
                .pooled) ==
      "x@shared_quotient 8 makes x, y@shared_quotient 8 makes y@shared, x@shared_remainder 8 makes x, "
      "y@shared_remainder 8 makes y@shared, y@again 8, z@z_quotient 3 makes z, z@z_remainder 3 makes z");
}

TEST_CASE("smaller_tables: throws with the key and what would fit for impossible cuts") {
  const auto refused = [](std::vector<EmbeddingBagConfig> tables, const network::Settings& settings) {
    return error_of([&] { network::smaller_tables(std::move(tables), settings); });
  };
  CHECK(refused({table_of("a", 300)}, settings_of(300)) ==
        "model.qr_collisions is 300, but table a has 300 rows; give a smaller number, or raise model.qr_threshold to "
        "300");
  CHECK(error_of([] { network::smaller_tables({table_of("a", 300)}, settings_of(299)); }) == "");
  EmbeddingBagConfig own = table_of("a", 20);
  own.qr_collisions = 20;
  CHECK(refused({own}, settings_of(0)) ==
        "table.a.qr_collisions is 20, but table a has 20 rows; give a smaller number, or 0 for a whole table");
  network::Settings concat = settings_of(4);
  concat.smaller.qr_operation = QrOperation::concat;
  CHECK(mentions(refused({table_of("a", 300, 5)}, concat), "model.qr_operation is concat"));
  CHECK(mentions(refused({table_of("a", 300, 5)}, concat), "table a has 5; give it an even number"));
  EmbeddingBagConfig wrong = network::smaller_tables({table_of("a", 300)}, settings_of(4))[0];
  wrong.num_embeddings = 74;
  CHECK(mentions(error_of([&] { embedding::EmbeddingBagCollection({wrong}); }),
                 "table a_quotient: num_embeddings is 74, but this half of table a has 75 rows; set that number"));
}

TEST_CASE("OwnerBuckets: looks an id up in both halves of a cut table and reports ids of the whole one") {
  const Exec exec;
  const auto halves = network::smaller_tables({table_of("a", 300)}, settings_of(7));
  const auto batch = jagged::KeyedJaggedTensor::from_dense(exec, {"b", "a"}, {{{1}, {2, 3}}, {{299, 6, 7}, {14}}});
  const auto rows_of = [](const sharding::OwnerBags& bags) {
    return std::vector<Index>(bags.rows, bags.rows + bags.ids());
  };
  sharding::OwnerBuckets quotient(halves[0], 1, {}, 1, false), remainder(halves[1], 1, {}, 1, false);
  quotient.fill(batch, 0);
  remainder.fill(batch, 0);
  CHECK(rows_of(quotient.of(0)) == std::vector<Index>{42, 0, 1, 2});
  CHECK(rows_of(remainder.of(0)) == std::vector<Index>{5, 6, 0, 0});
  std::vector<std::uint16_t> owner_of(embedding::block_count, 0);
  owner_of[1] = owner_of[2] = 1;  // a shard of the quotient table
  sharding::OwnerBuckets cut(halves[0], 1, owner_of, 2, false);
  cut.fill(batch, 0);
  CHECK(rows_of(cut.of(1)) == std::vector<Index>{1, 2});
  CHECK(cut.of(1).samples.size() == 2);

  embedding::EmbeddingBagCollection collection(halves);
  collection.initialize(exec, 3);
  const auto pooled = collection.forward(exec, batch);
  for (std::size_t h = 0; h < 2; ++h) {
    const MatrixView<float> weights = collection.embedding_bag(halves[h].name).weights().host();
    for (Index c = 0; c < 8; ++c) CHECK(pooled.values(1, Index(h) * 8 + c) == weights(h == 0 ? 2 : 0, c));
  }
  batch.values(5) = 300;
  const std::string beyond = "id 300 is outside table a of 300 rows";
  for (sharding::OwnerBuckets* buckets : {&quotient, &remainder, &cut})
    CHECK(error_of([&] { buckets->fill(batch, 20); }) == "feature a, sample 20 of the batch: " + beyond);
  CHECK(mentions(error_of([&] { collection.forward(exec, batch); }), beyond));
}

TEST_CASE("Network: throws with the feature's name if layers do not fit its projected vector") {
  const layers::LayerSettings logit{.name = "logit", .type = "mlp", .inputs = {"pooled.user"}, .widths = {1}};
  const auto refused_of = [&](const layers::LayerSettings& layer, const std::vector<network::EmbeddedFeature>& pooled) {
    network::Settings settings;
    settings.type = "network";
    settings.layers = {layer};
    return error_of([&] { network::Network(settings, 4, network::EmbeddedFeatures{pooled}); });
  };
  CHECK(mentions(refused_of(logit, {{"user", 3}, {"item@i", 2, "item", 3}}),
                 "model.layer: no layer reads the pooled vector item;"));
  CHECK(mentions(
      refused_of({.name = "dot", .type = "dot", .inputs = {"pooled"}}, {{"user", 3}, {"item@i", 2, "item", 4}}),
      "model.layer.dot: the vectors of a dot must have one dimension, but user has 3 numbers and item has 4"));
  CHECK(mentions(refused_of({.name = "x", .type = "cat", .inputs = {"pooled.itme"}}, {{"item@i", 2, "item", 4}}),
                 "there are dense, pooled, rest, pooled.item"));
}
