// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/data/source.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/scores_file.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {

/// Returns the metrics of session.job.evaluate over one epoch of a source; `ids`, if given, gets its ids' counts.
/// Error: a sample without exactly one id of evaluate.group. Collective; like predict(), throws Stopped on all ranks
/// after a signal on one.
metrics::BinaryMetrics evaluate(Session& session, data::Source& source, std::vector<FeatureIds>* ids = nullptr);

/// Error unless `without`, the number of samples that have no id of the feature evaluate.group, or several, is 0.
void require_one_id(const std::string& group, Index without, const data::SourceInfo& data);

/// Writes each sample's probability, keys and, in HDF5, label, in the source's order to a new file (docs/formats.md).
/// Returns the samples. Collective; the same bytes from any number of ranks.
Index predict(Session& session, data::Source& source, const std::string& path, ScoresFormat format = ScoresFormat::h5);

/// The metrics that `names` asks for ("auc", ...), as one line for people.
std::string describe(const metrics::BinaryMetrics& all, const std::vector<std::string>& names);

}  // namespace tesserec::train
