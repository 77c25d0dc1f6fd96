// SPDX-License-Identifier: Apache-2.0
// A process that reads files of other programs. On a damaged file HDF5 may crash, hang or corrupt memory, which then
// harms this process alone.
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "codec.hpp"

namespace tesserec::store {

class ForeignProcess {
 public:
  /// Function from the bytes of its arguments to the bytes of its result. A fork has it at the same address.
  using Serve = Bytes (*)(Decoder);

  /// Returns the process that reads all open files without a seal; forks it if none runs. The fork copies little
  /// memory, because data are opened before the model is built. The process ends with the last of these files.
  static std::shared_ptr<ForeignProcess> shared();
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  /// Runs `serve` in the process and blocks until its result arrives. Throws Error with the text of an exception of
  /// `serve`, or if reading `path` ended the process.
  Bytes call(const std::string& path, Serve serve, const Bytes& arguments);

 private:
  ForeignProcess();
  [[noreturn]] void fail_ended(const std::string& path);

  int socket_ = -1;
  pid_t process_ = -1;
  bool ended_ = false;
};

}  // namespace tesserec::store
