// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "handle.hpp"
#include <tesserec/store/hdf5.hpp>

namespace tesserec::store {

struct File::Impl {
  std::string path;
  Handle file;
  Handle transfer;                           // collective when comm is set
  const comm::Communicator* comm = nullptr;  // of a file that several ranks write
  int exceptions = 0;                        // in flight when the file was opened

  /// Without slashes at the ends; the root is "".
  static std::string plain(const std::string& name);
  bool exists(const std::string& name) const;
  Handle open_object(const std::string& name) const;
  Handle open_dataset(const std::string& name) const;
  void make_groups(const std::string& name) const;
};

}  // namespace tesserec::store
