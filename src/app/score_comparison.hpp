// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/metrics/binary.hpp>

namespace tesserec::app {

/// Scores of a label of a data set by a checkpoint, and by a folder that was exported from it.
struct LabelComparison {
  std::string label;  ///< empty for one label without a name
  metrics::BinaryMetrics checkpoint, folder;
  double largest_difference = 0.0;  ///< between the two scores of a sample
};

/// Scores of a data set by both, for each label.
struct ScoreComparison {
  std::vector<LabelComparison> labels;

  std::string text() const;
  /// Returns the figures of the only label, or of several labels an object for each, of its name.
  Json json() const;
};

/// Scores the samples of a labelled HDF5 data set by both models. Throws Error if the data set was preprocessed for
/// another model.
ScoreComparison compare_scores(const comm::Communicator& comm, const std::string& checkpoint, const std::string& folder,
                               const std::string& file);

}  // namespace tesserec::app
