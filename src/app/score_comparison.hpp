// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/metrics/binary.hpp>

namespace tesserec::app {

/// Scores of a data set by a checkpoint, and by a folder that was exported from it.
struct ScoreComparison {
  metrics::BinaryMetrics checkpoint, folder;
  double largest_difference = 0.0;  ///< between the two scores of a sample

  std::string text() const;
  Json json() const;
};

/// Scores the samples of a labelled HDF5 data set by both models. Throws Error if the data set was preprocessed for
/// another model.
ScoreComparison compare_scores(const comm::Communicator& comm, const std::string& checkpoint, const std::string& folder,
                               const std::string& file);

}  // namespace tesserec::app
