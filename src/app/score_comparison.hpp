// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/data/source.hpp>
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

/// Labelled samples for a comparison, and the labels of the model.
struct ComparedData {
  std::unique_ptr<data::Source> source;
  std::vector<std::string> tasks;
};

/// Opens and checks a labelled HDF5 data set. Throws Error if it is damaged, lacks labels, or was preprocessed for
/// another model than the checkpoint's.
ComparedData compared_data(const std::string& checkpoint, const std::string& file);

/// Scores the samples by the checkpoint and by the folder that was exported from it.
ScoreComparison compare_scores(const comm::Communicator& comm, const std::string& checkpoint, const std::string& folder,
                               const ComparedData& data);

}  // namespace tesserec::app
