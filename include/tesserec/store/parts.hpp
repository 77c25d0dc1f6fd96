// SPDX-License-Identifier: Apache-2.0
/// Large files are cut into parts of fixed logical ranges, whatever the ranks: one logical HDF5 file X.h5 is then an
/// index, and a folder X.DIGEST with the parts 00000.h5, 00001.h5, ... (docs/formats.md).
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

/// A dataset of a logical file: [rows, columns], or [rows] where columns is -1.
struct DatasetShape {
  std::string name;
  ElementType type = ElementType::f32;
  Index rows = 0;
  Index columns = -1;

  Index row_bytes() const;
  std::vector<Index> extents() const;
};

/// Bytes of one element.
Index element_bytes(ElementType type);

/// Calls f with a value of the element's C++ type.
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

/// Map from rows of datasets to parts: a function of the shapes alone.
class PartsLayout {
 public:
  /// The datasets of a group have the same number of rows and are cut at the same ones. Groups follow each other, a
  /// part holds as many whole rows as fit into `part_bytes`; 0: automatic.
  explicit PartsLayout(std::vector<std::vector<DatasetShape>> groups, Index part_bytes = 0);

  /// 64 MiB, and for more than 256 GiB as much as makes 4096 parts.
  static Index automatic(Index total_bytes);

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
  std::vector<std::vector<Run>> runs_;   // of each dataset, by row
};

/// "X.h5" -> "X".
std::string stem_of(const std::string& path);
/// "00012.h5"
std::string part_name(int part);

}  // namespace tesserec::store
