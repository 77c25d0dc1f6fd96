// SPDX-License-Identifier: Apache-2.0
/// Memory that there is not enough of, said with what it was for, and counts that no integer holds.
#pragma once

#include <exception>
#include <initializer_list>
#include <optional>
#include <string>

#include <tesserec/core/error.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec {

/// The product of numbers that are not negative; none from 2^63 on.
std::optional<Index> product(std::initializer_list<Index> numbers);

/// Returns the most bytes that this process has had in memory so far; 0 where the system does not say.
Index peak_resident_bytes();

/// Tells whether an exception means that memory ran out: of operator new, of a container, or of Kokkos.
bool is_out_of_memory(const std::exception& error);

/// Returns the message for a user of any exception. For memory that Kokkos lacks it holds the label and the bytes.
std::string message_of(const std::exception& error);

/// Throws Error: "not enough memory for WHAT: BYTES", and what to do.
[[noreturn]] void fail_memory(const std::string& what, double bytes);

/// Runs `body`, which asks for about `bytes`. If it is out of memory, throws as fail_memory(what(), bytes).
template <class What, class Body>
decltype(auto) with_memory(const What& what, double bytes, const Body& body) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
  }
  fail_memory(what(), bytes);
}

}  // namespace tesserec
