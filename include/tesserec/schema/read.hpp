// SPDX-License-Identifier: Apache-2.0
/// Conversion of a value of the tree to a C++ value, with a check of its range. The readers throw Error "where: path
/// must be ..., but is ...".
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/schema/value.hpp>

namespace tesserec::schema {

inline constexpr Index no_limit = std::numeric_limits<Index>::max();
/// Largest number of steps and epochs: sums of a few of them do not overflow, and a double represents them exactly.
inline constexpr Index step_limit = Index{1} << 53;

/// Range [low, high] of integers.
struct Integers {
  Index low = 0;
  Index high = no_limit;
  /// Returns the range in words, for messages and descriptions.
  std::string words() const;
};

/// Range [low, high] of numbers, or [low, high) if `open`.
struct Numbers {
  double low = 0.0;
  double high = 1e30;
  bool open = false;
  double min_magnitude = 0.0;  ///< smallest magnitude except 0, since a float rounds smaller numbers to 0
  /// Returns the range in words, for messages and descriptions.
  std::string words() const;
};

/// Form of a text.
enum class Text {
  any,
  path,    ///< text without a path_fault()
  filled,  ///< non-empty path
  name,    ///< name of a file, folder or HDF5 group, without a name_fault()
  letter,  ///< one byte except a line end
};

/// Range [low, high] of a list's length.
struct Length {
  std::size_t low = 0;
  std::size_t high = std::numeric_limits<std::size_t>::max();
};

/// Reads a boolean.
bool read_boolean(const Value& value, const std::string& path);
/// Reads an integer of the range.
Index read_integer(const Value& value, const std::string& path, const Integers& range);
/// Reads a finite number of the range; an integer counts as a number.
double read_number(const Value& value, const std::string& path, const Numbers& range);
/// Reads a number of bytes of the range: an integer, or a text of a number and a unit, such as "1.5 GiB" or "200MB",
/// rounded to whole bytes. Units are B, kB, MB, GB and TB (powers of 1000), KiB, MiB, GiB and TiB (of 1024).
Index read_bytes(const Value& value, const std::string& path, const Integers& range);
/// Reads a text of the form. An override may omit the quotes.
std::string read_text(const Value& value, const std::string& path, Text form);
/// Returns the index of the value's text in `choices`. An override may omit the quotes.
std::size_t read_choice(const Value& value, const std::string& path, const std::vector<std::string>& choices);
/// Calls read(element, "path[i]") for each element. With `allow_single` a text stands for a list of one.
void read_list(const Value& value, const std::string& path, Length length, bool allow_single,
               const std::function<void(const Value&, const std::string&)>& read);

/// Returns the form in words; "" if any text will do.
std::string text_words(Text form);
/// Returns the length in words; "" if any length will do.
std::string length_words(Length length);

}  // namespace tesserec::schema
