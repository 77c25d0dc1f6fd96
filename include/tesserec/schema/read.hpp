// SPDX-License-Identifier: Apache-2.0
/// One value of the tree -> one C++ value, with its range; errors are "where: path must be ..., but is ...".
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/schema/value.hpp>

namespace tesserec::schema {

inline constexpr Index no_limit = std::numeric_limits<Index>::max();
/// Largest number of steps and epochs: sums of a few do not overflow, and a double holds them.
inline constexpr Index most_steps = Index{1} << 53;

struct Integers {
  Index low = 0;
  Index high = no_limit;
  std::string words() const;
};

/// [low, high], or [low, high) when `open`.
struct Numbers {
  double low = 0.0;
  double high = 1e30;
  bool open = false;
  double least = 0.0;  ///< numbers other than 0 have at least this magnitude: a float turns smaller ones into 0
  std::string words() const;
};

enum class Text {
  any,
  path,    ///< path_fault() has nothing against it
  filled,  ///< a path that is not empty
  name,    ///< name_fault() has nothing against it: names a file, a folder or an HDF5 group
  letter,  ///< one byte, not a line end
};

struct Length {
  std::size_t low = 0;
  std::size_t high = std::numeric_limits<std::size_t>::max();
};

bool read_boolean(const Value& value, const std::string& path);
Index read_integer(const Value& value, const std::string& path, const Integers& range);
double read_number(const Value& value, const std::string& path, const Numbers& range);
std::string read_text(const Value& value, const std::string& path, Text form);
/// The place of the value's text among `choices`.
std::size_t read_choice(const Value& value, const std::string& path, const std::vector<std::string>& choices);
/// Calls read(element, "path[i]") for each. `one_will_do`: a text stands for a list of that one text.
void read_list(const Value& value, const std::string& path, Length length, bool one_will_do,
               const std::function<void(const Value&, const std::string&)>& read);

std::string text_words(Text form);
std::string length_words(Length length);

}  // namespace tesserec::schema
