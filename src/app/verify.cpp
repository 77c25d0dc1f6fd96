// SPDX-License-Identifier: Apache-2.0
// tesserec verify: is what lies on the disk what was written? The ranks share the files.
#include <filesystem>

#include "command.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/store/checkpoint_folder.hpp>

namespace tesserec::app {
namespace {

/// A checkpoint of version 1 has checksums of its datasets alone: each is read, a run of rows by each rank.
void verify_datasets(const comm::Communicator& comm, const store::PartedFile& state) {
  require_gpu();  // the only part of verify that Kokkos computes
  const Kokkos::ScopeGuard kokkos;
  const Exec exec;
  for (const auto& [name, record] : store::list_state(state)) {
    const Index begin = record.rows * comm.rank() / comm.size(), end = record.rows * (comm.rank() + 1) / comm.size();
    std::vector<float> rows((end - begin) * record.columns);
    const store::Slab slab{begin, end - begin, 0, record.columns};
    store::read_state(exec, comm, state, {{name, record.rows, record.columns, slab, rows.data(), record.columns}});
  }
}

}  // namespace

int verify(const Invocation& invocation, const comm::Communicator& comm) {
  const std::string& path = invocation.deck;
  std::size_t parts = 0;
  if (std::filesystem::is_directory(path)) {
    const store::OpenCheckpoint checkpoint = store::open_checkpoint(comm, path);
    if (checkpoint.manifest.version == 1) verify_datasets(comm, checkpoint.state);
    parts = checkpoint.state.parts();
  } else {
    const store::PartedFile file = store::open_state(comm, path);
    if (file.seal().empty())
      fail(path, " has no checksum: another program wrote it, so there is nothing to compare with");
    parts = file.parts();
  }
  log_info(path + " is whole" + (parts > 0 ? ", with " + std::to_string(parts) + " parts" : ""));
  if (invocation.json) print(comm, Json::object().set("path", path).set("whole", true).set("parts", Index(parts)));
  return 0;
}

}  // namespace tesserec::app
