// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/data/source.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/scores_file.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {

/// Computes the metrics of session.job.evaluate over the epoch `epoch` of a source. Writes the counts of the source's
/// ids to `ids` unless null. Collective. Metrics of groups throw Error if a sample has not exactly one id of
/// evaluate.group. Metrics of candidates throw Error if the model has no two towers. Like predict(), throws Stopped on
/// all ranks after a signal on one.
metrics::BinaryMetrics evaluate(Session& session, data::Source& source, std::vector<FeatureIds>* ids = nullptr,
                                Index epoch = 0);

/// Throws Error unless `without` is 0: the number of samples in `data` with no id, or several, of the feature `group`.
void require_one_id(const std::string& group, Index without, const data::SourceInfo& data);

/// Writes each sample's probability, keys and, in HDF5, label to a file (docs/formats.md), in the source's order. An
/// older file of scores is replaced; any other file is an Error. Returns the number of samples. The bytes are the same
/// for any number of ranks. Collective.
Index predict(Session& session, data::Source& source, const std::string& path, ScoresFormat format = ScoresFormat::h5);

/// Returns the metrics in `names` ("auc", ...), then the counts of samples and clicks and the base rate, as one line
/// for people.
std::string describe(const metrics::BinaryMetrics& all, const std::vector<std::string>& names);

}  // namespace tesserec::train
