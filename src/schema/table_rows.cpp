// SPDX-License-Identifier: Apache-2.0
// Keys of [[table]].
#include <tesserec/schema/model_rows.hpp>

namespace tesserec::schema {
namespace {

using embedding::EmbeddingBagConfig;

/// Makes the key that lets a table grow.
Key<EmbeddingBagConfig> growing_key() {
  return make_key<EmbeddingBagConfig>(
      "growing", "true or false", "", "",
      "Let the table grow: its ids are any 64-bit numbers, such as hashes of tokens, and an id gets one of `rows` rows "
      "while training. Such a table has kernel fused and format fp32, on hosts, and is never data_parallel.",
      [](EmbeddingBagConfig& table, const Value& value, const std::string& path) {
        table.block_by = read_boolean(value, path) ? embedding::BlockBy::hash : embedding::BlockBy::rows;
      },
      [](const EmbeddingBagConfig& table) { return std::string(table.grows() ? "true" : "false"); });
}

/// Makes the keys of tables that grow.
Keys<EmbeddingBagConfig> growth_keys() {
  using embedding::Eviction;
  using embedding::GrowthRules;
  using embedding::UnknownRow;
  const Choices<Eviction> evictions = {
      {"lru", Eviction::lru}, {"lfu", Eviction::lfu}, {"ttl", Eviction::ttl}, {"none", Eviction::none}};
  const Choices<UnknownRow> unknown = {{"zeros", UnknownRow::zeros}, {"start", UnknownRow::start}};
  const auto of_growing = [](const Key<GrowthRules>& key) {
    return of_some(
        inside(&EmbeddingBagConfig::growth, key), [](const EmbeddingBagConfig& table) { return table.grows(); },
        [](const EmbeddingBagConfig& table) {
          return concat("applies only to growing tables; set table.", table.name, ".growing = true, or remove it");
        });
  };
  const auto has_ttl = [](const EmbeddingBagConfig& table) { return table.growth.eviction == Eviction::ttl; };
  const Key<EmbeddingBagConfig> ttl =
      of_growing(integer("ttl", &GrowthRules::ttl, {1, step_limit}, "steps",
                         "Steps without its id after which a row leaves, with eviction = \"ttl\"."));
  return {
      growing_key(),
      of_growing(integer("admit_after", &GrowthRules::admit_after, {1, step_limit}, "batches",
                         "Training batches in which an id of a growing table must occur before it gets a row. With "
                         "train.accumulate, micro-batches are counted.")),
      of_growing(
          choice("eviction", &GrowthRules::eviction, evictions,
                 "Rule by which a row of a growing table leaves. lru: for an id without a row, the row that was "
                 "used last the longest ago. lfu: the one used in the fewest batches. ttl: after `ttl` steps "
                 "without its id, and never earlier. none: never. A full table refuses ids if no row may leave.")),
      default_words(of_some(ttl, has_ttl,
                            [](const EmbeddingBagConfig& table) {
                              return concat("applies only to eviction = \"ttl\"; set table.", table.name,
                                            ".eviction = \"ttl\", or remove it");
                            }),
                    "required with eviction = \"ttl\""),
      of_growing(choice("unknown", &GrowthRules::unknown, unknown,
                        "Numbers that an id without a row reads in a growing table: zeros, or the start values that "
                        "its row would have.")),
  };
}

Keys<EmbeddingBagConfig> table_keys() {
  const Choices<embedding::PoolingType> poolings = {{"sum", embedding::PoolingType::sum},
                                                    {"mean", embedding::PoolingType::mean}};
  const Choices<embedding::RowStart> starts = {{"uniform", embedding::RowStart::uniform},
                                               {"one", embedding::RowStart::one}};
  Choices<std::optional<NumberType>> formats;
  for (const auto& [name, type] : number_types()) formats.emplace_back(name, type);
  Keys<EmbeddingBagConfig> keys = {
      required(text("name", &EmbeddingBagConfig::name, Text::name, "Name of the table.")),
      default_words(integer("rows", &EmbeddingBagConfig::num_embeddings, {}, "rows",
                            "Rows of the table; 0 means as many as the data set has ids. Of a growing table: its "
                            "capacity, which must be given."),
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
  for (Key<EmbeddingBagConfig>& key : growth_keys()) keys.push_back(std::move(key));
  return keys;
}

}  // namespace

BlockInfo table_block() {
  return {
      "table", "[[table]]",
      "An embedding table. Without any [[table]], each feature of the data has a table of its own; with one, the "
      "model reads only the features that tables name. A table may have its own block `optimizer = {...}` with keys "
      "of [optimizer.sparse], which supplies the keys left out.",
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
