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
  Choices<std::optional<NumberType>> formats;
  for (const auto& [name, type] : number_types()) formats.emplace_back(name, type);
  return {
      required(text("name", &EmbeddingBagConfig::name, Text::name, "Name of the table.")),
      default_words(integer("rows", &EmbeddingBagConfig::num_embeddings, {}, "rows",
                            "Rows of the table; 0 means as many as the data set has ids."),
                    "0 (the data set's)"),
      default_words(integer("dim", &EmbeddingBagConfig::embedding_dim, {0, 65536}, "columns",
                            "Columns of the table; 0 means model.embedding_dim."),
                    "0 (model.embedding_dim)"),
      integer("projection", &EmbeddingBagConfig::projection, {0, 65536}, "columns",
              "Columns of the pooled vector after a learned projection without bias; 0 means no projection."),
      default_words(integer("qr_collisions", &EmbeddingBagConfig::qr_collisions, {}, "ids",
                            "Quotient-remainder split as by model.qr_collisions, whatever the table's rows; 0 means "
                            "that it stays whole."),
                    "model.qr_collisions"),
      default_words(
          choice("format", &EmbeddingBagConfig::format, formats, "Format of the weights, as model.table_format."),
          "model.table_format"),
      choice("pooling", &EmbeddingBagConfig::pooling, poolings, "Pooling of a bag's rows into one vector."),
      boolean("weighted", &EmbeddingBagConfig::weighted,
              "Multiply each row by the weight of its id; the data must have weights for all of the table's features."),
      default_words(texts("features", &EmbeddingBagConfig::feature_names, Text::name, {1},
                          "Features that look up their ids in this table."),
                    "[NAME], the table's own name"),
      texts("unpooled", &EmbeddingBagConfig::unpooled, Text::name, {},
            "Features of the table that are not pooled: layers read one vector per id as unpooled.FEATURE."),
      choice("start", &EmbeddingBagConfig::start, starts,
             "Start values. uniform: between -sqrt(1 / rows) and sqrt(1 / rows). one: 1, for learned weights of ids."),
  };
}

}  // namespace

BlockInfo table_block() {
  return {"table", "[[table]]",
          "An embedding table. Without any [[table]], each feature of the data has a table of its own. A table may "
          "have its own block `optimizer = {...}` with keys of [optimizer.sparse], which supplies the keys left out.",
          infos(table_keys())};
}

void read_tables(Lines& deck, std::vector<EmbeddingBagConfig>& tables, const optim::Settings& sparse,
                 const Value& root) {
  const Value* blocks = repeated(root, "table", "give [[table]] blocks, or omit the key for one table per feature");
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
