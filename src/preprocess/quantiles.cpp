// SPDX-License-Identifier: Apache-2.0
#include "quantiles.hpp"

#include <algorithm>
#include <cstdint>

#include "encoding.hpp"
#include "number_counts.hpp"
#include "packing.hpp"
#include "phase_progress.hpp"
#include "row_stream.hpp"
#include "scratch_folder.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::preprocess {
namespace {

constexpr const char *borders_file = "borders", *numbers_files = "numbers-";

/// Column with quantiles, and its numbers on this rank.
struct MeasuredColumn {
  std::size_t column = 0;  ///< index in RowLayout::columns
  Index quantiles = 0;
  NumberCounts numbers;
  Index all = 0;  ///< numbers of all ranks
};

/// Place among the sorted numbers of a column.
struct NumberPlace {
  std::size_t column = 0;  ///< index in the measured columns
  Index place = 0;         ///< from 0, below the count of its numbers
};

/// Rows of a rank's share of the files.
struct MeasuredRows {
  Index good = 0, bad = 0;
  bool stopped = false;  ///< true if an unfit header or a bad row ended the reading
};

/// Reads this rank's ranges of the files.
MeasuredRows read_numbers(std::span<const FileRange> ranges, const RowFormat& format, const BorderRules& rules,
                          std::vector<MeasuredColumn>& columns, PhaseProgress& progress) {
  RowStream stream(rules.files, ranges, format, rules.bad_rows, Targets::required, rules.side);
  MeasuredRows rows;
  for (Row row; stream.next(row); ++rows.good) {
    for (MeasuredColumn& column : columns) {
      const std::string_view text = stream.field(row, column.column);
      double number = 0;
      const bool missing = std::find(rules.missing.begin(), rules.missing.end(), text) != rules.missing.end();
      if (!missing && number_fault(text, number).empty()) column.numbers.add(number);
    }
    progress.row(stream.counts().size() - 1, stream.block());
  }
  progress.finish();
  rows.stopped = stream.stopped();
  for (const RangeCount& count : stream.counts()) rows.bad += count.bad_rows;
  for (MeasuredColumn& column : columns)
    if (!rows.stopped) column.numbers.finish();
  return rows;
}

/// Returns how many numbers of all ranks are below each key, which belongs to the column of a place. Collective.
std::vector<Index> counts_below(const comm::Communicator& comm, std::vector<MeasuredColumn>& columns,
                                const std::vector<NumberPlace>& places, const std::vector<std::uint64_t>& keys) {
  std::vector<Index> counts(places.size());
  comm::agree(comm, [&] {
    Signals::check();
    for (std::size_t i = 0; i < places.size(); ++i) counts[i] = columns[places[i].column].numbers.below(keys[i]);
  });
  comm.sum(std::span<Index>(counts));
  return counts;
}

/// Returns the keys of the numbers at the places, bit by bit: the largest key below which no more numbers are than the
/// place says. Collective.
std::vector<std::uint64_t> keys_at(const comm::Communicator& comm, std::vector<MeasuredColumn>& columns,
                                   const std::vector<NumberPlace>& places) {
  std::vector<std::uint64_t> keys(places.size(), 0), tried(places.size());
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit > 0 && !places.empty(); bit >>= 1) {
    for (std::size_t i = 0; i < keys.size(); ++i) tried[i] = keys[i] | bit;
    const std::vector<Index> below = counts_below(comm, columns, places, tried);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (below[i] <= places[i].place) keys[i] = tried[i];
  }
  return keys;
}

/// Returns the different keys of a column, ascending, if they are no more than its quantiles, else nothing. Collective.
std::vector<std::uint64_t> few_keys(const comm::Communicator& comm, const MeasuredColumn& column) {
  std::vector<std::uint64_t> keys;
  comm::agree(comm, [&] { keys = column.numbers.keys(column.quantiles); });
  const bool many = keys.empty() && column.numbers.size() > 0;
  if (comm.max(Index{many}) != 0) return {};
  keys = comm.all_gather(std::span<const std::uint64_t>(keys));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  if (std::ssize(keys) > column.quantiles) keys.clear();
  return keys;
}

/// Returns the keys of the borders of the columns, each the first of a bucket: the number at each quantile or, where
/// it is nearer, the next larger one, so that equal numbers are in one bucket. Collective.
std::vector<std::vector<std::uint64_t>> keys_of_borders(const comm::Communicator& comm,
                                                        std::vector<MeasuredColumn>& columns) {
  std::vector<std::vector<std::uint64_t>> borders(columns.size());
  std::vector<NumberPlace> places, next_places;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    borders[c] = few_keys(comm, columns[c]);
    // Each value is a bucket. A single one has a border below it.
    if (borders[c].size() > 1) borders[c].erase(borders[c].begin());
    if (!borders[c].empty()) continue;
    const Index all = columns[c].all, quantiles = columns[c].quantiles;
    for (Index q = 1; q < quantiles; ++q) places.push_back({c, all / quantiles * q + all % quantiles * q / quantiles});
  }
  std::vector<std::uint64_t> keys = keys_at(comm, columns, places);
  const std::vector<Index> first = counts_below(comm, columns, places, keys);
  std::vector<std::uint64_t> above = keys;
  for (std::uint64_t& key : above) ++key;
  const std::vector<Index> next = counts_below(comm, columns, places, above);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [c, place] = places[i];
    if (next[i] - place < place - first[i]) {
      if (next[i] < columns[c].all) next_places.push_back({c, next[i]});
    } else if (first[i] > 0) {
      borders[c].push_back(keys[i]);
    }
  }
  keys = keys_at(comm, columns, next_places);
  for (std::size_t i = 0; i < next_places.size(); ++i) borders[next_places[i].column].push_back(keys[i]);
  for (std::vector<std::uint64_t>& list : borders) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return borders;
}

/// Seals the borders for a later start. Collective.
void seal(const comm::Communicator& comm, const ScratchFolder& scratch,
          const std::vector<std::vector<std::uint64_t>>& borders) {
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::string footer;
    for (const std::vector<std::uint64_t>& keys : borders) pack_list(std::span<const std::uint64_t>(keys), footer);
    ScratchWriter(scratch.path(borders_file)).seal(footer);
  });
}

/// Measures the borders of the columns. Returns nothing if the files have no good rows. Collective.
std::vector<std::vector<std::uint64_t>> measured_borders(const comm::Communicator& comm, const RowFormat& format,
                                                         const ScratchFolder& scratch, const BorderRules& rules,
                                                         const std::vector<std::size_t>& numbers) {
  scratch.remove(numbers_files);
  std::vector<MeasuredColumn> columns;
  for (const std::size_t c : numbers)
    columns.push_back(
        {c, format.layout().columns[c].quantiles,
         NumberCounts(scratch.path(concat(numbers_files, c, "-", comm.rank())), rules.memory / std::ssize(numbers)),
         0});
  const auto ranges = deal_ranges(rules.files, comm.rank(), comm.size(), format.layout().text.quoted_newlines);
  PhaseProgress progress(comm, "measuring train", rules.files, ranges);
  MeasuredRows rows;
  comm::agree(comm, [&] { rows = read_numbers(ranges, format, rules, columns, progress); });
  const Index good = comm.sum(rows.good), bad = comm.sum(rows.bad);
  if (comm.max(Index{rows.stopped}) != 0 || good == 0) {
    columns.clear();  // closes the scratch files
    scratch.remove(numbers_files);
    return {};
  }
  for (MeasuredColumn& column : columns) {
    column.all = comm.sum(column.numbers.size());
    if (column.all == 0)
      fail("preprocess.column ", format.layout().columns[column.column].name,
           ": quantiles needs numbers, but no training row has one: ", counted(good, "row"), " lack the value",
           bad == 0 ? std::string("; remove the column, or give it buckets")
                    : concat(" and ", counted(bad, "bad row"),
                             " left out; set preprocess.bad_rows = \"stop\" to see why the first is bad"));
  }
  const std::vector<std::vector<std::uint64_t>> borders = keys_of_borders(comm, columns);
  seal(comm, scratch, borders);
  columns.clear();  // closes the scratch files
  scratch.remove(numbers_files);
  return borders;
}

}  // namespace

void find_borders(const comm::Communicator& comm, RowFormat& format, const ScratchFolder& scratch,
                  const BorderRules& rules) {
  std::vector<std::size_t> numbers;
  for (std::size_t c = 0; c < format.layout().columns.size(); ++c)
    if (format.layout().columns[c].quantiles != 0) numbers.push_back(c);
  if (numbers.empty()) return;
  if (!rules.vocabulary.empty()) return read_borders(comm, rules.vocabulary, format);
  std::vector<std::vector<std::uint64_t>> borders;
  if (const std::vector<ScratchFolder::Sealed> sealed = scratch.sealed(borders_file); sealed.empty()) {
    borders = measured_borders(comm, format, scratch, rules, numbers);
  } else {
    for (Unpacker unpacker(sealed.front().footer); !unpacker.done();) borders.push_back(unpacker.list<std::uint64_t>());
  }
  for (std::size_t i = 0; i < borders.size(); ++i) {
    std::vector<double> values;
    for (const std::uint64_t key : borders[i]) values.push_back(key_number(key));
    format.set_borders(numbers.at(i), std::move(values));
  }
}

}  // namespace tesserec::preprocess
