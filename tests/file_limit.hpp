// SPDX-License-Identifier: Apache-2.0
// A full disk for a process: writes that would make a file longer than a limit fail.
#pragma once

#include <csignal>

#include <sys/resource.h>

#include "catch.hpp"

/// Lets writes beyond a number of bytes fail with EFBIG, while it lives.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileLimit(const FileLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_;
};
