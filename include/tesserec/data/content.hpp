// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/data/source.hpp>

namespace tesserec::data {

/// Digest of the bytes of all files, in order (docs/formats.md, data_digest); empty without files. A file's seal speaks
/// for it; the ranks together read each file without one. Collective; an Error is the same on all ranks.
std::string content_digest(const comm::Communicator& comm, const std::vector<SourceFile>& files);

}  // namespace tesserec::data
