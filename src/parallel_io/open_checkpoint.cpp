// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/store/checkpoint_list.hpp>
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
  const store::Checkpoint first{.step = checkpoint.step, .folder = "", .seal = checkpoint.state};
  store::StateChain chain = store::chain_of(first, folder.deltas());
  std::vector<store::Checkpoint> whole;
  for (std::size_t k = 1; k < chain.states.size(); ++k) try {
      open_delta(comm, chain.states[k].folder);
      whole.push_back(std::move(chain.states[k]));
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {  // the same on all ranks
      chain.broken = error.what();
      break;
    }
  if (!chain.broken.empty() && comm.rank() == 0)
    log_warning(concat("deltas after step ", whole.empty() ? first.step : whole.back().step,
                       " are not used, so later steps are computed again: ", chain.broken));
  return whole;
}

}  // namespace tesserec::parallel_io
