// SPDX-License-Identifier: Apache-2.0
/// HDF5 files behind one class. The library is not thread-safe: every call passes one lock. Errors name file
/// and object. Element types: float, double, std::int32_t, std::int64_t, std::uint8_t; reading converts
/// between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

enum class ElementType { f32, f64, i32, i64, u8, other };

/// Value of an attribute of a group or dataset.
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

/// Permission for a file to take numbers from others (virtual datasets, external storage, links), as its writer chose.
enum class Trust { none, all };

/// A block of a one- or two-dimensional dataset. columns = -1: all (and 1-D datasets).
struct Slab {
  Index first_row = 0;
  Index rows = 0;
  Index first_column = 0;
  Index columns = -1;
};

/// Returns the version of the library at hand: "1.10.8".
std::string hdf5_version();

class File {
 public:
  /// Opens read-only. Errors: missing, a folder, not HDF5, truncated, a damaged seal; `verify` (parted_file.hpp)
  /// compares the rest. A process of its own reads a file without a seal, on which HDF5 may crash.
  static File open(const std::string& path, Trust trust = Trust::none);
  /// New file, which is in memory until close() writes it: HDF5 itself never writes, so a full disk cannot harm it.
  static File create(const std::string& path);

  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  const std::string& path() const;
  bool exists(const std::string& name) const;
  /// Returns whether what is there is a dataset; false for a group.
  bool is_dataset(const std::string& name) const;
  /// Names inside a group, ascending.
  std::vector<std::string> names(const std::string& group) const;
  std::vector<Index> shape(const std::string& dataset) const;
  ElementType type(const std::string& dataset) const;
  /// Error when the dataset takes numbers from other files without trust, or lacks some, which HDF5 reads as zeros.
  void require_stored(const std::string& dataset) const;
  /// Returns where a contiguous dataset's data begin, bytes; 0 when it is empty.
  Index offset(const std::string& dataset) const;

  /// Contiguous dataset, groups on its way made as needed. Storage is not filled.
  template <class T>
  void create_dataset(const std::string& name, const std::vector<Index>& shape);
  /// Rows of a dataset that lie in another file, path relative to this one, under the same name. create_virtual() joins
  /// them for readers with HDF5 alone.
  struct Source {
    std::string file;
    Index first_row = 0;  ///< in the whole dataset
    Index rows = 0;
  };
  template <class T>
  void create_virtual(const std::string& name, const std::vector<Index>& shape, const std::vector<Source>& sources);
  /// Row-major data of the slab. Reading a file that is not the one that was opened any more is an Error.
  template <class T>
  void write(const std::string& dataset, const Slab& slab, const T* data);
  template <class T>
  void read(const std::string& dataset, const Slab& slab, T* data) const;

  /// A whole dataset at once.
  template <class T>
  void write_all(const std::string& name, const std::vector<Index>& shape, const T* data);
  template <class T>
  std::vector<T> read_all(const std::string& dataset) const;

  /// Attributes of a group or dataset ("/" is the root): std::int64_t, double, std::string, and vectors of them.
  bool has_attribute(const std::string& object, const std::string& name) const;
  template <class T>
  void set_attribute(const std::string& object, const std::string& name, const T& value);
  template <class T>
  T attribute(const std::string& object, const std::string& name) const;
  /// Ascending.
  std::vector<std::string> attribute_names(const std::string& object) const;
  /// Whatever it is.
  Attribute any_attribute(const std::string& object, const std::string& name) const;

  /// Returns a created file's bytes, with room for the seal in front (docs/formats.md), as long as nothing is added.
  std::span<std::byte> image();
  /// A created file is written (an old one is replaced), and proven on the disk; without this call it is dropped.
  void close();

 private:
  friend class ForeignFile;
  struct Impl;
  explicit File(Impl* impl);
  static File open_here(const std::string& path, Trust trust);
  Impl* impl_ = nullptr;
};

}  // namespace tesserec::store
