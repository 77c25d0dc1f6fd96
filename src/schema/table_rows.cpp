// SPDX-License-Identifier: Apache-2.0
// Keys of [[table]].
#include <tesserec/schema/model_rows.hpp>

namespace tesserec::schema {
namespace {

using embedding::EmbeddingBagConfig;

Keys<EmbeddingBagConfig> table_keys() {
  const Choices<embedding::PoolingType> poolings = {{"sum", embedding::PoolingType::sum},
                                                    {"mean", embedding::PoolingType::mean}};
  const Choices<embedding::RowStart> starts = {{"uniform", embedding::RowStart::uniform},
                                               {"one", embedding::RowStart::one}};
  return {
      required(text("name", &EmbeddingBagConfig::name, Text::name, "Name of the table.")),
      default_words(integer("rows", &EmbeddingBagConfig::num_embeddings, {}, "rows",
                            "Rows of the table; 0 means as many as the data set has ids."),
                    "0 (the data set's)"),
      default_words(integer("dim", &EmbeddingBagConfig::embedding_dim, {0, 65536}, "columns",
                            "Columns of the table; 0 means model.embedding_dim."),
                    "0 (model.embedding_dim)"),
      integer("projection", &EmbeddingBagConfig::projection, {0, 65536}, "columns",
              "A learned matrix without bias makes so many columns of the pooled vector; 0 means that there is none."),
      default_words(
          integer("qr_collisions", &EmbeddingBagConfig::qr_collisions, {}, "ids",
                  "The table is cut in two as model.qr_collisions says, whatever its rows; 0 means that it is not."),
          "model.qr_collisions"),
      choice("pooling", &EmbeddingBagConfig::pooling, poolings, "How the rows of a bag become one vector."),
      boolean("weighted", &EmbeddingBagConfig::weighted,
              "Multiply each row by the id's weight; the data must have weights for all of the table's features."),
      default_words(texts("features", &EmbeddingBagConfig::feature_names, Text::name, {1},
                          "Features that look their ids up in this table."),
                    "[NAME], the table's own name"),
      texts("unpooled", &EmbeddingBagConfig::unpooled, Text::name, {},
            "Those of the features that are not pooled: layers read one vector an id as unpooled.FEATURE."),
      choice("start", &EmbeddingBagConfig::start, starts,
             "Start values: uniform within the square root of 1 / rows, or 1, for weights that ids learn."),
  };
}

}  // namespace

BlockInfo table_block() {
  return {
      "table", "[[table]]",
      "An embedding table. Without any [[table]]: one table a feature of the data. A table may have a block of its own "
      "`optimizer = {...}` with the keys of [optimizer.sparse]; keys left out are taken from there.",
      infos(table_keys())};
}

void read_tables(Lines& deck, std::vector<EmbeddingBagConfig>& tables, const optim::Settings& sparse,
                 const Value& root) {
  const Value* blocks =
      repeated(root, "table", "a model has at least one table: give [[table]] blocks, or none for one table a feature");
  if (blocks == nullptr) return;
  const Keys<EmbeddingBagConfig> keys = table_keys();
  const Keys<optim::Settings> optimizer = optimizer_keys(optim::types());
  for (const Value& block : blocks->list) {
    const std::string path = path_of("table", block, tables.size());
    EmbeddingBagConfig& table = tables.emplace_back();
    read_keys(deck, keys, table, block, path, {"optimizer"});
    if (table.feature_names.empty()) table.feature_names = {table.name};
    if (const Value* own = block.find("optimizer")) {
      table.optimizer = sparse;
      read_keys(deck, optimizer, *table.optimizer, *own, path + ".optimizer");
    }
  }
}

void write_tables(const std::vector<EmbeddingBagConfig>& tables, std::string& out) {
  const Keys<EmbeddingBagConfig> keys = table_keys();
  const Keys<optim::Settings> optimizer = optimizer_keys(optim::types());
  for (const EmbeddingBagConfig& table : tables) {
    out += "\n[[table]]\n" + write_keys(keys, table);
    if (table.optimizer) out += "optimizer = " + inline_keys(optimizer, *table.optimizer) + "\n";
  }
}

}  // namespace tesserec::schema
