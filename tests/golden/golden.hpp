// SPDX-License-Identifier: Apache-2.0
/// Golden numbers: their files and the tolerance of comparisons. TESSEREC_GOLDEN names another folder with the files
/// of tests/golden/data/reference. A file next to that folder has priority over ours.
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

/// Opens a file next to that folder, or next to ours if there is none.
inline tesserec::store::File open_beside(const std::string& file) {
  const std::string given = path("../" + file);
  return tesserec::store::File::open(std::ifstream(given) ? given : TESSEREC_SOURCE_DIR "/tests/golden/data/" + file);
}

/// Reads a setting, or keeps `value` if the file leaves it out.
inline void read(const tesserec::store::File& file, const char* attribute, double& value) {
  if (file.has_attribute("/", attribute)) value = file.attribute<double>("/", attribute);
}

/// Returns max|got - want| / max|want|, or infinity if the sizes differ or a number is not finite.
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
