// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "foreign_file.hpp"
#include "handle.hpp"
#include "image_memory.hpp"
#include <tesserec/store/file_list.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

struct File::Impl {
  std::string path;
  std::unique_ptr<ImageMemory> memory = nullptr;  // of a created file, which it outlives
  Handle file{H5I_INVALID_HID, H5Fclose};
  bool created = false;  // in memory, until close() writes it
  Trust trust = Trust::none;
  std::optional<Stamp> stamp = std::nullopt;       // identity of a file that was opened for reading
  std::unique_ptr<ForeignFile> foreign = nullptr;  // process that opened a file without a seal

  /// Returns the name without slashes at its ends; the root is "".
  static std::string plain(const std::string& name);
  bool exists(const std::string& name) const;
  Handle open_object(const std::string& name) const;
  Handle open_dataset(const std::string& name) const;
  void make_groups(const std::string& name) const;
  void create_dataset(const std::string& name, const std::vector<Index>& shape, hid_t type, hid_t creation) const;
  /// Throws Error if the dataset takes numbers from other files, unless `trust` allows it.
  void require_own_numbers(const std::string& name, hid_t dataset) const;
  void require_stored(const std::string& name) const;
  /// Returns the offset [bytes] of a dataset that the file holds contiguously as `type`, or -1 if HDF5 must find or
  /// convert its values.
  Index flat_offset(const std::string& name, hid_t type) const;
  /// Throws Error unless all sources of a virtual dataset exist and give all of its `points` values.
  void require_sources(const std::string& name, hid_t creation, Index points) const;
  /// Throws Error if the file was replaced or changed since it was opened.
  void require_unchanged() const;
};

}  // namespace tesserec::store
