// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::parallel_io {
namespace {

using OpenFolder = store::OpenCheckpoint (*)(const std::string& folder, Index share, Index shares);

/// Opens a folder by `open_share` on all ranks, a share of its parts on each. Collective.
store::OpenCheckpoint open_together(const comm::Communicator& comm, const std::string& folder, OpenFolder open_share) {
  std::optional<store::OpenCheckpoint> open;
  comm::agree(comm, [&] { open.emplace(open_share(folder, comm.rank(), comm.size())); });
  // Version 1 has no seals. The checksum of its manifest, which has the checksums of all datasets, is compared instead.
  const store::Manifest& manifest = open->manifest;
  const std::string text = store::manifest_text(manifest);
  const std::string content =
      manifest.state.empty()
          ? "datasets " + store::checksum_text(store::bytes_checksum("manifest", text.data(), std::ssize(text)))
          : "seal " + manifest.state;
  comm::require_same(comm, {{folder, concat("step ", manifest.step, ", ", content)}},
                     "all ranks must read the same checkpoint; look for an older copy on another node");
  return std::move(*open);
}

}  // namespace

store::OpenCheckpoint open_checkpoint(const comm::Communicator& comm, const std::string& folder) {
  return open_together(comm, folder, store::open_checkpoint);
}

store::OpenCheckpoint open_delta(const comm::Communicator& comm, const std::string& folder) {
  return open_together(comm, folder, store::open_delta);
}

std::vector<store::Checkpoint> unbroken_deltas(const comm::Communicator& comm, const CheckpointFolder& folder,
                                               const store::Manifest& checkpoint) {
  std::vector<store::Checkpoint> chain;
  store::Continued state{checkpoint.step, checkpoint.state};
  const auto warn = [&](const std::string& delta, const std::string& reason) {
    if (comm.rank() == 0)
      log_warning(concat(delta, " and deltas after it are not used, so steps after ", state.step,
                         " are computed again: ", reason));
  };
  for (const store::Checkpoint& delta : folder.deltas()) {
    if (delta.step <= checkpoint.step) continue;  // the checkpoint is newer
    if (delta.continues != state) {
      warn(delta.folder,
           concat("it continues a state of step ", delta.continues->step, " that is missing or has been replaced"));
      break;
    }
    try {
      state = {delta.step, open_delta(comm, delta.folder).manifest.state};
      chain.push_back(delta);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {  // the same on all ranks
      warn(delta.folder, error.what());
      break;
    }
  }
  return chain;
}

}  // namespace tesserec::parallel_io
