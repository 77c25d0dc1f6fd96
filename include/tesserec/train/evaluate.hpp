// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/data/source.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/scores_file.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {

/// All metrics over one epoch of a source, from its start, as session.job.evaluate wants them; those of
/// groups where it asks for one. Error: a sample without one id of the feature evaluate.group. Collective. Throws
/// Stopped on all ranks after a signal on one; predict() likewise. `ids`, where given, gets the counts of the source's
/// ids.
metrics::BinaryMetrics evaluate(Session& session, data::Source& source, std::vector<FeatureIds>* ids = nullptr);

/// Error unless `without`, the number of samples that have no id of the feature evaluate.group, or several, is 0.
void require_one_id(const std::string& group, Index without, const data::SourceInfo& data);

/// Writes the probability of every sample of one epoch, its keys, and in HDF5 its label where there is one, to a new
/// file (docs/formats.md), in the source's order. Collective; the same bytes from any number of ranks. Returns the
/// samples.
Index predict(Session& session, data::Source& source, const std::string& path, ScoresFormat format = ScoresFormat::h5);

/// The metrics that `names` asks for ("auc", ...), as one line for people.
std::string describe(const metrics::BinaryMetrics& all, const std::vector<std::string>& names);

}  // namespace tesserec::train
