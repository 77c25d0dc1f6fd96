// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::sweep {

enum class Method {
  grid,    ///< every value of each key with every one of the others, the last key fastest
  list,    ///< the first values of all keys, the second ones, ...
  random,  ///< each key drawn by itself
  halton,  ///< of low discrepancy: spread more evenly than random ones
};

/// A line of [sweep.keys].
struct Key {
  std::string path;                 ///< "optimizer.dense.lr"
  std::vector<std::string> values;  ///< as TOML; empty: a range
  double min = 0, max = 0;          ///< of a range, both included
  bool log = false;                 ///< the range's logarithm is drawn evenly
  bool integer = false;             ///< of a range: whole numbers
};

/// [sweep.halving]
struct Halving {
  Index first_steps = 0;  ///< of the first rung; 0 = no halving
  Index eta = 3;          ///< a rung is so many times as long as the one before, and a 1/eta of its points go on
};

/// [sweep]
struct Settings {
  Method method = Method::grid;
  Index points = 0;        ///< of random and halton
  std::uint64_t seed = 1;  ///< of random and halton
  std::string metric = "auc";
  int jobs = 1;                       ///< points that train at once
  int ranks = 1;                      ///< of each
  std::vector<std::string> launcher;  ///< the words before the program; empty: mpirun for several ranks
  std::vector<Key> keys;              ///< empty: no sweep
  Halving halving;
};

}  // namespace tesserec::sweep
