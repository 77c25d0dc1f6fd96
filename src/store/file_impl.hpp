// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "handle.hpp"
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

struct File::Impl {
  std::string path;
  Handle file;
  bool created = false;  // in memory, until close() writes it

  /// Without slashes at the ends; the root is "".
  static std::string plain(const std::string& name);
  bool exists(const std::string& name) const;
  Handle open_object(const std::string& name) const;
  Handle open_dataset(const std::string& name) const;
  void make_groups(const std::string& name) const;
  void create_dataset(const std::string& name, const std::vector<Index>& shape, hid_t type, hid_t creation) const;
};

}  // namespace tesserec::store
