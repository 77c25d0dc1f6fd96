// SPDX-License-Identifier: Apache-2.0
/// Writer of Parquet files, row group by row group. Without Arrow in the build it throws Error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tesserec::parquet {

/// Names of the columns of a file: first those of 32-bit integers, then those of texts.
struct WrittenColumns {
  std::vector<std::string> numbers;
  std::vector<std::string> texts;
};

/// Writer of one file. No value is missing.
class GroupWriter {
 public:
  virtual ~GroupWriter() = default;
  /// Writes the next column. The first one begins a row group, and all columns of a row group have equally many rows.
  virtual void write(std::span<const std::int32_t> numbers) = 0;
  virtual void write(std::span<const std::string_view> texts) = 0;
  /// Writes the footer. Call once, after the last column of a row group.
  virtual void end() = 0;
};

/// Begins a file, packed by zstd, whose pages have checksums. `sink` gets its bytes, which depend on the values and the
/// versions of Arrow and zstd alone. `path` stands in errors.
std::unique_ptr<GroupWriter> open_writer(const std::string& path, const WrittenColumns& columns,
                                         std::function<void(std::string_view)> sink);

}  // namespace tesserec::parquet
