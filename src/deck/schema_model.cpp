// SPDX-License-Identifier: Apache-2.0
// Keys of [model], [[model.layer]], [optimizer] with its blocks, and [[table]].
#include "section.hpp"
#include <tesserec/schema/model_rows.hpp>

namespace tesserec::deck {
namespace {

using Model = model::Settings;

Section model_section() {
  const Keys<Model> own = {
      choice("exchange_forward", &Model::exchange_forward, number_types(),
             "What the sums of bags, and vectors that are not pooled, are rounded to, once, before the dense half has "
             "them: so half the bytes travel between ranks, but for sums of a part of the rows and rows that travel "
             "themselves. The bits are no plan's."),
      choice("exchange_backward", &Model::exchange_backward, number_types(),
             "The same of their gradients, on the way back; fp16 has them times the samples of a step."),
  };
  return single("model", "The dense half of the model.", extended(model_keys(), own),
                [](auto& d) -> auto& { return d.model; }, {"layer"});
}

std::vector<Section> optimizer_sections() {
  const Keys<train::OptimizerSettings> keys = {
      number("max_norm", &train::OptimizerSettings::max_norm, {.least = 1e-30}, "",
             "Bound of the length (L2) of all gradients of a step together, of the layers and of the touched rows: "
             "where they are longer, all are scaled down to it; before max_gradient. 0 means none."),
  };
  return {single("optimizer", "How weights move: `dense` the MLPs (and tables with kernel dense), `sparse` the tables.",
                 keys, [](auto& d) -> auto& { return d.optimizer; }, {"dense", "sparse"}),
          single(
              "optimizer.dense", "Moves the weights of the MLPs.", optimizer_keys(optim::tensor_types()),
              [](auto& d) -> auto& { return d.optimizer.dense; }),
          single(
              "optimizer.sparse", "Moves the rows of the tables that a batch looked up.",
              optimizer_keys(optim::types()), [](auto& d) -> auto& { return d.optimizer.sparse; })};
}

}  // namespace

std::vector<Section> model_sections() {
  std::vector<Section> sections = {
      model_section(),
      {layer_block(), [](Deck& deck, const Value& root) { read_layers(deck, deck.model, root); },
       [](const Deck& deck, std::string& out) { write_layers(deck.model, out); }}};
  for (Section& section : optimizer_sections()) sections.push_back(std::move(section));
  // Tables are read after the optimizer, since a table's own optimizer starts from optimizer.sparse.
  sections.push_back(
      {table_block(),
       [](Deck& deck, const Value& root) { read_tables(deck, deck.tables, deck.optimizer.sparse, root); },
       [](const Deck& deck, std::string& out) { write_tables(deck.tables, out); }});
  return sections;
}

}  // namespace tesserec::deck
