// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/store/mapped_file.hpp>

namespace tesserec::scoring {

/// Vocabulary of a feature: a hash table from tokens to ids, which is a file of a model folder, mapped instead of read,
/// or lies in memory. docs/formats.md has its bytes.
class VocabularyFile {
 public:
  /// Maps a file. `rows`: ids, id 0 included. `bytes`: size of the file, vocabulary_head_bytes(rows) and the tokens.
  /// Throws Error if the size is another.
  VocabularyFile(const std::string& path, Index rows, Index bytes);

  /// Makes the same in memory. `path`: name of the vocabulary in messages. `offsets`, `tokens`: as vocabulary_table().
  VocabularyFile(const std::string& path, std::span<const Index> offsets, const char* tokens);

  /// Returns the number of ids, id 0 included.
  Index rows() const { return rows_; }
  /// Returns the id of a token, 0 if it has none. Throws Error, naming the file, if it is damaged.
  Index id(std::string_view token) const;

 private:
  std::string path_;
  Index rows_;
  Index slots_;
  Index token_bytes_;
  std::optional<store::MappedFile> file_;
  std::vector<std::byte> owned_;
  const std::byte* bytes_ = nullptr;
};

/// Returns the number of slots of a vocabulary: a power of two, at least 3/2 slots for each token.
Index vocabulary_slots(Index rows);
/// Returns the bytes of a vocabulary's file in front of its tokens.
Index vocabulary_head_bytes(Index rows);

/// Returns the slots of a vocabulary, as its file has them. `offsets` [rows + 1]: the token of id i is bytes
/// [offsets[i], offsets[i + 1]) of `tokens`; id 0 has none.
std::vector<std::uint64_t> vocabulary_table(std::span<const Index> offsets, const char* tokens);

}  // namespace tesserec::scoring
