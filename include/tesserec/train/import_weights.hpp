// SPDX-License-Identifier: Apache-2.0
/// Weights of other programs as the first checkpoint of a run.
#pragma once

#include <string>
#include <vector>

#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Names that a file's tensors have. `tesserec`: as `tesserec export` writes them. `reference`: facebookresearch/dlrm.
/// `torchrec`: TorchRec's DLRM and DLRM_DCN.
enum class NameMap { tesserec, reference, torchrec };

/// Source of the weights, and the choice of tensors.
struct ImportSettings {
  std::string from;                          ///< safetensors file, or folder of .npy files
  NameMap map = NameMap::tesserec;           ///< names of the tensors that `tensors` does not name
  std::vector<ImportedTensor> tensors = {};  ///< [[import]]
  std::vector<std::string> only = {};        ///< patterns (*, ?) of our names to read; empty = all tensors of the model
  bool fewer_rows = false;                   ///< true if tables of the file may have fewer rows than the model's
};

/// Tensor of the model and its name in the file.
struct NamedTensor {
  std::string name, from;
};

/// Weights that were read, and the checkpoint that has them.
struct Imported {
  std::string checkpoint;
  std::string weights_digest;
  std::vector<NamedTensor> tensors = {};     ///< tensors that were read
  std::vector<std::string> kept = {};        ///< tensors of the model that were not, because `only` leaves them out
  std::vector<std::string> fewer_rows = {};  ///< tables whose further rows keep their values
  std::vector<std::string> left_out = {};    ///< tensors of the file that nothing uses
};

/// Begins a run as a training does, at step 0, from checkpoint.start_from if that is set. Then replaces weights by
/// those of a file, and writes the run's first checkpoint. Optimizer states are those of the beginning. Each rank reads
/// its own rows alone. Throws one Error, before it writes, that names all tensors that are missing or do not fit; also
/// if the run's folder has checkpoints, unless run.overwrite, or if the file's metadata name another vocabulary than
/// that of the data, unless checkpoint.accept has "data". Collective.
Imported import_weights(Session& session, const ImportSettings& settings, Index epoch_samples);

}  // namespace tesserec::train
