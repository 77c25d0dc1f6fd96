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
  /// Function from the bytes of its arguments to its result's; one program, so one address in both processes.
  using Serve = Bytes (*)(Decoder);

  /// Returns the process that reads all open files without a seal, and forks it if there is none. The copy is small,
  /// because data are opened before the model is built; it ends with the last of these files.
  static std::shared_ptr<ForeignProcess> shared();
  ~ForeignProcess();
  ForeignProcess(const ForeignProcess&) = delete;
  ForeignProcess& operator=(const ForeignProcess&) = delete;

  /// Runs `serve` there and waits for its result. Errors: what it threw; or that reading `path` ended the process.
  Bytes call(const std::string& path, Serve serve, const Bytes& arguments);

 private:
  ForeignProcess();
  [[noreturn]] void fail_ended(const std::string& path);

  int socket_ = -1;
  pid_t process_ = -1;
  bool ended_ = false;
};

}  // namespace tesserec::store
