// SPDX-License-Identifier: Apache-2.0
#pragma once

/// sweep: the points of a hyperparameter sweep, successive halving, and the importance of keys.
///
/// `points` lists the combinations of values that the `Settings` describe: a grid, a list, random or Halton draws.
/// An index means the same point on every machine. The settings must be without a `fault`.
/// `rungs` lists the steps at which points are compared. `standing` computes which points train to the next rung.
/// `importance` measures how much of the metric's variance each key explains.
/// The library trains nothing: the caller trains the points, in any order, and has the values.
/// A `Sweep` adds the folders of the runs and their records, and `summary_text` makes its table.
/// No call is collective. `read_record` throws Error for a damaged record. `fault` returns a mistake in the settings.
/// docs/sweeps.md shows sweeps of the program; src/sweep/README.md and docs/formats.md say more.
///
/// ```cpp
/// sweep::Settings settings;
/// settings.keys = {{"optimizer.dense.lr", {"0.001", "0.01", "0.1"}}, {"train.batch_size", {"256", "512", "1024"}}};
/// settings.halving = {.first_steps = 100, .eta = 3};
/// const std::vector<sweep::Point> points = sweep::points(settings);
/// const std::vector<Index> rungs = sweep::rungs(settings.halving, 900);  // 9 points to step 100, 3 to 300, 1 to 900
/// // train_to stands for a training of the caller, which returns the AUC.
/// const auto train_to = [](const sweep::Point& point, Index steps) { return std::stod(point[0]) * double(steps); };
/// std::vector<std::vector<double>> auc(points.size());  // [point][rung]
/// const auto at = [&](Index i, std::size_t r) { return r < auc[i].size() ? std::optional(auc[i][r]) : std::nullopt; };
/// const auto now = [&] { return sweep::standing(settings.halving, rungs.size(), std::ssize(points), at, true); };
/// for (sweep::Standing state = now(); !state.waiting.empty(); state = now())
///   for (const Index point : state.waiting) auc[point].push_back(train_to(points[point], rungs[state.open()]));
/// ```

#include <tesserec/sweep/halving.hpp>
#include <tesserec/sweep/importance.hpp>
#include <tesserec/sweep/metric.hpp>
#include <tesserec/sweep/points.hpp>
#include <tesserec/sweep/record.hpp>
#include <tesserec/sweep/settings.hpp>
#include <tesserec/sweep/sweep.hpp>
