// SPDX-License-Identifier: Apache-2.0
/// Whole numbers as named state: matrices of words of 16 bits, which floats hold exactly, so that checksums and parts
/// are those of floats.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/store/state.hpp>

namespace tesserec::store {

inline constexpr Index row_number_words = 4;   ///< words of a row's number in a delta
inline constexpr Index block_count_words = 2;  ///< words of a block's number of moved rows in a delta
/// Lists of ids of a growing table in a delta: those with a row that batches used, evicted ones, those that wait for a
/// row and were used, and those that wait no more.
inline constexpr std::array change_ids = {"ids", "evicted_ids", "waiting_ids", "not_waiting_ids"};
inline constexpr std::size_t used_list = 0, evicted_list = 1, waiting_list = 2, not_waiting_list = 3;
/// Returns the first of the words of a block that have the size of such a list.
constexpr Index change_word(std::size_t list) { return Index(list) * block_count_words; }
/// Words of a block of a growing table in a delta: the sizes of the lists, then the training batches so far.
inline constexpr Index change_count_words = change_word(change_ids.size()) + row_number_words;

/// Whole numbers of a matrix as words of 16 bits, the lowest first.
class WordRows : public SlabSource {
 public:
  WordRows(Index rows, Index words) : SlabSource(words), words_(std::size_t(rows * words)) {}

  float* in_place(Range rows) const override { return words_.data() + rows.begin * ld(); }
  void read(const Exec&, Range rows, float* to) const override;
  void write(const Exec&, Range rows, const float* from) override;

  /// Writes a number to `count` words of a row.
  void put(Index row, Index first, Index count, std::uint64_t number);
  std::uint64_t get(Index row, Index first, Index count) const;
  Index rows() const { return std::ssize(words_) / ld(); }

 private:
  mutable std::vector<float> words_;
};

/// Adds rows `own` of `all` of a matrix of words, unless there are none.
void add_words(const std::string& name, Range own, Index all, std::shared_ptr<WordRows> words, bool owned,
               std::vector<StateItem>& items);

/// Returns the name of a table's matrix, "tables/TABLE/MATRIX".
inline std::string item_name(const std::string& table, const std::string& matrix) {
  return "tables/" + table + "/" + matrix;
}

}  // namespace tesserec::store
