// SPDX-License-Identifier: Apache-2.0
/// The points of a sweep: a pure function of its settings, so that an index means the same anywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Fault of a setting: its name below [sweep], "keys.optimizer.dense.lr", and what to say of it.
struct Fault {
  std::string key, text;
};
std::optional<Fault> fault(const Settings& settings);

/// A value for each key, as TOML.
using Point = std::vector<std::string>;

/// Returns all points by index; random and halton skip repeats, so first points stay. Settings must be valid.
std::vector<Point> points(const Settings& settings);

/// "lr=0.1,batch_size=512", for people and as a folder's name: keys by their last words, as many as tell them apart.
std::string label(const Settings& settings, const Point& point);

}  // namespace tesserec::sweep
