// SPDX-License-Identifier: Apache-2.0
/// Functions that turn views into lists and tensors into text, and search the text of errors.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/kokkos.hpp>

template <class View>
std::vector<typename View::non_const_value_type> list(const View& view) {
  REQUIRE(view.span_is_contiguous());
  return {view.data(), view.data() + view.size()};
}

template <class Tensor>
std::string printed(const Tensor& tensor) {
  std::ostringstream text;
  text << tensor;
  return text.str();
}

inline bool has(const std::string& text, const std::string& words) {
  INFO(text);
  const bool found = text.find(words) != std::string::npos;
  CHECK(found);
  return found;
}
