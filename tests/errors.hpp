// SPDX-License-Identifier: Apache-2.0
// What tests ask of errors.
#pragma once

#include <string>

#include <tesserec/core/error.hpp>

/// The text of the Error that `body` throws; "" when it throws none.
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
