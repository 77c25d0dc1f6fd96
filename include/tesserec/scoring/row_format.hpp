// SPDX-License-Identifier: Apache-2.0
/// Formats of a table's rows in a model folder. int8, int4 and int2 are FBGEMM's fused row-wise formats, to the
/// byte.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::scoring {

/// Format of a row of `dim` numbers, little endian. fp32, fp16 and bf16 are the numbers. int8 is dim codes of a byte,
/// then scale and bias as fp32. int4 is dim codes of half a byte, the lower half first, then scale and bias as fp16.
/// int2 is the same with codes of a quarter of a byte. A coded number is fma(code, scale, bias).
enum class ServedFormat { fp32, fp16, bf16, int8, int4, int2 };

/// Returns all formats by their names.
const std::vector<std::pair<std::string, ServedFormat>>& row_formats();
const std::string& name(ServedFormat format);
/// Returns the format of a name. Throws Error that lists all names if there is none.
ServedFormat row_format_named(const std::string& name);

/// Returns the format of rows of `dim` numbers if `wanted` is asked for: int4 needs a multiple of 4, int2 of 8
/// (FBGEMM). Others get the next larger coded format.
ServedFormat format_of_rows(ServedFormat wanted, Index dim);
/// Returns the bytes of a row.
Index row_bytes(ServedFormat format, Index dim);
/// Returns whether rows have codes, so that read_rows() must widen them before they are added.
bool is_coded(ServedFormat format);

/// Writes `rows` rows of `dim` numbers one after the other to `to`. Rounds to nearest even.
void write_rows(ServedFormat format, Index rows, Index dim, const float* from, std::byte* to);
/// Reads rows that lie one after the other.
void read_rows(ServedFormat format, Index rows, Index dim, const std::byte* from, float* to);
/// Reads n rows of a table by number: row rows[i] to `to` + i * dim. A negative number leaves its place unchanged.
void gather_rows(ServedFormat format, const Index* rows, Index n, Index dim, const std::byte* table, float* to);

/// Largest distances between the rows of a table and their stored forms.
struct RowErrors {
  double number = 0;  ///< between a number and its stored form
  double row = 0;     ///< Euclidean, between a row and its stored form
};
/// Compares each number of some rows with its stored form and raises `errors`. Returns the first row in which a number
/// or its stored form is not finite, or -1.
Index raise_errors(Index rows, Index dim, const float* exact, const float* stored, RowErrors& errors);

}  // namespace tesserec::scoring
