// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/block_of.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::scoring {

ModelDelta read_model_delta(const Exec& exec, const std::string& folder, const ServedModel& model) {
  const store::OpenCheckpoint open = store::open_delta(folder);
  if (const std::string difference = model_difference(facts_of(open), model.facts()); !difference.empty())
    fail(open.state.path(), " is of another model than ", model.facts().file, ", since ", difference,
         " differs; it is served from the run's next checkpoint on, by a server that starts there");
  ModelDelta delta{.step = open.manifest.step,
                   .file = open.state.path(),
                   .seal = open.manifest.state,
                   .continues = *open.manifest.continues,
                   .tables = std::vector<ModelDelta::NewRows>(model.tables().size()),
                   .parameters = std::vector<float>(std::size_t(model.network().parameters()))};
  std::vector<store::StateItem> items;
  std::vector<std::shared_ptr<store::WordRows>> numbers, blocks;
  const auto add = [&](const std::string& name, Index rows, Index columns, float* to) {
    items.push_back({name, rows, columns, {0, rows, 0, columns}, store::placed_rows(to, columns)});
  };
  for (std::size_t t = 0; t < delta.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = model.tables()[t].config;
    const std::string name = store::item_name(table.name, "rows");
    const auto found = open.manifest.datasets.find(name);
    const Index moved = found == open.manifest.datasets.end() ? 0 : found->second.rows;
    blocks.push_back(std::make_shared<store::WordRows>(embedding::block_count, store::block_count_words));
    store::add_words(store::item_name(table.name, "blocks"), {0, embedding::block_count}, embedding::block_count,
                     blocks.back(), true, items);
    numbers.push_back(std::make_shared<store::WordRows>(moved, store::row_number_words));
    if (moved == 0) continue;
    store::add_words(name, {0, moved}, moved, numbers.back(), true, items);
    std::vector<float>& weights = delta.tables[t].weights;
    weights.resize(std::size_t(moved * table.embedding_dim));
    add(store::item_name(table.name, "weight"), moved, table.embedding_dim, weights.data());
  }
  for (const network::Parameter& p : model.network().layout())
    add("dense/" + p.name + "/value", p.rows, p.columns, delta.parameters.data() + p.offset);
  store::read_state(exec, open.state, items);
  for (std::size_t t = 0; t < delta.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = model.tables()[t].config;
    Index moved = 0;
    for (Index b = 0; b < embedding::block_count; ++b) moved += Index(blocks[t]->get(b, 0, store::block_count_words));
    if (moved != numbers[t]->rows())
      fail(delta.file, ": table ", table.name, " has ", counted(moved, "moved row"), ", but the numbers of ",
           numbers[t]->rows(), "; the delta is damaged");
    std::vector<Index>& rows = delta.tables[t].rows;
    for (Index i = 0; i < numbers[t]->rows(); ++i) {
      rows.push_back(Index(numbers[t]->get(i, 0, store::row_number_words)));
      if (!table.rows().contains(rows.back()))
        fail(delta.file, ": table ", table.name, " has row ", rows.back(), ", but the served model has ",
             table.rows().size(), " rows, so the delta is of another model");
    }
  }
  return delta;
}

}  // namespace tesserec::scoring
