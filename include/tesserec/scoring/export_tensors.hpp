// SPDX-License-Identifier: Apache-2.0
/// The weights of a checkpoint for other programs: a safetensors file, or a folder of NumPy arrays.
#pragma once

#include <string>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/scoring/row_format.hpp>

namespace tesserec::scoring {

enum class TensorsForm { safetensors, npy };

/// Weights that were written.
struct ExportedTensors {
  Index step = 0;
  Index tensors = 0;
  Index bytes = 0;
  std::string weights_digest;  ///< digest of the weights before they were rounded, as `tesserec train` shows it
};

/// Writes the tables as "tables.NAME.weight" and the network's tensors as "dense.NAME", each [rows, columns] row-major,
/// to the file (safetensors) or folder (npy) `to`, which must not exist. `format` is that of the tables: fp32, fp16,
/// or, for safetensors, bf16; the network stays fp32. Nothing has the name `to` before all is on the disk and was read
/// back. Throws Error as export_model() does.
ExportedTensors export_tensors(const Exec& exec, const std::string& checkpoint, const std::string& to, TensorsForm form,
                               ServedFormat format);

}  // namespace tesserec::scoring
