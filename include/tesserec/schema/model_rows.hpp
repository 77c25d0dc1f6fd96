// SPDX-License-Identifier: Apache-2.0
/// Rows of the schema for models: [model], [[model.layer]] and [[table]].
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/schema/section.hpp>

namespace tesserec::schema {

/// Returns the keys of [model]. Some are left to the job: the deck of a job puts its own keys in their place.
Keys<network::Settings> model_keys();

/// Describes [[model.layer]].
BlockInfo layer_block();
/// Reads every [[model.layer]]. Requires that model.type has been read.
void read_layers(Lines& deck, network::Settings& model, const Value& root);
/// Appends the layers to `out` as TOML.
void write_layers(const network::Settings& model, std::string& out);

/// Describes [[table]].
BlockInfo table_block();
/// Reads every [[table]]. `sparse`: defaults of a table's own optimizer.
void read_tables(Lines& deck, std::vector<embedding::EmbeddingBagConfig>& tables, const optim::Settings& sparse,
                 const Value& root);
/// Appends the tables to `out` as TOML.
void write_tables(const std::vector<embedding::EmbeddingBagConfig>& tables, std::string& out);

/// Returns the keys of an optimizer whose type is one of `types`.
Keys<optim::Settings> optimizer_keys(const std::vector<optim::TypeInfo>& types);

}  // namespace tesserec::schema
