// SPDX-License-Identifier: Apache-2.0
/// The rows that say what a model is, for the decks that have them: [model], [[model.layer]], [[table]].
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/schema/section.hpp>

namespace tesserec::schema {

/// Returns the keys of [model]. Some are left to the job: a deck that runs one puts its own in their place.
Keys<network::Settings> model_keys();

BlockInfo layer_block();
/// Reads every [[model.layer]]; model.type has been read.
void read_layers(Lines& deck, network::Settings& model, const Value& root);
void write_layers(const network::Settings& model, std::string& out);

BlockInfo table_block();
/// Reads every [[table]]. A table's own optimizer starts from `sparse`.
void read_tables(Lines& deck, std::vector<embedding::EmbeddingBagConfig>& tables, const optim::Settings& sparse,
                 const Value& root);
void write_tables(const std::vector<embedding::EmbeddingBagConfig>& tables, std::string& out);

/// Returns the keys of an optimizer that is one of `types`.
Keys<optim::Settings> optimizer_keys(const std::vector<optim::TypeInfo>& types);

}  // namespace tesserec::schema
