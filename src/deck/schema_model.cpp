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
             "Number type to which pooled sums and unpooled vectors are rounded, once, before the dense half reads "
             "them. fp16 and bf16 halve the bytes between ranks, except for partial sums and for rows that travel "
             "individually. Results do not depend on the sharding plan."),
      choice("exchange_backward", &Model::exchange_backward, number_types(),
             "Number type to which the gradients of pooled sums and unpooled vectors are rounded. fp16 multiplies them "
             "by the samples of a step first."),
  };
  return single("model", "Dense half of the model, sizes of its embedding tables, and loss.",
                extended(model_keys(), own), [](auto& d) -> auto& { return d.model; }, {"layer"});
}

std::vector<Section> optimizer_sections() {
  const Keys<train::OptimizerSettings> keys = {
      number("max_norm", &train::OptimizerSettings::max_norm, {.min_magnitude = 1e-30}, "",
             "Largest L2 norm of all gradients of a step together, of layers and touched rows; longer ones are scaled "
             "down, before max_gradient. 0 means no limit."),
  };
  return {single("optimizer",
                 "Optimizers: `dense` for the dense half and tables with kernel dense, `sparse` for all other tables.",
                 keys, [](auto& d) -> auto& { return d.optimizer; }, {"dense", "sparse"}),
          single(
              "optimizer.dense", "Optimizer of the dense half, and of tables with kernel dense.",
              optimizer_keys(optim::tensor_types()), [](auto& d) -> auto& { return d.optimizer.dense; }),
          single(
              "optimizer.sparse", "Optimizer of the table rows that a batch touches.", optimizer_keys(optim::types()),
              [](auto& d) -> auto& { return d.optimizer.sparse; })};
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
