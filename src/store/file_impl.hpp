// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "foreign_file.hpp"
#include "handle.hpp"
#include <tesserec/store/file_list.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

struct File::Impl {
  std::string path;
  Handle file{H5I_INVALID_HID, H5Fclose};
  bool created = false;  // in memory, until close() writes it
  Trust trust = Trust::none;
  std::optional<Stamp> stamp = std::nullopt;       // of a file that is read
  std::unique_ptr<ForeignFile> foreign = nullptr;  // of a file without a seal, which is not open here

  /// Without slashes at the ends; the root is "".
  static std::string plain(const std::string& name);
  bool exists(const std::string& name) const;
  Handle open_object(const std::string& name) const;
  Handle open_dataset(const std::string& name) const;
  void make_groups(const std::string& name) const;
  void create_dataset(const std::string& name, const std::vector<Index>& shape, hid_t type, hid_t creation) const;
  /// Error when the dataset may not be read (Trust).
  void require_own_numbers(const std::string& name, hid_t dataset) const;
  void require_stored(const std::string& name) const;
  /// Returns where the file has these numbers in a row, bytes; -1 where HDF5 has to find or convert them.
  Index flat_offset(const std::string& name, hid_t type) const;
  /// Checks a virtual dataset with so many numbers: each source is there, and all numbers have one.
  void require_sources(const std::string& name, hid_t creation, Index points) const;
  /// Error when the file is not the one that was opened.
  void require_unchanged() const;
};

}  // namespace tesserec::store
