// SPDX-License-Identifier: Apache-2.0
/// The data that a checkpoint's model was trained on.
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::train {

/// Adds the data's facts: features' names and rows, dense features' names and transforms, meaning of ids and labels.
void add_data_facts(const data::SourceInfo& data, store::Attributes& attributes);

/// The facts that add_data_facts wrote to `file`, for a model with the deck's `tables`. Features that no table reads
/// are those of `data` at hand, at their places: they do not matter. A checkpoint of an older program lacks names; this
/// says so, and takes those at hand. Error when the file has none of the facts.
data::SourceInfo trained_data(const store::Attributes& attributes, const std::string& file,
                              const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data);

/// Error unless the columns of `data` are those of `trained`, in order, since training continues with them.
void require_same_columns(const data::SourceInfo& data, const data::SourceInfo& trained);

/// Returns `data` with the trained numbers of ids, so that tables fit. Error names a table with more ids.
data::SourceInfo with_trained_rows(data::SourceInfo data, const data::SourceInfo& trained,
                                   const std::vector<embedding::EmbeddingBagConfig>& tables,
                                   const network::Settings& model);

}  // namespace tesserec::train
