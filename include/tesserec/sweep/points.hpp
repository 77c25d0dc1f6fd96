// SPDX-License-Identifier: Apache-2.0
/// Points of a sweep: a pure function of its settings, so that an index means the same point everywhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/sweep/settings.hpp>

namespace tesserec::sweep {

/// Fault of a setting: its name below [sweep], such as "keys.optimizer.dense.lr", and the message.
struct Fault {
  std::string key, text;
};
/// Returns the first fault of the settings, or nothing.
std::optional<Fault> fault(const Settings& settings);

/// Value of each key, as TOML.
using Point = std::vector<std::string>;

/// Returns all points by index. Settings must be valid. random and halton skip repeats, so that the first points stay
/// the same if settings.points grows.
std::vector<Point> points(const Settings& settings);

/// Returns the point's name for people and for its folder: "lr=0.1,batch_size=512". A key is named by as many of its
/// last words as distinguish it. At most 120 characters.
std::string label(const Settings& settings, const Point& point);

}  // namespace tesserec::sweep
