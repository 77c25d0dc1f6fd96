// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "memory_table.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/block_of.hpp>
#include <tesserec/scoring/model_delta.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/store/word_rows.hpp>

namespace tesserec::scoring {
namespace {

using store::WordRows;

/// Matrices of whole numbers of a table in a delta.
struct DeltaWords {
  std::shared_ptr<WordRows> blocks, rows, evicted;
};

/// Adds the matrices of a table's whole numbers that the delta has.
DeltaWords add_delta_words(const store::Manifest& delta, const embedding::EmbeddingBagConfig& table,
                           std::vector<store::StateItem>& items) {
  const auto add = [&](const char* matrix, Index rows, Index words) {
    auto numbers = std::make_shared<WordRows>(rows, words);
    store::add_words(store::item_name(table.name, matrix), {0, rows}, rows, numbers, true, items);
    return numbers;
  };
  const auto rows_of = [&](const char* matrix) {
    const auto found = delta.datasets.find(store::item_name(table.name, matrix));
    return found == delta.datasets.end() ? 0 : found->second.rows;
  };
  const char* const moved = table.grows() ? store::change_ids[store::used_list] : "rows";
  const char* const left = store::change_ids[store::evicted_list];
  const Index counts = table.grows() ? store::change_count_words : store::block_count_words;
  const Index evicted = table.grows() ? rows_of(left) : 0;
  return {add("blocks", embedding::block_count, counts), add(moved, rows_of(moved), store::row_number_words),
          add(left, evicted, store::row_number_words)};
}

/// Throws Error if a list is not as long as the blocks say. `first`: first of a block's words.
void check_counts(const std::string& file, const std::string& table, const WordRows& blocks, Index first,
                  const WordRows& list, const char* what) {
  Index all = 0;
  for (Index b = 0; b < embedding::block_count; ++b) all += Index(blocks.get(b, first, store::block_count_words));
  if (all != list.rows())
    fail(file, ": table ", table, " has ", counted(all, what), ", but the numbers of ", list.rows(),
         "; the delta is damaged");
}

}  // namespace

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
  std::vector<DeltaWords> words;
  const auto add = [&](const std::string& name, Index rows, Index columns, float* to) {
    items.push_back({name, rows, columns, {0, rows, 0, columns}, store::placed_rows(to, columns)});
  };
  for (std::size_t t = 0; t < delta.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = model.tables()[t].config;
    words.push_back(add_delta_words(open.manifest, table, items));
    const Index moved = words.back().rows->rows();
    if (moved == 0) continue;
    std::vector<float>& weights = delta.tables[t].weights;
    weights.resize(std::size_t(moved * table.embedding_dim));
    add(store::item_name(table.name, "weight"), moved, table.embedding_dim, weights.data());
  }
  for (const network::Parameter& p : model.network().layout())
    add("dense/" + p.name + "/value", p.rows, p.columns, delta.parameters.data() + p.offset);
  store::read_state(exec, open.state, items);
  for (std::size_t t = 0; t < delta.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = model.tables()[t].config;
    const DeltaWords& read = words[t];
    check_counts(delta.file, table.name, *read.blocks, 0, *read.rows, "moved row");
    const Index left = store::change_word(store::evicted_list);
    if (table.grows()) check_counts(delta.file, table.name, *read.blocks, left, *read.evicted, "evicted id");
    delta.tables[t].rows = whole_numbers(*read.rows);
    delta.tables[t].evicted = whole_numbers(*read.evicted);
    if (table.grows()) continue;
    for (const Index row : delta.tables[t].rows)
      if (!table.rows().contains(row))
        fail(delta.file, ": table ", table.name, " has row ", row, ", but the served model has ", table.rows().size(),
             " rows, so the delta is of another model");
  }
  return delta;
}

}  // namespace tesserec::scoring
