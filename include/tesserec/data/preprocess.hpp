// SPDX-License-Identifier: Apache-2.0
/// Raw click logs -> HDF5 data sets (format: src/data/README.md). Every rank reads its share of the text
/// twice: once to count, once to write. The files have the same bytes for any number of ranks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/settings.hpp>

namespace tesserec::data {

/// What one raw file gave.
struct FileReport {
  std::string path;
  Index bytes = 0;               ///< on disk
  Index rows = 0;                ///< good ones
  Index bad_rows = 0;            ///< left out (bad_rows = "skip")
  std::vector<std::string> bad;  ///< the first few of them, "file:line: reason"
};

/// What one data set file holds.
struct DatasetReport {
  std::string output;             ///< path; empty when there is none
  Index rows = 0;                 ///< samples N
  std::array<Index, 2> labels{};  ///< samples with label 0, with label 1
  std::vector<FileReport> files;

  Index bad_rows() const;
};

struct PreprocessReport {
  DatasetReport train;
  DatasetReport evaluate;
  std::vector<std::string> dense_features;
  std::vector<std::string> transforms;  ///< of the dense features, with what was measured: "standardise mean=.. sd=.."
  std::vector<std::string> features;
  std::vector<Index> ids;  ///< vocabulary size of each feature, id 0 included
  double seconds = 0;
};

/// Writes <output>/train.h5 and, where evaluation files are given, <output>/evaluate.h5. Both stand complete
/// or not at all: they are written under other names and renamed at the end. Collective; any failure is the
/// same Error on every rank, bad rows included when settings say stop.
PreprocessReport preprocess(const comm::Communicator& comm, const PreprocessSettings& settings);

/// The report as lines for a person.
std::vector<std::string> summary(const PreprocessReport& report);

}  // namespace tesserec::data
