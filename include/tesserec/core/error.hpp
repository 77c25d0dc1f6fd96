// SPDX-License-Identifier: Apache-2.0
/// Errors: a user's mistake or a refusal of the machine throws Error. A programmer's mistake is an assert.
#pragma once

#include <stdexcept>
#include <string>

#include <tesserec/core/text.hpp>

namespace tesserec {

/// Message that names the file, line, key or row and says what to do. Only `app` turns it into exit code 2.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Divergence: the model's values are no longer finite, and the same settings would diverge again. Thrown on all ranks.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// Throws Error with all values concatenated: fail("no rows in ", path, "; give ...").
template <class... Values>
[[noreturn]] void fail(const Values&... values) {
  throw Error(concat(values...));
}

}  // namespace tesserec
