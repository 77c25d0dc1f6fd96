// SPDX-License-Identifier: Apache-2.0
/// Failure: a user's mistake or the machine's refusal throws Error; a programmer's mistake is an assert.
#pragma once

#include <stdexcept>
#include <string>

#include <tesserec/core/text.hpp>

namespace tesserec {

/// One message that names the file, line, key or row and says what to do. Only `app` turns it into exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The model's numbers are not finite any more: the same settings would end so again. Thrown on all ranks.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// Throws Error with all parts written one after the other: fail("no rows in ", path, "; give ...").
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw Error(concat(parts...));
}

}  // namespace tesserec
