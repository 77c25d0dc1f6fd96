// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::metrics {

/// How good a click model is on a set of samples.
struct BinaryMetrics {
  Index samples = 0;
  double auc = 0;          ///< area under the ROC curve, ties counted as half; NaN when only one class is there
  double log_loss = 0;     ///< mean, natural logarithm
  double ne = 0;           ///< log loss over the entropy of the mean label (He et al., ADKDD 2014); NaN for one class
  double calibration = 0;  ///< mean probability over mean label; NaN without a positive
  double accuracy = 0;     ///< share of (probability >= 0.5) == (label == 1)
  double mean_label = 0;
};

/// Exact metrics of the samples of all ranks: AUC by integer counts, sums by 128-bit fixed point, so that neither the
/// number of ranks nor the order of samples changes a bit. Collective. Each rank gives its own samples.
BinaryMetrics binary_metrics(const comm::Communicator& comm, std::span<const double> probabilities,
                             std::span<const float> labels);

}  // namespace tesserec::metrics
