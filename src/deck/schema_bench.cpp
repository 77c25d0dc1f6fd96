// SPDX-License-Identifier: Apache-2.0
// [bench]
#include "section.hpp"

namespace tesserec::deck {

std::vector<Section> bench_sections() {
  using Bench = bench::Settings;
  const Choices<bench::Clock> clocks = {{"wall", bench::Clock::wall}, {"processor", bench::Clock::processor}};
  const Keys<Bench> keys = {
      number("seconds", &Bench::seconds, {1e-6, 60.0}, "s", "A repeat of a measurement lasts at least this long."),
      integer("repeats", &Bench::repeats, {1, 1000}, "", "Repeats of each measurement; the median counts."),
      choice("clock", &Bench::clock, clocks,
             "wall: what a run feels, on a machine of its own; processor: the time that the system gave to "
             "the process, "
             "where others compute meanwhile. Phases of a step are always by the wall clock."),
      integer("memory", &Bench::memory, {Index{1} << 20, no_limit}, "bytes",
              "Memory of a rank for streams, random rows and tables: as much as its tables will have; rows cost more "
              "in more."),
      integer("steps", &Bench::steps, {1, 100000}, "steps", "Whole steps of a repeat, each on a batch of its own."),
  };
  return {single(
      "bench", "How tesserec bench measures.", keys, [](auto& d) -> auto& { return d.bench; })};
}

}  // namespace tesserec::deck
