// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include "tensor_heads.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/short_floats.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/store/tensor_file.hpp>

namespace tesserec::store {
namespace {

namespace fs = std::filesystem;

/// Reads the metadata of a folder, and the heads of all its NAME.npy.
TensorHeads read_npy_heads(const std::string& folder) {
  TensorHeads heads;
  std::error_code code;
  for (fs::directory_iterator file(folder, code), end; !code && file != end; file.increment(code))
    if (file->path().extension() == ".npy")
      heads.tensors.push_back(read_npy_head(file->path().string(), file->path().stem().string()));
  if (code) fail(folder, ": cannot list the folder: ", code.message());
  if (heads.tensors.empty())
    fail(folder, ": the folder has no .npy file; name a folder of NumPy arrays, or a safetensors file");
  const std::string metadata = folder + "/" + metadata_file;
  if (!fs::exists(metadata)) return heads;
  try {
    heads.metadata = metadata_of(parse_json(read_file(metadata)));
  } catch (const Error& error) {
    fail(metadata, ": ", error.what(), "; the file is damaged, so export the weights again, or remove it");
  }
  return heads;
}

/// Reads `bytes` bytes from byte `at` of the file.
void read_at(const Descriptor& file, const StoredTensor& tensor, Index at, Index bytes, char* to) {
  while (bytes > 0) {
    const auto got = ::pread(file, to, std::size_t(bytes), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_errno(tensor.path, "read tensor " + tensor.name);
    if (got == 0)
      fail(tensor.path, ": it ends inside tensor ", tensor.name, "; the file was replaced while it was read");
    at += got;
    to += got;
    bytes -= got;
  }
}

}  // namespace

Index StoredTensor::count() const {
  Index count = 1;
  for (const Index extent : shape) count *= extent;
  return count;
}

std::string shape_text(const std::vector<Index>& shape) { return "[" + join(shape) + "]"; }

std::optional<Index> bytes_of_shape(const std::vector<Index>& shape, Index number_bytes) {
  constexpr Index most = Index{1} << 62;
  Index bytes = number_bytes;
  for (const Index extent : shape) {
    if (extent < 0 || (extent > 0 && bytes > most / extent)) return std::nullopt;
    bytes *= extent;
  }
  return bytes;
}

Index file_bytes(const std::string& path) {
  std::error_code code;
  const auto bytes = fs::file_size(path, code);
  if (code == std::errc::no_such_file_or_directory) fail(path, ": there is no such file; check the path");
  if (code) fail(path, ": cannot read its size: ", code.message());
  return Index(bytes);
}

TensorFile::TensorFile(const std::string& path) : path_(path) {
  std::error_code code;
  TensorHeads heads = fs::is_directory(path, code) ? read_npy_heads(path) : read_safetensors_head(path);
  tensors_ = std::move(heads.tensors);
  metadata_ = std::move(heads.metadata);
  std::ranges::sort(tensors_, {}, &StoredTensor::name);
}

const StoredTensor* TensorFile::find(const std::string& name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &StoredTensor::name);
  return found == tensors_.end() || found->name != name ? nullptr : &*found;
}

void read_numbers(const StoredTensor& tensor, Range numbers, float* to) {
  const Descriptor file(tensor.path, O_RDONLY, "open it");
  if (tensor.type == TensorType::fp32)
    return read_at(file, tensor, tensor.offset + 4 * numbers.begin, 4 * numbers.size(), reinterpret_cast<char*>(to));
  std::vector<std::uint16_t> shorts(std::size_t(numbers.size()));
  read_at(file, tensor, tensor.offset + 2 * numbers.begin, 2 * numbers.size(), reinterpret_cast<char*>(shorts.data()));
  std::ranges::transform(shorts, to, tensor.type == TensorType::fp16 ? from_fp16 : from_bf16);
}

void read_integers(const StoredTensor& tensor, Range numbers, Index* to) {
  const Descriptor file(tensor.path, O_RDONLY, "open it");
  constexpr Index bytes = sizeof(Index);
  read_at(file, tensor, tensor.offset + bytes * numbers.begin, bytes * numbers.size(), reinterpret_cast<char*>(to));
}

}  // namespace tesserec::store
