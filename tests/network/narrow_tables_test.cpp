// SPDX-License-Identifier: Apache-2.0
// Tables of mixed dimensions: the narrowed tables, and the projections back to the model's width.
#include "catch.hpp"
#include "src/network/models.hpp"
#include <tesserec/network.hpp>

using namespace tesserec;
using embedding::EmbeddingBagConfig;

namespace {

EmbeddingBagConfig table_of(const std::string& name, Index rows) {
  EmbeddingBagConfig table;
  table.name = name;
  table.num_embeddings = rows;
  table.feature_names = {name};
  return table;
}

}  // namespace

TEST_CASE("smaller_tables: keeps un-pooled tables as wide as the model and the deck's projections") {
  network::Settings settings;
  settings.embedding_dim = 16;
  settings.smaller.md_temperature = 0.3;
  std::vector<EmbeddingBagConfig> tables = {table_of("few", 10), table_of("many", 10000), table_of("own", 10000),
                                            table_of("sequence", 10000)};
  tables[2].projection = 24;
  tables[3].unpooled = {"sequence"};
  const auto narrow = network::smaller_tables(tables, settings);
  REQUIRE(narrow.size() == 4);
  // 16 * (10 / 10000)^0.3 = 2.01
  const std::vector<std::pair<Index, Index>> expected = {{16, 0}, {2, 16}, {2, 24}, {16, 0}};
  for (std::size_t t = 0; t < 4; ++t) {
    INFO(narrow[t].name);
    CHECK(narrow[t].embedding_dim == expected[t].first);
    CHECK(narrow[t].projection == expected[t].second);
  }
}

TEST_CASE("feature_layers: a narrow table's vectors are projected without bias and activation") {
  network::EmbeddedFeature narrow{"x@t", 2}, first{"y@t_quotient", 4}, second{"y@t_remainder", 4};
  narrow.makes = "x", narrow.projection = 16;
  for (network::EmbeddedFeature* half : {&first, &second})
    half->makes = "y", half->projection = 8, half->operation = embedding::QrOperation::concat;
  const auto layers = network::feature_layers({{"plain", 16}, narrow, first, second});
  REQUIRE(layers.size() == 3);
  CHECK(layers[0].name == "pooled.x");
  CHECK(layers[1].type == "cat");
  CHECK(layers[2].name == "pooled.y");
  CHECK(layers[2].inputs == std::vector<std::string>{layers[1].name});
  for (const std::size_t projection : {0, 2}) {
    CHECK(layers[projection].type == "mlp");
    CHECK_FALSE(layers[projection].bias);
    CHECK(layers[projection].widths == std::vector<Index>{projection == 0 ? 16 : 8});
    CHECK(layers[projection].activations == std::vector<layers::Activation>{layers::Activation::none});
  }
}
