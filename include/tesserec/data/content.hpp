// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Returns each file's "BYTES CHECKSUM", its seal's or that of all bytes. Collective; Errors are the same on all ranks.
std::vector<std::string> contents(const comm::Communicator& comm, const std::vector<SourceFile>& files);

/// Digest of the bytes of all files, in order, from their contents (docs/formats.md, data_digest); empty without files.
std::string content_digest(const std::vector<std::string>& contents);
/// The same of files that are named alone. Not collective.
std::string content_digest_of(const std::vector<std::string>& paths);

}  // namespace tesserec::data
