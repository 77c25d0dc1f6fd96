// SPDX-License-Identifier: Apache-2.0
/// Numbers and texts one after the other in a string of bytes, for scratch files and messages between ranks.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Appends an unsigned number to `bytes`, 7 bits a byte, lowest first; small numbers take one byte.
inline void pack_number(std::uint64_t number, std::string& bytes) {
  for (; number >= 128; number >>= 7) bytes.push_back(static_cast<char>(number | 128));
  bytes.push_back(static_cast<char>(number));
}

/// Appends the length of a text and the text.
inline void pack_text(std::string_view text, std::string& bytes) {
  pack_number(text.size(), bytes);
  bytes.append(text);
}

/// Appends a list of values that are copied byte by byte.
template <class T>
void pack_list(std::span<const T> values, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  pack_number(values.size(), bytes);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

/// Reader of packed bytes. All functions throw Error if the bytes end too early.
class Unpacker {
 public:
  /// Takes bytes that must outlive this object.
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  bool done() const { return left_.empty(); }
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      if (left_.empty() || shift > 63) fail(short_text);
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(1);
      number |= std::uint64_t(byte & 127) << shift;
      if (byte < 128) return number;
    }
  }
  Index index() { return static_cast<Index>(number()); }
  /// Returns a text, which points into the bytes.
  std::string_view text() { return take(number()); }
  /// Returns the next `size` bytes.
  std::string_view bytes(std::uint64_t size) { return take(size); }
  template <class T>
  std::vector<T> list() {
    const std::uint64_t size = number();
    if (size > left_.size()) fail(short_text);
    const std::string_view from = take(size * sizeof(T));
    std::vector<T> values(size);
    if (size > 0) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }

 private:
  static constexpr const char* short_text =
      "a scratch file of preprocess ends too early; remove .scratch-* in preprocess.output and start again";
  std::string_view take(std::uint64_t size) {
    if (size > left_.size()) fail(short_text);
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }

  std::string_view left_;
};

}  // namespace tesserec::preprocess
