// SPDX-License-Identifier: Apache-2.0
/// Choice of labels, where samples have several.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Returns the place in `data` of each label that model.tasks names, in the order of `tasks`; an empty list if the data
/// have no labels. Throws Error if a label is missing, or if `tasks` is empty and the data have several.
std::vector<Index> label_places(const SourceInfo& data, const std::vector<std::string>& tasks);

/// Returns whether the data have all labels that model.tasks names; without `tasks`, one label without a name.
bool has_labels(const SourceInfo& data, const std::vector<std::string>& tasks);

/// Makes `source` one without labels, for a model that learns `tasks`: the labels of its batches are 0.
std::unique_ptr<Source> without_labels(std::unique_ptr<Source> source, const std::vector<std::string>& tasks);

/// Makes the labels of `source` those that model.tasks names, in that order. Labels of data without labels are 0.
/// Throws the Errors of label_places().
std::unique_ptr<Source> with_labels(std::unique_ptr<Source> source, const std::vector<std::string>& tasks);

}  // namespace tesserec::data
