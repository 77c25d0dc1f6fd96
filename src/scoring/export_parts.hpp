// SPDX-License-Identifier: Apache-2.0
/// Parts that all forms of an export share: files on the disk, and a checkpoint's model read piece by piece.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/network/network.hpp>
#include <tesserec/scoring/model_folder.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::scoring {

/// A file that is written piece by piece, with its checksum.
class ExportedFile {
 public:
  /// Creates FOLDER/NAME, which must not exist.
  ExportedFile(const std::string& folder, std::string name);

  /// Appends bytes, of which less than a block stay in memory.
  void write(std::span<const std::byte> bytes);
  void write(const std::string& text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Writes the rest, waits for the disk and compares the file with what was written.
  FolderFile finish();

 private:
  void flush(Index size);

  std::string path_, name_;
  store::Descriptor file_;
  std::vector<std::byte> pending_;
  Index bytes_ = 0;
  std::uint64_t sum_ = 0;
};

/// Throws Error for a row with a number that is not finite, or that a format cannot hold. `exact`: the row [columns].
[[noreturn]] void fail_unfit(const std::string& owner, Index row, std::span<const float> exact, ServedFormat format);

/// Model of a checkpoint whose matrices are read piece by piece, each compared with its checksum.
class ExportSource {
 public:
  /// Opens and verifies a checkpoint. Throws Error if it is damaged.
  ExportSource(const Exec& exec, const std::string& checkpoint);

  const TrainedFacts& facts() const { return facts_; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return tables_; }
  /// Returns the precision in which the model is scored unless another one is chosen.
  products::Precision precision() const { return precision_; }
  /// Returns the number of a table's rows in the checkpoint.
  Index rows(const embedding::EmbeddingBagConfig& table) const {
    return table.grows() ? held_rows(checkpoint_.manifest, table) : table.rows().size();
  }
  /// Returns the ids of a growing table's rows.
  std::vector<Index> ids(const embedding::EmbeddingBagConfig& table);
  /// Lists the tensors of the network.
  const std::vector<network::Parameter>& tensors() const { return tensors_; }

  /// Calls take(rows, numbers) for pieces [rows, columns] of a table's rows or of a tensor, in order.
  template <class Take>
  void each_piece(const embedding::EmbeddingBagConfig& table, const Take& take) {
    each_piece("tables/" + table.name + "/weight", rows(table), table.embedding_dim, take);
  }
  template <class Take>
  void each_piece(const network::Parameter& tensor, const Take& take) {
    each_piece("dense/" + tensor.name + "/value", tensor.rows, tensor.columns, take);
  }
  /// Returns the digest of all matrices read so far, as `tesserec train` shows that of all weights.
  std::string digest() const;

 private:
  template <class Take>
  void each_piece(const std::string& name, Index rows, Index columns, const Take& take) {
    if (rows == 0) return;  // a matrix that files do not have
    const Index step = begin(name, rows, columns);
    for (Index first = 0; first < rows; first += step) {
      const Range piece{first, std::min(rows, first + step)};
      take(piece, read(piece));
    }
    end();
  }
  /// Begins a matrix and returns the rows of a piece.
  Index begin(const std::string& name, Index rows, Index columns);
  const float* read(Range rows);
  /// Compares the matrix with its checksum.
  void end();

  const Exec& exec_;
  store::OpenCheckpoint checkpoint_;
  TrainedFacts facts_;
  std::vector<embedding::EmbeddingBagConfig> tables_;
  products::Precision precision_ = products::Precision::fp32;
  std::vector<network::Parameter> tensors_;
  std::map<std::string, std::uint64_t> checksums_;
  // Current matrix.
  std::string name_;
  Index columns_ = 0;
  std::uint64_t stored_ = 0;
  std::vector<float> numbers_;
};

}  // namespace tesserec::scoring
