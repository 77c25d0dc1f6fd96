// SPDX-License-Identifier: Apache-2.0
/// Preprocessing of raw click logs to HDF5 datasets (format: src/preprocess/README.md). Every rank reads its share of
/// the text to count, and then the rows that it kept or the text again, to write. The files have the same bytes for any
/// number of ranks.
#pragma once

#include <tesserec/comm/communicator.hpp>
#include <tesserec/preprocess/report.hpp>
#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// Writes <output>/train.h5, evaluate.h5 and predict.h5 from the given raw files. Renames them at the end, when
/// all are written. Collective. Throws the same Error on every rank. Bad rows are an Error if the settings say stop. So is a
/// vocabulary that does not fit the columns, and a share of unknown values above max_unknown in a file that teaches no
/// ids.
PreprocessReport run(const comm::Communicator& comm, const Settings& settings);

}  // namespace tesserec::preprocess
