// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>

#include "export_parts.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/export_tensors.hpp>
#include <tesserec/store/folder_draft.hpp>
#include <tesserec/store/tensor_file.hpp>

namespace tesserec::scoring {
namespace {

/// Tensor of an export, and where its numbers are.
struct ExportedTensor {
  std::string name;
  Index rows, columns;
  ServedFormat format;
  const embedding::EmbeddingBagConfig* table;  // null: a tensor of the network
  const network::Parameter* tensor;
  bool is_ids = false;  // the table's ids, integers of 64 bits, one a row

  Index bytes() const { return rows * (is_ids ? Index{sizeof(Index)} : row_bytes(format, columns)); }
  std::vector<Index> shape() const { return is_ids ? std::vector{rows} : std::vector{rows, columns}; }
};

std::vector<ExportedTensor> tensors_of(const ExportSource& source, ServedFormat format) {
  std::vector<ExportedTensor> all;
  for (const embedding::EmbeddingBagConfig& table : source.tables()) {
    const Index rows = source.rows(table);
    if (table.grows()) all.push_back({"tables." + table.name + ".ids", rows, 1, format, &table, nullptr, true});
    all.push_back({"tables." + table.name + ".weight", rows, table.embedding_dim, format, &table, nullptr});
  }
  for (const network::Parameter& tensor : source.tensors())
    all.push_back({"dense." + tensor.name, tensor.rows, tensor.columns, ServedFormat::fp32, nullptr, &tensor});
  return all;
}

void write_numbers(ExportSource& source, const ExportedTensor& tensor, ExportedFile& file) {
  if (tensor.is_ids) return file.write(std::as_bytes(std::span<const Index>(source.ids(*tensor.table))));
  std::vector<std::byte> bytes;
  std::vector<float> stored;
  const auto take = [&](Range rows, const float* numbers) {
    bytes.resize(std::size_t(rows.size() * row_bytes(tensor.format, tensor.columns)));
    stored.resize(std::size_t(rows.size() * tensor.columns));
    write_rows(tensor.format, rows.size(), tensor.columns, numbers, bytes.data());
    read_rows(tensor.format, rows.size(), tensor.columns, bytes.data(), stored.data());
    RowErrors errors;
    if (const Index bad = raise_errors(rows.size(), tensor.columns, numbers, stored.data(), errors); bad >= 0)
      fail_unfit(tensor.name, rows.begin + bad, {numbers + bad * tensor.columns, std::size_t(tensor.columns)},
                 tensor.format);
    file.write(bytes);
  };
  if (tensor.table != nullptr)
    source.each_piece(*tensor.table, take);
  else
    source.each_piece(*tensor.tensor, take);
}

/// Returns the bytes of a little-endian number.
template <class T>
std::string bytes_of_number(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

Json metadata_of(const TrainedFacts& facts) {
  return Json::object()
      .set("format", "tesserec")
      .set("step", std::to_string(facts.step))
      .set("vocabulary_digest", facts.vocabulary);
}

/// Returns the head of a safetensors file: the length of the JSON, and the JSON, padded to 8 bytes.
std::string safetensors_head(const std::vector<ExportedTensor>& tensors, const TrainedFacts& facts) {
  const auto dtype = [](const ExportedTensor& tensor) {
    if (tensor.is_ids) return "I64";
    if (tensor.format == ServedFormat::fp32) return "F32";
    return tensor.format == ServedFormat::fp16 ? "F16" : "BF16";
  };
  Json json = Json::object();
  json.set("__metadata__", metadata_of(facts));
  Index at = 0;
  for (const ExportedTensor& tensor : tensors) {
    json.set(tensor.name, Json::object()
                              .set("dtype", dtype(tensor))
                              .set("shape", tensor.shape())
                              .set("data_offsets", std::vector<Index>{at, at + tensor.bytes()}));
    at += tensor.bytes();
  }
  std::string text = json.text();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return bytes_of_number(std::uint64_t(text.size())) + text;
}

/// Returns the head of an .npy file of version 1.0, padded to 64 bytes.
std::string npy_head(const ExportedTensor& tensor) {
  constexpr std::size_t before = 10, line = 64;  // bytes: magic, version and length; alignment of the numbers
  std::string type = tensor.format == ServedFormat::fp32 ? "<f4" : "<f2";
  if (tensor.is_ids) type = "<i8";
  std::string text = concat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", join(tensor.shape()),
                            tensor.is_ids ? ",), }" : "), }");
  text.resize((before + text.size() + 1 + line - 1) / line * line - before - 1, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + bytes_of_number(std::uint16_t(text.size())) + text;
}

Index write_safetensors(ExportSource& source, const std::vector<ExportedTensor>& tensors, store::FolderDraft& draft) {
  const std::string name = "model.safetensors";
  ExportedFile file(draft.draft(), name);
  file.write(safetensors_head(tensors, source.facts()));
  for (const ExportedTensor& tensor : tensors) write_numbers(source, tensor, file);
  const Index bytes = file.finish().bytes;
  draft.publish_file(name);
  return bytes;
}

Index write_npy(ExportSource& source, const std::vector<ExportedTensor>& tensors, store::FolderDraft& draft) {
  Index bytes = 0;
  for (const ExportedTensor& tensor : tensors) {
    ExportedFile file(draft.draft(), tensor.name + ".npy");
    file.write(npy_head(tensor));
    write_numbers(source, tensor, file);
    bytes += file.finish().bytes;
  }
  ExportedFile metadata(draft.draft(), store::metadata_file);
  const std::string text = metadata_of(source.facts()).text() + "\n";
  metadata.write(std::as_bytes(std::span(text)));
  bytes += metadata.finish().bytes;
  draft.publish();
  return bytes;
}

}  // namespace

ExportedTensors export_tensors(const Exec& exec, const std::string& checkpoint, const std::string& to, TensorsForm form,
                               ServedFormat format) {
  const bool is_npy = form == TensorsForm::npy;
  if (is_coded(format)) fail("--rows ", name(format), " is a format of model folders alone; use fp32, fp16 or bf16");
  if (is_npy && format == ServedFormat::bf16) fail("NumPy has no bf16; use --rows fp32 or fp16");
  store::FolderDraft draft(to, "--to");
  ExportSource source(exec, checkpoint);
  const std::vector<ExportedTensor> tensors = tensors_of(source, format);
  const Index bytes = is_npy ? write_npy(source, tensors, draft) : write_safetensors(source, tensors, draft);
  return {source.facts().step, std::ssize(tensors), bytes, source.digest()};
}

}  // namespace tesserec::scoring
