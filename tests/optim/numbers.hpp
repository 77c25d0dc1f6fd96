// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/random.hpp>

/// Returns standard normal numbers; another column has others.
inline std::vector<float> numbers(tesserec::Index n, tesserec::Index column) {
  const tesserec::Random random(6, tesserec::Purpose::test);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (tesserec::Index i = 0; i < n; ++i) values[i] = random.normal(i, column);
  return values;
}
