// SPDX-License-Identifier: Apache-2.0
/// Weights of other programs: a safetensors file, or a folder of NumPy arrays.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// Type of a tensor's numbers on the disk, little-endian. `other`: a type whose tensors are listed but not read.
enum class TensorType { fp32, fp16, bf16, int64, other };

/// Place of a tensor's numbers, which lie row-major.
struct StoredTensor {
  std::string name;
  TensorType type = TensorType::other;
  std::string type_text = {};     ///< type as the file writes it, "F64" or "<f8"
  std::vector<Index> shape = {};  ///< no dimension = one number
  std::string path = {};          ///< file of the numbers
  Index offset = 0;               ///< byte of the first number
  Index bytes = 0;

  /// Returns the number of numbers.
  Index count() const;
  /// Returns whether read_numbers() takes the type.
  bool has_floats() const { return type != TensorType::int64 && type != TensorType::other; }
};

/// Facts that an export writes beside the tensors, by name: "vocabulary_digest", ...
using TensorMetadata = std::map<std::string, std::string>;
/// File of these facts in a folder of NumPy arrays; a safetensors file has them in its head, as "__metadata__".
inline constexpr const char* metadata_file = "metadata.json";

/// Tensors of a safetensors file, or of the files NAME.npy in a folder. Reads the heads alone.
class TensorFile {
 public:
  /// Opens the file or folder. Throws Error that names file and tensor if a head is damaged, if tensors overlap, leave
  /// gaps or exceed their file, or if a folder has no .npy file.
  explicit TensorFile(const std::string& path);

  const std::string& path() const { return path_; }
  /// Returns the tensors in the order of their names.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  /// Returns the tensor of this name; null if there is none.
  const StoredTensor* find(const std::string& name) const;
  /// Returns the metadata; empty if the program that wrote the tensors gave none.
  const TensorMetadata& metadata() const { return metadata_; }

 private:
  std::string path_;
  TensorMetadata metadata_;
  std::vector<StoredTensor> tensors_;
};

/// Reads numbers [numbers.begin, numbers.end) of a tensor as floats; fp16 and bf16 are widened exactly. The type must
/// be fp32, fp16 or bf16. Throws Error if the file is shorter than it was.
void read_numbers(const StoredTensor& tensor, Range numbers, float* to);
/// Reads such numbers of a tensor of type int64. Throws the same Error.
void read_integers(const StoredTensor& tensor, Range numbers, Index* to);

/// Returns a shape as "[16, 13]".
std::string shape_text(const std::vector<Index>& shape);

}  // namespace tesserec::store
