// SPDX-License-Identifier: Apache-2.0
/// Large files in parts of fixed logical ranges, whatever the ranks. The logical HDF5 file X.h5 is then an index, and a
/// folder X.DIGEST contains the parts 00000.h5, 00001.h5, ... (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

/// A dataset of a logical file: [rows, columns], or [rows] if columns is -1.
struct DatasetShape {
  std::string name;
  ElementType type = ElementType::f32;
  Index rows = 0;
  Index columns = -1;

  Index row_bytes() const;
  std::vector<Index> extents() const;
};

/// Returns the bytes of one element; 0 for ElementType::other.
Index element_bytes(ElementType type);

/// Calls f with a zero of the element's C++ type; does not call it for ElementType::other.
template <class F>
void with_element(ElementType type, const F& f) {
  switch (type) {
    case ElementType::f32:
      return f(float{});
    case ElementType::f64:
      return f(double{});
    case ElementType::i32:
      return f(std::int32_t{});
    case ElementType::i64:
      return f(std::int64_t{});
    case ElementType::u8:
      return f(std::uint8_t{});
    case ElementType::other:
      return;
  }
}

/// Map from rows of datasets to parts. It depends on the shapes and the size of a part alone.
class PartsLayout {
 public:
  /// Cuts groups of datasets into parts, one group after the other. The datasets of a group have equally many rows and
  /// are cut at the same rows. A part holds as many whole rows as fit into `part_bytes`, but at least one; 0 =
  /// automatic().
  explicit PartsLayout(std::vector<std::vector<DatasetShape>> groups, Index part_bytes = 0);

  /// Returns the bytes of a part: 64 MiB, and above 256 GiB the lowest multiple that makes at most 4096 parts.
  static Index automatic(Index total_bytes);

  /// Rows of one dataset in one part.
  struct Run {
    std::size_t dataset = 0;
    int part = 0;
    Index first_row = 0;
    Index rows = 0;
    Index end() const { return first_row + rows; }
  };
  int parts() const { return int(parts_.size()); }
  const std::vector<DatasetShape>& datasets() const { return datasets_; }
  const std::vector<Run>& of_part(int part) const { return parts_[part]; }
  const std::vector<Run>& of_dataset(std::size_t dataset) const { return runs_[dataset]; }
  Index bytes_of_part(int part) const;

 private:
  std::vector<DatasetShape> datasets_;
  std::vector<std::vector<Run>> parts_;  // at least one
  std::vector<std::vector<Run>> runs_;   // runs of each dataset, by row
};

/// Strips the ending: "X.h5" -> "X".
std::string stem_of(const std::string& path);
/// Returns the file name of a part, such as "00012.h5".
std::string part_name(int part);

}  // namespace tesserec::store
