// SPDX-License-Identifier: Apache-2.0
// A row store that keeps its rows in a std::map and the resident ones in slots, which it evicts at random.
#pragma once

#include <map>
#include <optional>
#include <random>

#include <tesserec/core/error.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace test {

using namespace tesserec;

class MapRows : public embedding::RowStore {
 public:
  /// `slots`: largest number of resident rows.
  MapRows(const Exec& exec, const embedding::TableShard& shard, Index slots)
      : RowStore(shard, embedding::row_matrices(exec, shard, slots)),
        config_(shard.config),
        columns_(shard.columns),
        at_(std::size_t(slots)) {
    for (const embedding::RowMatrix& matrix : matrices())
      first_.push_back(std::vector<float>(std::size_t(matrix.values.columns()), numbers_of(exec, matrix, 0)[0]));
  }

  std::vector<Index> pin(const Exec& exec, std::span<const Index> rows) override {
    for (std::size_t p = 0; p < at_.size(); ++p)
      if (at_[p].pins == 0 && random_() % 2 == 0) evict(exec, Index(p));
    std::vector<Index> slots;
    for (const Index row : rows) {
      const auto found = slot_of_.find(row);
      const Index slot = found != slot_of_.end() ? found->second : admit(exec, row);
      ++at_[std::size_t(slot)].pins;
      slots.push_back(slot);
    }
    return slots;
  }
  void release(std::span<const Index> slots, bool moved) override {
    for (const Index p : slots) {
      --at_[std::size_t(p)].pins;
      at_[std::size_t(p)].moved |= moved;
    }
  }
  Index row_at(Index slot) const override { return at_[std::size_t(slot)].row; }

  void read(const Exec& exec, std::size_t matrix, Range rows, float* to) const override {
    for (Index row = rows.begin; row < rows.end; ++row) {
      const auto slot = slot_of_.find(row);
      const auto away = rows_.find(row);
      const std::vector<float> numbers = slot != slot_of_.end() ? numbers_of(exec, matrices()[matrix], slot->second)
                                         : away != rows_.end()  ? away->second[matrix]
                                                                : start(row)[matrix];
      to = std::copy(numbers.begin(), numbers.end(), to);
    }
  }
  void write(const Exec&, std::size_t matrix, Range rows, const float* from) override {
    for (Index row = rows.begin; row < rows.end; ++row) {
      std::vector<float>& to = rows_.try_emplace(row, start(row)).first->second[matrix];
      std::copy_n(from, to.size(), to.begin());
      from += to.size();
    }
  }
  void initialize(const Exec&, const embedding::StartValues& start) override { start_.emplace(start); }

  Index evictions() const { return evictions_; }

 private:
  using Row = std::vector<std::vector<float>>;  // [matrix]
  struct At {
    Index row = -1, pins = 0;
    bool moved = false;
  };

  static std::vector<float> numbers_of(const Exec& exec, const embedding::RowMatrix& matrix, Index slot) {
    std::vector<float> numbers(std::size_t(matrix.values.columns()));
    copy(exec, matrix.values.place(), matrix.values.data() + slot * matrix.values.columns(), Place::host,
         numbers.data(), std::ssize(numbers));
    return numbers;
  }
  Row start(Index row) const {
    Row numbers = first_;
    (*start_)({row, row + 1}, columns_, numbers[0].data());
    return numbers;
  }
  /// Saves the slot's row only if release() reported a move. A caller that forgets to report loses the row's update.
  void evict(const Exec& exec, Index slot) {
    At& at = at_[std::size_t(slot)];
    if (at.row < 0) return;
    ++evictions_;
    if (at.moved) {
      Row& to = rows_[at.row];
      to.clear();
      for (const embedding::RowMatrix& matrix : matrices()) to.push_back(numbers_of(exec, matrix, slot));
    }
    slot_of_.erase(at.row);
    at = {};
  }
  Index admit(const Exec& exec, Index row) {
    std::size_t slot = random_() % at_.size();
    for (std::size_t tried = 0; at_[slot].pins > 0; slot = (slot + 1) % at_.size())
      if (++tried > at_.size()) fail("table ", config_.name, ": more rows are pinned than there are slots");
    evict(exec, Index(slot));
    const auto found = rows_.find(row);
    const Row numbers = found == rows_.end() ? start(row) : found->second;
    for (std::size_t m = 0; m < matrices().size(); ++m) {
      const PlacedMatrix<float>& to = matrices()[m].values;
      copy(exec, Place::host, numbers[m].data(), to.place(), to.data() + Index(slot) * to.columns(), to.columns());
    }
    at_[slot].row = row;
    slot_of_[row] = Index(slot);
    return Index(slot);
  }

  embedding::EmbeddingBagConfig config_;
  Range columns_;
  std::optional<embedding::StartValues> start_;
  std::vector<At> at_;  // [slots]
  Row first_;           // numbers of a new row; weights are the start values
  std::map<Index, Row> rows_;
  std::map<Index, Index> slot_of_;
  std::mt19937 random_{7};
  Index evictions_ = 0;
};

}  // namespace test
