// SPDX-License-Identifier: Apache-2.0
// What all ranks together hold.
#pragma once

#include <algorithm>

#include <tesserec/store/state.hpp>

namespace tesserec::store {

/// A dataset is moved in pieces of at most these bytes.
inline constexpr Index state_piece_bytes = Index{256} << 20;

struct LogicalShape {
  Index rows = 0;
  Index columns = 0;
};
using Layout = std::map<std::string, LogicalShape>;

/// Collective: the names and shapes of all ranks' items. Error when two disagree on a shape.
Layout common_layout(const comm::Communicator& comm, const std::vector<StateItem>& items);

/// Collective: the sum over ranks, modulo 2^64, of each name's value.
std::map<std::string, std::uint64_t> sum_by_name(const comm::Communicator& comm, const Layout& layout,
                                                 const std::map<std::string, std::uint64_t>& mine);

/// Rows of an item where the host can read them: all of them as they lie, or copied piece by piece.
class HostRows {
 public:
  HostRows(const Exec& exec, const StateItem& item) : exec_(exec), item_(item) {}
  /// Returns the rows of a piece at most.
  Index most() const {
    const SlabSource& source = *item_.source;
    if (source.in_place({0, item_.slab.rows}) != nullptr) return item_.slab.rows;
    return std::max<Index>(1, piece_bytes / (std::max<Index>(1, source.ld()) * Index{sizeof(float)}));
  }
  /// Rows [first, first + rows) of the item, until the next call.
  const float* read(Index first, Index rows) {
    const SlabSource& source = *item_.source;
    const Range run{first, first + rows};
    if (const float* const there = source.in_place(run); there != nullptr) return there;
    staged_.resize(rows * source.ld());
    source.read(exec_, run, staged_.data());
    return staged_.data();
  }

 private:
  static constexpr Index piece_bytes = Index{32} << 20;
  const Exec& exec_;
  const StateItem& item_;
  std::vector<float> staged_;
};

inline Index columns_of(const StateItem& item) {
  return item.slab.columns < 0 ? item.columns - item.slab.first_column : item.slab.columns;
}

}  // namespace tesserec::store
