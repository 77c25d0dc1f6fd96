// SPDX-License-Identifier: Apache-2.0
/// HDF5 files behind one class. The library is not thread-safe, so every call takes one lock. Errors name file and
/// object. Element types are float, double, std::int32_t, std::int64_t and std::uint8_t; reading converts between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

/// Type of a dataset's elements; `other` stands for every type without a name here.
enum class ElementType { f32, f64, i32, i64, u8, other };

/// Value of an attribute of a group or dataset.
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

/// Permission for a file to take numbers from other files that its writer chose (virtual datasets, external storage,
/// links).
enum class Trust { none, all };

/// A block of a one- or two-dimensional dataset. columns = -1 stands for all columns and for one-dimensional datasets.
struct Slab {
  Index first_row = 0;
  Index rows = 0;
  Index first_column = 0;
  Index columns = -1;
};

/// Returns the version of the HDF5 library, such as "1.10.8".
std::string hdf5_version();

/// An HDF5 file, open for reading or created in memory.
class File {
 public:
  /// Opens a file read-only. Throws Error if it is missing, a folder, not HDF5 or truncated, or if its seal cannot be
  /// read; PartedFile compares checksums. A file without a seal may crash HDF5, so a process of its own reads it.
  static File open(const std::string& path, Trust trust = Trust::none);
  /// Creates a file in memory, which close() writes. HDF5 itself never writes, so a full disk cannot harm it. `bytes`:
  /// how many the file will have, about; memory for them is taken at once.
  static File create(const std::string& path, Index bytes = 0);

  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  const std::string& path() const;
  /// Returns whether there is a group or dataset. Throws Error at a link into another file without trust.
  bool exists(const std::string& name) const;
  /// Returns whether an object is a dataset; false for a group. Throws Error if there is no such object.
  bool is_dataset(const std::string& name) const;
  /// Returns the names inside a group, in ascending order.
  std::vector<std::string> names(const std::string& group) const;
  std::vector<Index> shape(const std::string& dataset) const;
  ElementType type(const std::string& dataset) const;
  /// Throws Error if the dataset takes numbers from other files without trust, or lacks numbers, which HDF5 reads as
  /// zeros.
  void require_stored(const std::string& dataset) const;
  /// Returns the position of a contiguous dataset's data in the file [bytes]; 0 if the dataset is empty.
  Index offset(const std::string& dataset) const;

  /// Creates a contiguous dataset, and the groups above it as needed. Does not fill the storage.
  template <class T>
  void create_dataset(const std::string& name, const std::vector<Index>& shape);
  /// Rows of a dataset that lie in another file under the same name. The path `file` is relative to this file.
  struct Source {
    std::string file;
    Index first_row = 0;  ///< in the whole dataset
    Index rows = 0;
  };
  /// Creates a virtual dataset, which joins the rows of `sources` for readers that have HDF5 alone.
  template <class T>
  void create_virtual(const std::string& name, const std::vector<Index>& shape, const std::vector<Source>& sources);
  /// Writes the row-major data of a slab.
  template <class T>
  void write(const std::string& dataset, const Slab& slab, const T* data);
  /// Reads a slab, row-major. Throws Error if the file was changed or replaced since it was opened.
  template <class T>
  void read(const std::string& dataset, const Slab& slab, T* data) const;

  /// Creates and writes a whole dataset.
  template <class T>
  void write_all(const std::string& name, const std::vector<Index>& shape, const T* data);
  /// Reads a whole dataset. Throws Error if the file was changed or replaced since it was opened.
  template <class T>
  std::vector<T> read_all(const std::string& dataset) const;

  /// Returns whether a group or dataset ("/" is the root) has an attribute. Attributes have the types std::int64_t,
  /// double and std::string, and vectors of them.
  bool has_attribute(const std::string& object, const std::string& name) const;
  /// Sets or replaces an attribute.
  template <class T>
  void set_attribute(const std::string& object, const std::string& name, const T& value);
  /// Returns an attribute. Throws Error if it is missing or of another type.
  template <class T>
  T attribute(const std::string& object, const std::string& name) const;
  /// Returns the names of an object's attributes, in ascending order.
  std::vector<std::string> attribute_names(const std::string& object) const;
  /// Returns an attribute in the type that it has. Throws Error if it is missing.
  Attribute any_attribute(const std::string& object, const std::string& name) const;

  /// Returns a created file's bytes, with room for the seal in front (docs/formats.md). The bytes stay valid until the
  /// file is changed.
  std::span<std::byte> image();
  /// Closes the file. A created file is sealed and written by write_verified(), and replaces an older one. Without this
  /// call a created file is dropped.
  void close();

 private:
  friend class ForeignFile;
  struct Impl;
  explicit File(Impl* impl);
  static File open_in_process(const std::string& path, Trust trust);
  Impl* impl_ = nullptr;
};

}  // namespace tesserec::store
