// SPDX-License-Identifier: Apache-2.0
/// The second reading of the raw files: rows -> HDF5.
#pragma once

#include <memory>
#include <string>

#include "encoding.hpp"
#include "survey.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/store/parted_writer.hpp>

namespace tesserec::data {

/// Writes the data set `path` (format: docs/formats.md) but for its publish(), and adds to the survey's report what
/// became of the columns. Keys go into data sets without a vocabulary. Collective.
std::unique_ptr<store::PartedWriter> write_dataset(const comm::Communicator& comm, const std::string& path,
                                                   Survey& survey, const RowFormat& format, const Encoding& encoding,
                                                   bool with_vocabulary, const PreprocessSettings& settings);

}  // namespace tesserec::data
