// SPDX-License-Identifier: Apache-2.0
// Rows in fp16, bf16, int8, int4 and int2 against FBGEMM's and torch's, to the byte, and back to the bit.
#include <bit>

#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/scoring/row_format.hpp>

using namespace tesserec;

namespace {

std::vector<std::byte> written(scoring::ServedFormat format, const std::vector<float>& numbers, Index dim) {
  const Index rows = std::ssize(numbers) / dim;
  std::vector<std::byte> bytes(rows * scoring::row_bytes(format, dim));
  scoring::write_rows(format, rows, dim, numbers.data(), bytes.data());
  return bytes;
}

/// Returns the bits, in which all numbers that are none are alike.
std::vector<std::uint32_t> bits_of(const std::vector<float>& numbers) {
  std::vector<std::uint32_t> bits;
  for (const float v : numbers) bits.push_back(std::isnan(v) ? ~0u : std::bit_cast<std::uint32_t>(v));
  return bits;
}

/// Compares a format of rows of `dim` numbers with FBGEMM's. Returns the number of rows.
Index check(const store::File& file, scoring::ServedFormat format, const std::string& theirs, Index dim) {
  const std::string group = "dim_" + std::to_string(dim) + "/";
  INFO(group + theirs);
  if (!file.exists(group + theirs)) {
    CHECK(scoring::format_of_rows(format, dim) != format);
    return 0;
  }
  const auto input = file.read_all<float>(group + "input");
  const auto bytes = file.read_all<std::uint8_t>(group + theirs);
  const std::vector<std::byte> ours = written(format, input, dim);
  REQUIRE(ours.size() == bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    INFO("row " << i / (ours.size() * dim / input.size()) << ", byte " << i % (ours.size() * dim / input.size()));
    REQUIRE(std::to_integer<int>(ours[i]) == int(bytes[i]));
  }
  const Index rows = std::ssize(input) / dim;
  std::vector<float> back(input.size());
  scoring::read_rows(format, rows, dim, ours.data(), back.data());
  CHECK(bits_of(back) == bits_of(file.read_all<float>(group + theirs + "_to_float")));
  std::vector<Index> ids;
  for (Index row = rows; row-- > 0;) ids.push_back(row);
  std::vector<float> reversed(input.size());
  scoring::gather_rows(format, ids.data(), rows, dim, ours.data(), reversed.data());
  for (Index row = 0; row < rows; ++row)
    CHECK(bits_of({reversed.begin() + row * dim, reversed.begin() + (row + 1) * dim}) ==
          bits_of({back.end() - (row + 1) * dim, back.end() - row * dim}));
  return rows;
}

}  // namespace

TEST_CASE("rows whose dimension a coded format does not take get the next larger one") {
  using scoring::ServedFormat;
  CHECK(scoring::format_of_rows(ServedFormat::int2, 16) == ServedFormat::int2);
  CHECK(scoring::format_of_rows(ServedFormat::int2, 12) == ServedFormat::int4);
  CHECK(scoring::format_of_rows(ServedFormat::int2, 6) == ServedFormat::int8);
  CHECK(scoring::format_of_rows(ServedFormat::int4, 6) == ServedFormat::int8);
  CHECK(scoring::format_of_rows(ServedFormat::bf16, 6) == ServedFormat::bf16);
}

TEST_CASE("rows in int8, int4 and int2: FBGEMM's bytes, and its numbers back") {
  const store::File file = golden::open("quantised_rows.h5");
  Index rows = 0;
  for (const Index dim : {1, 3, 4, 7, 8, 12, 16, 33, 64}) {
    rows += check(file, scoring::ServedFormat::int8, "8bit", dim);
    rows += check(file, scoring::ServedFormat::int4, "4bit", dim);
    rows += check(file, scoring::ServedFormat::int2, "2bit", dim);
  }
  CHECK(rows == (9 + 5 + 3) * 21);
}

TEST_CASE("rows in fp16 and bf16: torch's bits") {
  const store::File file = golden::open("quantised_rows.h5");
  const auto check = [&](scoring::ServedFormat format, const std::string& group) {
    INFO(group);
    const auto input = file.read_all<float>(group + "/input");
    const auto wanted = file.read_all<std::int32_t>(group + "/bits");
    const std::vector<std::byte> ours = written(format, input, std::ssize(input));
    std::vector<float> back(input.size());
    scoring::read_rows(format, 1, std::ssize(input), ours.data(), back.data());
    for (std::size_t i = 0; i < input.size(); ++i) {
      INFO(i << ": " << input[i]);
      if (std::isnan(input[i])) continue;
      const int bits = std::to_integer<int>(ours[2 * i]) | std::to_integer<int>(ours[2 * i + 1]) << 8;
      const bool denormal = group == "bf16" && std::fpclassify(input[i]) == FP_SUBNORMAL;  // ours makes them zeros
      if (!denormal) CHECK(bits == (int(wanted[i]) & 0xffff));
    }
  };
  check(scoring::ServedFormat::fp16, "fp16");
  check(scoring::ServedFormat::bf16, "bf16");
}

TEST_CASE("row errors: the largest distance of a number and of a row, and a number without a form") {
  const std::vector<float> exact = {1, 2, 3, 4, 0, 0, 0, 0}, stored = {1, 2.5, 3, 4, -0.25, 0.25, 0.25, 0.25};
  scoring::RowErrors errors;
  CHECK(scoring::raise_errors(2, 4, exact.data(), stored.data(), errors) == -1);
  CHECK(errors.number >= 0.5);
  CHECK(errors.number < 0.5 * (1 + 1e-9));
  CHECK(errors.row >= 0.5);
  CHECK(errors.row < 0.5 * (1 + 1e-9));
  const std::vector<float> infinite = {0, 0, 0, 0, 0, INFINITY, 0, 0};
  CHECK(scoring::raise_errors(2, 4, exact.data(), infinite.data(), errors) == 1);
}
