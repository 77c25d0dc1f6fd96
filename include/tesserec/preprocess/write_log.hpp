// SPDX-License-Identifier: Apache-2.0
/// Writes the samples of sources as data sets, or as raw click logs that `preprocess` reads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::preprocess {

/// Form of written samples: Criteo's lines, the same packed by gzip, the same columns as Parquet, or HDF5 data sets.
enum class LogForm { tsv, gz, parquet, hdf5 };

/// Samples to write.
struct LogSource {
  std::string name;  ///< "train": the beginning of the files' names
  /// Makes the source with a deal.
  std::function<std::unique_ptr<data::Source>(const data::Deal&)> make;
};

/// Place and form of written samples.
struct LogWriting {
  std::string folder;  ///< folder to write, which must not exist
  LogForm form = LogForm::hdf5;
  std::uint64_t seed = 1;
  Index part_bytes = 0;  ///< bytes of a part of a large data set; 0 = automatic
  /// Samples of one raw file, rounded up to whole blocks. The next samples are in the next file.
  Index file_samples = Index{1} << 20;
};

/// Report on the written samples of one source.
struct WrittenLog {
  std::string name;
  Index samples = 0;
  Index ids = 0;
  std::vector<std::string> files;  ///< paths, in the order of the samples; a data set's parts are not listed
};

/// Writes the samples of all sources, in their order. The bytes do not depend on the number of ranks. The folder gets
/// its name when everything in it is on the disk. Throws Error if a source does not fit the form. Collective.
std::vector<WrittenLog> write_logs(const Exec& exec, const comm::Communicator& comm, const LogWriting& writing,
                                   const std::vector<LogSource>& sources);

}  // namespace tesserec::preprocess
