// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstring>

#include <sys/eventfd.h>

#include <tesserec/core/error.hpp>

namespace tesserec::comm {

/// Opens an eventfd, which the caller closes. Throws Error with the system's reason.
inline int open_eventfd() {
  const int file = ::eventfd(0, EFD_CLOEXEC);
  if (file < 0) fail("cannot create an eventfd: ", std::strerror(errno));
  return file;
}

}  // namespace tesserec::comm
