// SPDX-License-Identifier: Apache-2.0
/// HDF5 files behind one class. The library is not thread-safe: every call passes one lock. Errors name file
/// and object. Element types: float, double, std::int32_t, std::int64_t, std::uint8_t; reading converts
/// between them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::store {

enum class ElementType { f32, f64, i32, i64, u8, other };

/// What an attribute of a group or dataset may be.
using Attribute = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>,
                               std::vector<std::string>>;

/// A block of a one- or two-dimensional dataset. columns = -1: all (and 1-D datasets).
struct Slab {
  Index first_row = 0;
  Index rows = 0;
  Index first_column = 0;
  Index columns = -1;
};

class File {
 public:
  /// Read-only, without the MPI driver. A missing file, a folder, not HDF5 and a truncated file are Errors
  /// that say so.
  static File open(const std::string& path);
  /// New file (replaces an old one), written by this process alone.
  static File create(const std::string& path);
  /// New file written by all ranks through MPI-IO: creating objects and attributes is collective, and `write`
  /// is called by every rank, with zero rows where it has none. `comm` outlives the file. In write_all the
  /// first rank's data count.
  static File create(const std::string& path, const comm::Communicator& comm);

  File(File&&) noexcept;
  File& operator=(File&&) noexcept;
  ~File();

  const std::string& path() const;
  bool exists(const std::string& name) const;
  /// Whether what is there is a dataset; false for a group.
  bool is_dataset(const std::string& name) const;
  /// Names inside a group, ascending.
  std::vector<std::string> names(const std::string& group) const;
  std::vector<Index> shape(const std::string& dataset) const;
  ElementType type(const std::string& dataset) const;
  /// Where a contiguous dataset's data begin, bytes; 0 when it is empty.
  Index offset(const std::string& dataset) const;

  /// Contiguous dataset, groups on its way made as needed. Storage is not filled.
  template <class T>
  void create_dataset(const std::string& name, const std::vector<Index>& shape);
  /// Row-major data of the slab.
  template <class T>
  void write(const std::string& dataset, const Slab& slab, const T* data);
  template <class T>
  void read(const std::string& dataset, const Slab& slab, T* data) const;

  /// A whole dataset at once.
  template <class T>
  void write_all(const std::string& name, const std::vector<Index>& shape, const T* data);
  template <class T>
  std::vector<T> read_all(const std::string& dataset) const;

  /// Attributes of a group or dataset ("/" is the root): std::int64_t, double, std::string, and vectors of
  /// them.
  bool has_attribute(const std::string& object, const std::string& name) const;
  template <class T>
  void set_attribute(const std::string& object, const std::string& name, const T& value);
  template <class T>
  T attribute(const std::string& object, const std::string& name) const;
  /// Ascending.
  std::vector<std::string> attribute_names(const std::string& object) const;
  /// Whatever it is.
  Attribute any_attribute(const std::string& object, const std::string& name) const;

  /// Flushes and closes; errors are thrown here, while the destructor only warns.
  void close();

 private:
  struct Impl;
  explicit File(Impl* impl);
  Impl* impl_ = nullptr;
};

}  // namespace tesserec::store
