// SPDX-License-Identifier: Apache-2.0
// tesserec predict: scores of a checkpoint for the evaluation data, as an HDF5 file.
#include <filesystem>

#include "job.hpp"
#include "loaded_model.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::app {

int predict(const Invocation& invocation, const comm::Communicator& comm) {
  LoadedModel loaded(invocation.read_deck(), comm);
  const std::string path =
      invocation.has("--scores") ? invocation.options.at("--scores") : loaded.job.run.folder() + "/scores.h5";
  const auto parent = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) fail("cannot make the folder ", parent.string(), ": ", error.message());
  const Index samples = train::predict(*loaded.session, *loaded.source, path);
  log_info(std::to_string(samples) + " scores in " + path);
  if (invocation.json)
    print(comm, Json::object().set("scores", path).set("samples", samples).set("checkpoint", loaded.checkpoint));
  return 0;
}

}  // namespace tesserec::app
