// SPDX-License-Identifier: Apache-2.0
// Speed of growing tables beside a table in memory. Hidden: `test_tiers "[speed]"` prints a table.
#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "catch.hpp"
#include "speed_table.hpp"
#include <tesserec/core/text.hpp>

using namespace tesserec;
using tiers::Eviction;
using timed::batch_size;
using timed::SpeedTable;
using timed::StepTimes;

namespace {

constexpr Index dim = 64;

/// Trains the batches and prints the medians per id.
void print(const std::string& name, SpeedTable& table, const std::vector<std::vector<Index>>& batches) {
  std::vector<double> pins, lookups, moves;
  for (const std::vector<Index>& ids : batches) {
    const StepTimes times = table.step(ids);
    pins.push_back(times.pin);
    lookups.push_back(times.lookup);
    moves.push_back(times.move);
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
    return values[values.size() / 2];
  };
  const double pin = median(pins), lookup = median(lookups), move = median(moves);
  std::cout << left(name, 44) << " | " << right(significant(pin, 3), 5) << " | " << right(significant(lookup, 3), 5)
            << " | " << right(significant(move, 3), 5) << " | " << right(significant(pin + lookup + move, 3), 5)
            << "\n";
}

/// Draws batches of rows: `zipf` by Zipf's law with exponent 1.05, else equally.
std::vector<std::vector<Index>> draw(Index rows, int count, bool zipf) {
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> uniform;
  std::vector<std::vector<Index>> result(count, std::vector<Index>(batch_size));
  for (auto& batch : result)
    for (Index& row : batch) {
      row = Index(random() % std::uint64_t(rows));
      if (!zipf) continue;
      const double top = std::pow(double(rows), -0.05);  // inverse of the distribution of x^-1.05 on [1, rows]
      const double x = std::pow(1 - uniform(random) * (1 - top), -20.0);
      row = Index(std::min(x, double(rows)) - 1) * 7919 % rows;
    }
  return result;
}

/// Makes ids of 64 random bits from rows.
std::vector<std::vector<Index>> ids_of(std::vector<std::vector<Index>> batches, Index first = 0) {
  for (auto& batch : batches)
    for (Index& row : batch) row = timed::hashed_id(row + first);
  return batches;
}

}  // namespace

TEST_CASE("speed of growing_rows beside a table in memory", "[.][speed]") {
  for (const Index rows : {Index{1} << 18, Index{1} << 21}) {
    const Index capacity = rows + rows / 4;
    std::cout << rows << " ids of " << dim << " columns, row-wise Adagrad, batches of " << batch_size
              << ": medians [ns per id]\n"
              << left("table", 44) << " |   pin | look  |  move | all\n";
    std::vector<std::vector<Index>> all;
    for (Index begin = 0; begin < rows; begin += batch_size) {
      all.emplace_back(batch_size);
      for (Index i = 0; i < batch_size; ++i) all.back()[i] = (begin + i) * 7919 % rows;
    }
    const auto zipf = draw(rows, 30, true), even = draw(rows, 30, false);
    {
      SpeedTable fixed(timed::shard_of(rows, dim, embedding::BlockBy::rows), embedding::memory_rows);
      std::cout << left("in memory, initialize() [ns per row]", 44) << " | "
                << right(significant(1e9 * fixed.initialize_seconds() / double(rows), 3), 5) << "\n";
      print("in memory, each row once", fixed, all);
      print("in memory, Zipf", fixed, zipf);
      print("in memory, equal", fixed, even);
    }
    const embedding::TableShard shard = timed::shard_of(capacity, dim, embedding::BlockBy::hash);
    {
      SpeedTable growing(shard, tiers::growing_rows({}));
      print("growing, new ids", growing, ids_of(all));
      print("growing, Zipf", growing, ids_of(zipf));
      print("growing, equal", growing, ids_of(even));
    }
    for (const Eviction eviction : {Eviction::lru, Eviction::lfu}) {
      SpeedTable growing(shard, tiers::growing_rows({.eviction = eviction}));
      for (Index round = 0; round < 2; ++round) print("growing, new ids", growing, ids_of(all, round * rows));
      print("growing, full, all new, eviction " + std::to_string(int(eviction)), growing, ids_of(all, 2 * rows));
    }
    SpeedTable counted(shard, tiers::growing_rows({.admit_after = 3}));
    print("growing, admit_after 3, Zipf", counted, ids_of(zipf));
  }
}
