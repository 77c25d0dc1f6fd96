// SPDX-License-Identifier: Apache-2.0
#pragma once

/// metrics: the quality of a click model over all ranks' samples, with the same bits for any split of the samples.
/// binary_metrics() computes AUC, AUPRC, log loss, calibration and their like as `BinaryMetrics`. group_metrics()
/// computes means over groups such as users, and candidate_recall() the recall of two towers; the caller stores both in
/// the `BinaryMetrics`. chosen() then returns metrics by their names in decks. `SampleSums` add and subtract samples
/// exactly. Each rank gives its own samples: probabilities and labels in [0, 1], and weights on all ranks or on none.
/// Functions of a communicator are collective. Spans are read during the call alone. An undefined metric is NaN, as AUC
/// is with one class. chosen() throws class Error for an unknown name. src/metrics/README.md has the formulas;
/// docs/training.md ("Evaluating") shows them in a run.
///
/// ```cpp
/// const std::vector<double> probabilities{0.9, 0.2, 0.6};  // this rank's samples
/// const std::vector<float> labels{1, 0, 0};
/// const std::vector<Index> users{7, 7, 8};
/// const auto by_samples = metrics::GroupWeight::samples;
/// metrics::BinaryMetrics result = metrics::binary_metrics(world, probabilities, labels);
/// static_cast<metrics::GroupMetrics&>(result) =
///     metrics::group_metrics(world, users, probabilities, labels, 10, by_samples);  // recall and NDCG at 10
/// for (const auto& [name, value] : metrics::chosen(result, {"auc", "ne", "gauc"}))
///   if (world.rank() == 0) comm::say(concat(name, " ", significant(value, 4)));
/// ```

#include <tesserec/metrics/binary.hpp>
#include <tesserec/metrics/candidates.hpp>
#include <tesserec/metrics/fixed_point.hpp>
#include <tesserec/metrics/groups.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/metrics/sample_sums.hpp>
#include <tesserec/metrics/score_bins.hpp>
#include <tesserec/metrics/settings.hpp>
