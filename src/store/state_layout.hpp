// SPDX-License-Identifier: Apache-2.0
// What all ranks together hold.
#pragma once

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

inline Index columns_of(const StateItem& item) {
  return item.slab.columns < 0 ? item.columns - item.slab.first_column : item.slab.columns;
}

}  // namespace tesserec::store
