// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <sys/resource.h>

#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

constexpr const char* advice = "; use more ranks or nodes, smaller tables or layers, or a smaller train.batch_size";

/// Returns the text between `head` and the next `tail`, or "" if one of them is missing.
std::string between(const std::string& text, const std::string& head, const std::string& tail) {
  const std::size_t first = text.find(head);
  if (first == std::string::npos) return "";
  const std::size_t begin = first + head.size(), end = text.find(tail, begin);
  return end == std::string::npos ? "" : text.substr(begin, end - begin);
}

/// Returns the label of the view that Kokkos could not allocate, or "" for any other error.
std::string kokkos_label(const std::exception& error) {
  const std::string text = error.what();
  if (text.find("llocation") == std::string::npos && text.find("allocate memory") == std::string::npos) return "";
  return between(text, "label \"", "\"");
}

}  // namespace

Index peak_resident_bytes() {
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? Index{usage.ru_maxrss} * 1024 : 0;
}

std::optional<Index> product(std::initializer_list<Index> numbers) {
  Index result = 1;
  for (const Index number : numbers)
    if (__builtin_mul_overflow(result, number, &result)) return std::nullopt;
  return result;
}

bool is_out_of_memory(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         dynamic_cast<const std::length_error*>(&error) != nullptr || !kokkos_label(error).empty();
}

std::string message_of(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error) != nullptr) return error.what();
  if (const std::string label = kokkos_label(error); !label.empty()) {
    const std::string size = between(error.what(), "of size ", " failed");
    return concat("not enough memory for ", label, size.empty() ? "" : ": " + size + "iB", advice);
  }
  if (is_out_of_memory(error)) return concat("not enough memory (", error.what(), ')', advice);
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return concat(file->path1().string(), ": ", file->code().message());
  if (const auto* system = dynamic_cast<const std::system_error*>(&error))
    return concat("system error: ", system->what());
  return concat("internal error: ", error.what());
}

void fail_memory(const std::string& purpose, double bytes) {
  fail("not enough memory for ", purpose, ": ", bytes_text(bytes), advice);
}

}  // namespace tesserec
