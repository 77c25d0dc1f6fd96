// SPDX-License-Identifier: Apache-2.0
/// Messages for memory that runs out, and products that overflow.
#pragma once

#include <exception>
#include <initializer_list>
#include <optional>
#include <string>

#include <tesserec/core/error.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec {

/// Returns the product of nonnegative numbers, or none once a partial product reaches 2^63.
std::optional<Index> product(std::initializer_list<Index> numbers);

/// Returns the peak resident memory [bytes] of this process; 0 where the system does not tell.
Index peak_resident_bytes();

/// Returns whether an exception means that memory ran out: in operator new, in a container, or in Kokkos.
bool is_out_of_memory(const std::exception& error);

/// Returns the message for a user of any exception. If memory ran out in Kokkos, it holds the label and the size.
std::string message_of(const std::exception& error);

/// Throws Error "not enough memory for PURPOSE: SIZE", with advice.
[[noreturn]] void fail_memory(const std::string& purpose, double bytes);

/// Runs `body`, which allocates about `bytes`, and returns its result. If memory runs out, throws as
/// fail_memory(purpose(), bytes).
template <class Purpose, class Body>
decltype(auto) with_memory(const Purpose& purpose, double bytes, const Body& body) {
  try {
    return body();
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    if (!is_out_of_memory(error)) throw;
  }
  fail_memory(purpose(), bytes);
}

}  // namespace tesserec
