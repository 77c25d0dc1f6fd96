// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include <tesserec/core/text.hpp>
#include <tesserec/store/parts.hpp>

namespace tesserec::store {

Index element_bytes(ElementType type) {
  Index bytes = 0;
  with_element(type, [&](auto element) { bytes = Index{sizeof element}; });
  return bytes;
}

Index DatasetShape::row_bytes() const { return columns < 0 ? element_bytes(type) : columns * element_bytes(type); }

std::vector<Index> DatasetShape::extents() const {
  return columns < 0 ? std::vector<Index>{rows} : std::vector<Index>{rows, columns};
}

Index PartsLayout::automatic(Index total_bytes) {
  constexpr Index unit = Index{64} << 20, max_parts = 4096;
  return unit * std::max<Index>(1, (total_bytes + unit * max_parts - 1) / (unit * max_parts));
}

PartsLayout::PartsLayout(std::vector<std::vector<DatasetShape>> groups, Index part_bytes) : parts_(1) {
  if (part_bytes <= 0) {
    Index total = 0;
    for (const auto& group : groups)
      for (const DatasetShape& dataset : group) total += dataset.rows * dataset.row_bytes();
    part_bytes = automatic(total);
  }
  Index capacity = part_bytes;
  for (const auto& group : groups) {
    const std::size_t first = datasets_.size();
    Index row_bytes = 0;
    for (const DatasetShape& dataset : group) {
      assert(dataset.rows == group.front().rows);
      row_bytes += dataset.row_bytes();
      datasets_.push_back(dataset);
    }
    runs_.resize(datasets_.size());
    const Index rows = group.empty() || row_bytes == 0 ? 0 : group.front().rows;
    for (Index row = 0; row < rows;) {
      Index fit = std::min(rows - row, capacity / row_bytes);
      if (fit == 0 && !parts_.back().empty()) {
        parts_.emplace_back();
        capacity = part_bytes;
        continue;
      }
      fit = std::max<Index>(fit, 1);  // A row longer than a part gets a part of its own.
      for (std::size_t d = first; d < datasets_.size(); ++d) {
        if (datasets_[d].row_bytes() == 0) continue;
        const Run run{d, parts() - 1, row, fit};
        parts_.back().push_back(run);
        runs_[d].push_back(run);
      }
      capacity = std::max<Index>(0, capacity - fit * row_bytes);  // An overfull part takes no more rows.
      row += fit;
    }
  }
}

Index PartsLayout::bytes_of_part(int part) const {
  Index bytes = 0;
  for (const Run& run : of_part(part)) bytes += run.rows * datasets_[run.dataset].row_bytes();
  return bytes;
}

std::string stem_of(const std::string& path) {
  constexpr std::string_view ending = ".h5";
  const bool ends =
      path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
  return ends ? path.substr(0, path.size() - ending.size()) : path;
}

std::string part_name(int part) { return right(std::to_string(part), 5, '0') + ".h5"; }

}  // namespace tesserec::store
