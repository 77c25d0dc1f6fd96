// SPDX-License-Identifier: Apache-2.0
// A process that reads files of other programs. HDF5 may crash on damage, may never return from it, and may spoil the
// memory of whoever reads; here it takes nothing along but this process.
#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "codec.hpp"

namespace tesserec::store {

class ForeignProcess {
 public:
  /// Function that the process runs: it takes the bytes of its arguments, and returns those of its result. Both
  /// processes are of one program, so a function has one address in both.
  using Serve = Bytes (*)(Decoder);

  /// Returns the process that reads all open files without a seal; forks it where there is none, or where it has ended.
  /// It is a copy of this process, small because data are opened before the model is built, and ends with the last of
  /// these files.
  static std::shared_ptr<ForeignProcess> shared();
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  /// Runs `serve` there and waits for its result. Errors: what it threw; that reading `path` ended the process, which
  /// then answers no more.
  Bytes call(const std::string& path, Serve serve, const Bytes& arguments);

 private:
  ForeignProcess();
  [[noreturn]] void fail_ended(const std::string& path);

  int socket_ = -1;
  pid_t process_ = -1;
  bool ended_ = false;
};

}  // namespace tesserec::store
