// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// File without a name, which the system deletes when the process ends in any way.
class ScratchFile {
 public:
  /// Reserves `bytes` in a folder for `what`. Makes the folder if it is missing, with a warning, but not its parent.
  /// Uses direct I/O where the file system supports it. Throws Error, naming the folder, the bytes needed and the bytes
  /// free, if the file system has too little space or refuses.
  ScratchFile(const std::string& folder, const std::string& what, Index bytes);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;

  int descriptor() const { return descriptor_; }
  bool direct() const { return direct_; }
  Index bytes() const { return bytes_; }

 private:
  int open(int flags) const;

  std::string folder_;
  int descriptor_ = -1;
  bool direct_ = true;
  Index bytes_;
};

}  // namespace tesserec::tiers
