// SPDX-License-Identifier: Apache-2.0
/// Data on which a checkpoint's model was trained.
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

/// Returns the facts that add_data_facts() wrote to `file`, for a model with the deck's `tables`. Features that no
/// table reads do not matter, and are taken from `data` at their places. If an older program wrote a checkpoint without
/// names, logs this and takes the columns of `data`. Throws Error if the file has none of the facts.
data::SourceInfo trained_data(const store::Attributes& attributes, const std::string& file,
                              const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data);

/// Throws Error if the checkpoint with these attributes is of a vocabulary that extends that of `data`. `matrix`: one
/// of the checkpoint's that therefore does not fit.
void require_newer_vocabulary(const data::SourceInfo& data, const store::Attributes& attributes,
                              const std::string& file, const std::string& matrix);

/// Throws Error unless the columns of `data` are those of `trained`, in order, since training continues with them.
void require_same_columns(const data::SourceInfo& data, const data::SourceInfo& trained);

/// Returns `data` with the trained numbers of ids, so that tables fit. Throws Error, naming the table, if one has more
/// ids in `data`.
data::SourceInfo with_trained_rows(data::SourceInfo data, const data::SourceInfo& trained,
                                   const std::vector<embedding::EmbeddingBagConfig>& tables,
                                   const network::Settings& model);

}  // namespace tesserec::train
