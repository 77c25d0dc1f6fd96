// SPDX-License-Identifier: Apache-2.0
/// Golden numbers: where they lie and how near is near enough. TESSEREC_GOLDEN names another folder, laid out
/// like tests/golden/data/reference; what lies beside it there is taken before our own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "source_dir.hpp"
#include <tesserec/store/hdf5.hpp>

namespace golden {

inline std::string path(const std::string& file) {
  const char* const folder = std::getenv("TESSEREC_GOLDEN");
  return (folder != nullptr ? std::string(folder) : TESSEREC_SOURCE_DIR "/tests/golden/data/reference") + "/" + file;
}

inline tesserec::store::File open(const std::string& file) { return tesserec::store::File::open(path(file)); }

/// One that lies beside that folder, or else beside ours.
inline tesserec::store::File open_beside(const std::string& file) {
  const std::string given = path("../" + file);
  return tesserec::store::File::open(std::ifstream(given) ? given : TESSEREC_SOURCE_DIR "/tests/golden/data/" + file);
}

/// A setting that a file may leave out: then `value` stays.
inline void read(const tesserec::store::File& file, const char* attribute, double& value) {
  if (file.has_attribute("/", attribute)) value = file.attribute<double>("/", attribute);
}

/// max|got - want| / max|want|; infinity when the sizes differ or a number is not finite.
template <class A, class B>
double gap(const A& got, const B& want) {
  if (std::size(got) != std::size(want)) return INFINITY;
  double difference = 0.0, magnitude = 0.0;
  for (std::size_t i = 0; i < std::size(got); ++i) {
    const double g = got[i], w = want[i];
    if (!std::isfinite(g) || !std::isfinite(w)) return INFINITY;
    difference = std::max(difference, std::abs(g - w));
    magnitude = std::max(magnitude, std::abs(w));
  }
  return difference == 0.0 ? 0.0 : difference / magnitude;
}

}  // namespace golden
