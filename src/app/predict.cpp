// SPDX-License-Identifier: Apache-2.0
// tesserec predict: scores of a checkpoint for the evaluation data, as an HDF5 file.
#include <filesystem>

#include "job.hpp"
#include "loaded_model.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::app {

int predict(const Invocation& invocation, const comm::Communicator& comm) {
  LoadedModel loaded(invocation.read_deck(), comm, data::Use::predict);
  const std::string path =
      invocation.has("--scores") ? invocation.options.at("--scores") : loaded.job.run.folder() + "/scores.h5";
  comm::agree(comm, [&] {
    if (comm.rank() == 0) store::make_folder_durably(std::filesystem::path(path).parent_path().string());
  });
  const Index samples = train::predict(*loaded.session, *loaded.source, path);
  log_info(std::to_string(samples) + " scores in " + path);
  if (invocation.json)
    print(comm, Json::object().set("scores", path).set("samples", samples).set("checkpoint", loaded.checkpoint));
  return 0;
}

}  // namespace tesserec::app
