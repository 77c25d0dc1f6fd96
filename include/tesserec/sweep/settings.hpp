// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::sweep {

/// Method by which a sweep chooses its points.
enum class Method {
  grid,    ///< all combinations of the keys' values, the last key fastest
  list,    ///< first values of all keys, then their second values, ...
  random,  ///< independent random draws per key
  halton,  ///< low-discrepancy sequence, spread more evenly than random draws
};

/// Line of [sweep.keys].
struct Key {
  std::string path;                 ///< "optimizer.dense.lr"
  std::vector<std::string> values;  ///< values as TOML; empty = a range
  double min = 0, max = 0;          ///< ends of a range, both included
  bool log = false;                 ///< uniform draws of the range's logarithm
  bool integer = false;             ///< integer values of a range
};

/// Settings of [sweep.halving].
struct Halving {
  Index first_steps = 0;  ///< steps of the first rung; 0 = no halving
  Index eta = 3;          ///< growth of the rungs' steps; the best 1/eta of a rung's points train on
};

/// Settings of [sweep].
struct Settings {
  Method method = Method::grid;
  Index points = 0;        ///< number of points of random and halton
  std::uint64_t seed = 1;  ///< seed of random and halton
  std::string metric = "auc";
  int jobs = 1;                       ///< number of points that train concurrently
  int ranks = 1;                      ///< ranks of each point
  std::vector<std::string> launcher;  ///< words before the program; empty = mpirun for several ranks
  std::vector<Key> keys;              ///< keys that vary; empty = no sweep
  Halving halving;
};

}  // namespace tesserec::sweep
