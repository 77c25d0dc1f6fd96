// SPDX-License-Identifier: Apache-2.0
/// What writing and reading checkpoints share.
#pragma once

#include <string>
#include <vector>

#include <tesserec/store/checkpoint_folder.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Weights and optimizer states of the session's model, this rank's parts.
std::vector<store::StateItem> all_items(const Session& session);

/// Finds out which bytes the training data have, from here on. Collective.
void know_content(Session& session);

/// ": 12.3 MB in 0.004 s, 3.1 GB/s".
std::string rate_of(const store::StateRecords& records, double seconds);

/// Opens the checkpoint of `path`, as store::find_checkpoint; messages name the deck's `key`, if any. Collective.
struct NamedCheckpoint {
  std::string folder;
  store::OpenCheckpoint open;
};
NamedCheckpoint open_named(const comm::Communicator& comm, const std::string& path, const std::string& key);

}  // namespace tesserec::train
