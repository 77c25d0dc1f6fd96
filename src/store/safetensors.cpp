// SPDX-License-Identifier: Apache-2.0
// Heads of safetensors files: 8 bytes, the length n of the JSON; n bytes of JSON, {"NAME": {"dtype", "shape",
// "data_offsets": [begin, end]}, ...}; then the numbers, at these offsets behind the JSON.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tensor_heads.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::store {
namespace {

constexpr Index largest_json = 100'000'000;  // bytes, as the format's library allows

/// Type of numbers by its name in the head.
struct DType {
  const char* name;
  Index bytes;
  TensorType type;
};
constexpr DType dtypes[] = {{"F32", 4, TensorType::fp32},  {"F16", 2, TensorType::fp16},  {"BF16", 2, TensorType::bf16},
                            {"F64", 8, TensorType::other}, {"I64", 8, TensorType::int64}, {"U64", 8, TensorType::other},
                            {"I32", 4, TensorType::other}, {"U32", 4, TensorType::other}, {"I16", 2, TensorType::other},
                            {"U16", 2, TensorType::other}, {"I8", 1, TensorType::other},  {"U8", 1, TensorType::other},
                            {"BOOL", 1, TensorType::other}};

StoredTensor tensor_of(const std::string& path, const std::string& name, const Json& json, Range numbers) {
  StoredTensor tensor{.name = name, .type_text = json.at("dtype").string(), .path = path};
  for (const Json& extent : json.at("shape").elements()) tensor.shape.push_back(extent.integer());
  const std::vector<Json>& offsets = json.at("data_offsets").elements();
  if (offsets.size() != 2) fail("data_offsets must be two numbers");
  const Index begin = offsets[0].integer(), end = offsets[1].integer();
  if (begin < 0 || end < begin || end > numbers.size())
    fail("data_offsets [", begin, ", ", end, "] exceed the ", numbers.size(),
         " bytes of numbers; the file is truncated or damaged, so write it again");
  tensor.offset = numbers.begin + begin;
  tensor.bytes = end - begin;
  const auto* const info = std::ranges::find_if(dtypes, [&](const DType& i) { return tensor.type_text == i.name; });
  if (info == std::end(dtypes)) return tensor;
  tensor.type = info->type;
  if (bytes_of_shape(tensor.shape, info->bytes) != tensor.bytes)
    fail("shape ", shape_text(tensor.shape), " of ", tensor.type_text, " does not have the ", tensor.bytes,
         " bytes of data_offsets");
  return tensor;
}

/// Throws Error unless the tensors cover the numbers once, as the format demands.
void require_cover(const std::string& path, const std::vector<StoredTensor>& tensors, Range numbers) {
  std::vector<const StoredTensor*> order;
  for (const StoredTensor& tensor : tensors) order.push_back(&tensor);
  std::ranges::sort(order, {}, [](const StoredTensor* tensor) { return std::pair(tensor->offset, tensor->bytes); });
  Index at = numbers.begin;
  for (const StoredTensor* tensor : order) {
    if (tensor->offset != at)
      fail(path, ": tensor ", tensor->name, " begins at byte ", tensor->offset, ", not where the one before ends, at ",
           at, "; the file is damaged, so write it again");
    at += tensor->bytes;
  }
  if (at != numbers.end)
    fail(path, ": the tensors end at byte ", at, ", but the file has ", numbers.end,
         "; it is damaged, so write it again");
}

}  // namespace

TensorMetadata metadata_of(const Json& json) {
  TensorMetadata metadata;
  for (const std::string& name : json.names())
    if (json.at(name).kind() == Json::Kind::string) metadata[name] = json.at(name).string();
  return metadata;
}

TensorHeads read_safetensors_head(const std::string& path) {
  constexpr Index length_bytes = 8;
  const Index size = file_bytes(path);
  if (size < length_bytes) fail(path, ": it is no safetensors file: it has only ", counted(size, "byte"));
  std::uint64_t length = 0;
  std::memcpy(&length, read_file(path, "the length of the head", length_bytes).data(), length_bytes);
  if (length > std::uint64_t(std::min(largest_json, size - length_bytes)))
    fail(path, ": it is no safetensors file, or it is truncated: its head would have ", length, " bytes, the file has ",
         size);
  const Range numbers{length_bytes + Index(length), size};
  TensorHeads heads;
  std::string name;
  try {
    const Json json = parse_json(read_file(path, "the head", std::size_t(numbers.begin)).substr(length_bytes));
    if (json.kind() != Json::Kind::object) fail("the head must be a JSON object");
    for (const std::string& member : json.names()) {
      name = member;
      if (name == "__metadata__")
        heads.metadata = metadata_of(json.at(name));
      else
        heads.tensors.push_back(tensor_of(path, name, json.at(name), numbers));
    }
  } catch (const Error& error) {
    fail(path, ": ", name.empty() ? "" : "tensor " + name + ": ", error.what());
  }
  require_cover(path, heads.tensors, numbers);
  return heads;
}

}  // namespace tesserec::store
