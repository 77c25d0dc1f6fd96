// SPDX-License-Identifier: Apache-2.0
/// Columns of kept rows in few bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "packing.hpp"

namespace tesserec::preprocess {

/// Appends numbers, as integers of 1, 2 or 4 bytes if these keep all bits. NaN is a missing number.
void pack_numbers(std::span<const double> numbers, std::string& bytes);
/// Appends values, in 1, 2 or 4 bytes each.
void pack_values(std::span<const std::uint32_t> values, std::string& bytes);
/// Reads back `numbers.size()` numbers.
void unpack_numbers(Unpacker& bytes, std::vector<double>& numbers);
/// Reads back `values.size()` values.
void unpack_values(Unpacker& bytes, std::vector<std::uint32_t>& values);

}  // namespace tesserec::preprocess
