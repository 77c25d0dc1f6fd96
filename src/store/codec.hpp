// SPDX-License-Identifier: Apache-2.0
// Values as bytes, for two processes of one program: numbers and structs as in memory, texts and lists after their
// length.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

using Bytes = std::vector<std::byte>;

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};
template <>
struct IsList<std::string> : std::true_type {};
template <class T>
struct IsVariant : std::false_type {};
template <class... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

/// Appends a value's bytes to `to`.
template <class T>
void encode(Bytes& to, const T& value) {
  const auto append = [&to](const void* data, std::size_t bytes) {
    to.resize(to.size() + bytes);
    if (bytes > 0) std::memcpy(to.data() + to.size() - bytes, data, bytes);
  };
  if constexpr (IsList<T>::value) {
    encode(to, std::size_t(value.size()));
    if constexpr (std::is_trivially_copyable_v<typename T::value_type>)
      append(value.data(), value.size() * sizeof(typename T::value_type));
    else
      for (const auto& element : value) encode(to, element);
  } else if constexpr (IsVariant<T>::value) {
    encode(to, std::size_t(value.index()));
    std::visit([&to](const auto& held) { encode(to, held); }, value);
  } else {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
}

/// Reader of values in the order in which encode() appended them. Throws std::out_of_range if bytes are missing.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : remaining_(bytes) {}

  template <class T>
  T get() {
    T value{};
    if constexpr (IsList<T>::value) {
      const auto size = get<std::size_t>();  // An element has at least one byte.
      if (size > remaining_.size()) throw std::out_of_range("the reply of a file's process is truncated");
      value.resize(size);
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>)
        take(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (auto& element : value) element = get<typename T::value_type>();
    } else if constexpr (IsVariant<T>::value) {
      get_alternative(value, get<std::size_t>());
    } else {
      take(&value, sizeof value);
    }
    return value;
  }

 private:
  template <class... T>
  void get_alternative(std::variant<T...>& value, std::size_t index) {
    std::size_t i = 0;
    ((i++ == index ? void(value = get<T>()) : void()), ...);
  }
  void take(void* to, std::size_t bytes) {
    if (bytes > remaining_.size()) throw std::out_of_range("the reply of a file's process is truncated");
    if (bytes > 0) std::memcpy(to, remaining_.data(), bytes);
    remaining_ = remaining_.subspan(bytes);
  }

  std::span<const std::byte> remaining_;
};

}  // namespace tesserec::store
