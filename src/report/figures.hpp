// SPDX-License-Identifier: Apache-2.0
/// The figures of a page, each as markup; empty where no run has what it shows.
#pragma once

#include <string>

#include "runs.hpp"

namespace tesserec::report {

/// Loss, AUC, NE and speed over samples and time, other metrics over samples.
std::string curves(const Runs& runs);
/// Predicted against observed click rate; how often each score was given.
std::string calibration(const Runs& runs);
/// What a step of rank 0 is made of.
std::string phases(const Runs& runs);
/// Of each run: bytes of its ranks, by the plan and as measured.
std::string memory(const Runs& runs);
/// Of each plan, once for the runs that share it: how much of each table each rank holds, and how full it is.
std::string plans(const Runs& runs);
/// A line a point of a sweep, over an axis a key, to the metric.
std::string parallel_coordinates(const Sweep& sweep);

/// How each run ended, with its last numbers.
std::string table_of_runs(const Runs& runs);
/// The points of a sweep, as it ranks them.
std::string table_of_points(const Sweep& sweep);
std::string table_of_shares(const Sweep& sweep);
/// Keys of the decks in which the runs differ.
std::string table_of_keys(const Runs& runs);
/// Versions, hosts, instruction set, ... of the runs.
std::string table_of_machines(const Runs& runs);
/// The deck with all its keys, and its file.
std::string deck(const Run& run);

/// A value of a key for people: text without quotes, numbers with at most eight digits.
std::string value_text(const Json& value);

/// What the scale of colours means, where there are many runs.
std::string colour_scale(const std::string& metric);

}  // namespace tesserec::report
