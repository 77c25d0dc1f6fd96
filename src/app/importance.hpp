// SPDX-License-Identifier: Apache-2.0
/// importance.json of a run's folder (docs/formats.md): what each feature is worth.
#pragma once

#include "loaded_model.hpp"
#include <tesserec/train/importance.hpp>

namespace tesserec::app {

/// What each feature is worth: an object a feature with its name, its kind and by how much `intact` metrics change
/// where its values are permuted. The feature with the largest change of log loss comes first.
Json importance_json(const std::vector<train::Importance>& all, const metrics::BinaryMetrics& intact);

/// The same as lines for people.
std::string importance_text(const Json& features);

/// Writes importance.json into the folder of the run, on the first rank. Collective.
void write_importance(const LoadedModel& loaded, const metrics::BinaryMetrics& intact, const Json& features);

}  // namespace tesserec::app
