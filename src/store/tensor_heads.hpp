// SPDX-License-Identifier: Apache-2.0
/// Heads of the files that TensorFile reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/json.hpp>
#include <tesserec/store/tensor_file.hpp>

namespace tesserec::store {

/// Tensors of a file or folder, and its metadata.
struct TensorHeads {
  std::vector<StoredTensor> tensors;
  TensorMetadata metadata;
};

/// Reads the head of a safetensors file. Throws Error as TensorFile does.
TensorHeads read_safetensors_head(const std::string& path);

/// Returns the members of a JSON object that are texts. Throws Error if it is no object.
TensorMetadata metadata_of(const Json& json);

/// Reads the head of an array written by numpy.save(). Throws Error if it is damaged, its numbers are not row-major, or
/// the file has not exactly their size.
StoredTensor read_npy_head(const std::string& path, const std::string& name);

/// Returns the bytes of `shape` in numbers of `number_bytes` bytes; nothing if that exceeds 2^62.
std::optional<Index> bytes_of_shape(const std::vector<Index>& shape, Index number_bytes);

/// Returns the size of a file in bytes. Throws Error if it is missing or no file.
Index file_bytes(const std::string& path);

}  // namespace tesserec::store
