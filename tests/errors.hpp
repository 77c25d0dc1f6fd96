// SPDX-License-Identifier: Apache-2.0
// Functions that return and search the text of errors.
#pragma once

#include <string>

#include <tesserec/core/error.hpp>

/// Returns the text of the Error that `body` throws, or "" if it throws none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const tesserec::Error& error) {
    return error.what();
  }
  return "";
}

inline bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
