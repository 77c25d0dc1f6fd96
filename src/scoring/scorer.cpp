// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/complete_tables.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/network/smaller_tables.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/scoring/scorer.hpp>
#include <tesserec/store/checkpoint.hpp>

namespace tesserec::scoring {
namespace {

/// Columns of the data that a model was trained on.
struct TrainedColumns {
  std::vector<embedding::DataFeature> features;
  Index dense_features = 0;
  std::vector<std::string> dense_names;
};

TrainedColumns columns_of(const store::Attributes& attributes, const std::string& file) {
  const auto names = store::attribute<std::vector<std::string>>(attributes, "features", file);
  const auto rows = store::attribute<std::vector<std::int64_t>>(attributes, "rows", file);
  if (names.size() != rows.size())
    fail(file, ": attribute rows has ", counted(std::ssize(rows), "value"), " for ",
         counted(std::ssize(names), "feature"), ", so the file is damaged; use another checkpoint");
  TrainedColumns columns;
  for (std::size_t f = 0; f < names.size(); ++f) columns.features.push_back({names[f], rows[f]});
  columns.dense_features = store::attribute<std::int64_t>(attributes, "dense_features", file);
  if (attributes.count("dense_names") != 0)
    columns.dense_names = store::attribute<std::vector<std::string>>(attributes, "dense_names", file);
  return columns;
}

/// Returns the format to which pooled and unpooled vectors are rounded before layers read them.
NumberType vectors_of(const schema::ModelDeck& deck) {
  for (const schema::KeyValue& entry : deck.given)
    for (const auto& [name, type] : number_types())
      if (entry.key == "model.exchange_forward" && entry.value == "\"" + name + "\"") return type;
  return NumberType::fp32;
}

/// Weights of a store, as the target of a read from a file.
class WeightRows : public store::SlabSource {
 public:
  explicit WeightRows(embedding::RowStore& rows) : SlabSource(rows.dim()), rows_(rows) {}

  float* in_place(Range rows) const override { return rows_.in_place(0, rows); }
  bool rounds() const override { return rows_.weight_matrix().is_short(); }
  void read(const Exec& exec, Range rows, float* to) const override { rows_.read(exec, 0, rows, to); }
  void write(const Exec& exec, Range rows, const float* from) override { rows_.write(exec, 0, rows, from); }

 private:
  embedding::RowStore& rows_;
};

}  // namespace

struct Scorer::Model {
  Model(const Exec& exec, const store::OpenCheckpoint& checkpoint);
  void read(const Exec& exec, const store::PartedFile& state);

  store::Attributes attributes;
  std::string file;
  TrainedColumns columns;
  schema::ModelDeck deck;
  embedding::EmbeddingBagCollection tables;
  network::Network network;
  NumberType vectors;
  PlacedVector<float> parameters;
  Index step;
};

Scorer::Model::Model(const Exec& exec, const store::OpenCheckpoint& checkpoint)
    : attributes(store::read_attributes(checkpoint.state)),
      file(checkpoint.state.path()),
      columns(columns_of(attributes, file)),
      deck(schema::read_model(store::attribute<std::string>(attributes, "deck", file), file + ": deck")),
      tables(network::smaller_tables(embedding::complete_tables(deck.tables, columns.features, file), deck.model)),
      network(deck.model, columns.dense_features, network::embedded_features(tables.tables())),
      vectors(vectors_of(deck)),
      parameters(make_vector<float>(exec, "tesserec::scoring::parameters", network.parameters())),
      step(checkpoint.manifest.step) {
  for (const embedding::EmbeddingBagConfig& table : tables.tables())
    if (table.grows())
      fail(file, ": table ", table.name,
           " grows, and a Scorer reads tables of consecutive rows alone; score with `tesserec predict`");
  tables.allocate(exec);
  std::fill_n(parameters.data(), network.parameters(), 0.0f);  // gaps between tensors
  read(exec, checkpoint.state);
}

void Scorer::Model::read(const Exec& exec, const store::PartedFile& state) {
  std::vector<store::StateItem> items;
  const auto add = [&](const std::string& name, Index rows, Index width, std::shared_ptr<store::SlabSource> source) {
    items.push_back({.name = name, .rows = rows, .columns = width, .slab = {0, rows}, .source = std::move(source)});
  };
  for (const embedding::EmbeddingBagConfig& table : tables.tables())
    add("tables/" + table.name + "/weight", table.rows().size(), table.embedding_dim,
        std::make_shared<WeightRows>(tables.embedding_bag(table.name).store()));
  for (const network::Parameter& p : network.layout())
    add("dense/" + p.name + "/value", p.rows, p.columns, store::placed_rows(parameters.data() + p.offset, p.columns));
  store::read_state(exec, state, items);
}

Scorer::Scorer(const Exec& exec, const std::string& folder)
    : model_(std::make_unique<Model>(exec, store::open_checkpoint(folder))) {}
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer::~Scorer() = default;

std::vector<std::string> Scorer::features() const { return model_->tables.features(); }
Index Scorer::dense_features() const { return model_->columns.dense_features; }
const std::vector<std::string>& Scorer::dense_names() const { return model_->columns.dense_names; }
Index Scorer::step() const { return model_->step; }

std::vector<float> Scorer::predict(const Exec& exec, const Matrix<float>& dense,
                                   const jagged::KeyedJaggedTensor& sparse) const {
  const Index samples = sparse.stride, numbers = dense_features();
  if (numbers > 0 && Index(dense.extent(0)) != samples)
    fail("the batch has ids of ", counted(samples, "sample"), ", but dense features of ", dense.extent(0),
         "; give both for the same samples");
  if (numbers > 0 && Index(dense.extent(1)) != numbers)
    fail("the batch has ", counted(Index(dense.extent(1)), "dense feature"), " per sample, but the model takes ",
         numbers);
  std::vector<float> probabilities(samples);
  if (samples == 0) return probabilities;
  const jagged::KeyedTensor pooled = model_->tables.forward(exec, sparse, model_->vectors);
  const Lanes lanes(Lanes::automatic(samples));
  network::DenseInput input;
  input.lanes = lanes;
  input.my_lanes = lanes.of_rank(0, 1);
  input.global_size = samples;
  input.dense = dense.data();
  input.pooled = pooled.values.data();
  input.unpooled = model_->tables.unpooled(exec, sparse, model_->vectors);
  model_->network.predict(exec, model_->parameters, input, probabilities.data());
  return probabilities;
}

}  // namespace tesserec::scoring
