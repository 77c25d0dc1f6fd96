// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Returns "BYTES CHECKSUM" of each file: its seal or, without one, the checksum of all bytes, which the ranks read in
/// shares. Collective. Throws the same Error on all ranks.
std::vector<std::string> contents(const comm::Communicator& comm, const std::vector<SourceFile>& files);

/// Returns the digest of the data (docs/formats.md, data_digest) from contents(); empty without files.
std::string content_digest(const std::vector<std::string>& contents);
/// Returns content_digest() of the files at `paths`. Not collective.
std::string content_digest_of(const std::vector<std::string>& paths);

}  // namespace tesserec::data
