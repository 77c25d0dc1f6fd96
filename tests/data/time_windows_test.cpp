// SPDX-License-Identifier: Apache-2.0
// Training data in the order of time: windows by spans of time and by files.
#include <algorithm>
#include <limits>

#include "catch.hpp"
#include "errors.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"

using namespace tesserec;

namespace {

constexpr Index day_us = 86'400'000'000;

using Lines = std::vector<std::vector<std::string>>;

data::Deal deal(bool shuffle, int rank = 0, int ranks = 1) { return {rank, ranks, Lanes(4), 32, shuffle, 9}; }

/// Adds the times of the samples to a file of samples_file.
auto with_times(const std::function<Index(Index)>& time_of) {
  return [time_of](store::File& file) {
    std::vector<std::int64_t> times;
    for (Index i = 0; i < file.shape("/labels")[0]; ++i) times.push_back(time_of(i));
    file.write_all("/time", {std::ssize(times)}, times.data());
  };
}

/// Gives sample i a time on day -1, 0, 1 or 3; every fifth sample comes a day late in the file.
Index day_of(Index i) {
  const Index days[] = {-1, 0, 1, 3};
  return days[std::max<Index>(0, i / 50 - (i % 5 == 0 ? 1 : 0)) % 4];
}
Index time_of(Index i) { return day_of(i) * day_us + i % 50; }

data::Settings in_windows(const std::vector<std::string>& files, const std::string& window) {
  data::Settings settings;
  settings.train = files;
  settings.window = window;
  return settings;
}

/// Returns the batches of a window from `batch` on, as `ranks` ranks read them.
Lines batches_of(const data::Settings& settings, bool shuffle, int ranks, Index window, Index batch = 0) {
  Lines joined;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto source = data::make_source(settings, data::Use::train, deal(shuffle, rank, ranks));
    source->find_windows();
    source->seek(window, batch);
    const Lines local = samples_file::drain(*source);
    joined.resize(local.size());
    for (std::size_t b = 0; b < local.size(); ++b) joined[b].insert(joined[b].end(), local[b].begin(), local[b].end());
  }
  return joined;
}

/// Returns the number of the sample in each line of the batches.
std::vector<Index> samples_of(const Lines& batches) {
  std::vector<Index> samples;
  for (const auto& lines : batches)
    for (const std::string& line : lines) samples.push_back(std::stol(line.substr(line.find('|') + 2)));
  return samples;
}

template <class Write>
void write_first(const comm::Communicator& comm, const Write& write) {
  if (comm.rank() == 0) write();
  comm.barrier();
}

}  // namespace

TEST_CASE("data.window: a window has the samples of its span, each once, in an order of its own") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  write_first(comm, [&] {
    samples_file::packed(scratch / "a.h5", 0, 130, with_times(time_of));
    samples_file::packed(scratch / "b.h5", 130, 70, with_times([](Index i) { return time_of(130 + i); }));
  });
  const data::Settings settings = in_windows({scratch / "a.h5", scratch / "b.h5"}, "1 day");
  const auto source = data::make_source(settings, data::Use::train, deal(true));
  const std::string text = source->find_windows();
  CHECK(
      text.starts_with("training in the order of time: 4 windows of 1 day (UTC), 1969-12-31 to 1970-01-04; 1 span "
                       "without samples skipped; "));
  CHECK(text.find("their samples are read in ") != std::string::npos);
  const std::vector<data::TimeWindow>& windows = source->info().windows;
  REQUIRE(windows.size() == 4);
  data::SourceInfo other_order = source->info();
  std::reverse(other_order.features.begin(), other_order.features.end());
  const auto ordered = data::in_order(data::make_source(settings, data::Use::train, deal(true)), other_order);
  CHECK(ordered->find_windows() == text);
  CHECK(ordered->info().windows.size() == 4);
  CHECK(deal(true).batches(source->info()) == 2 + 2 + 2 + 2);
  std::vector<Index> all;
  for (Index w = 0; w < 4; ++w) {
    const Index days[] = {-1, 0, 1, 3};
    CHECK(windows[w].begin == days[w] * day_us);
    CHECK(windows[w].end == (days[w] + 1) * day_us);
    const std::vector<Index> kept = samples_of(batches_of(settings, false, 1, w));
    CHECK(std::is_sorted(kept.begin(), kept.end()));
    for (const Index sample : kept) CHECK(day_of(sample) == days[w]);
    CHECK(std::ssize(kept) == windows[w].samples);
    std::vector<Index> shuffled = samples_of(batches_of(settings, true, 1, w));
    CHECK_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
    std::sort(shuffled.begin(), shuffled.end());
    CHECK(shuffled == kept);
    all.insert(all.end(), kept.begin(), kept.end());
  }
  const auto places = [&](Index w) {  // of the shuffled samples in file order
    const std::vector<Index> kept = samples_of(batches_of(settings, false, 1, w));
    std::vector<Index> found;
    for (const Index sample : samples_of(batches_of(settings, true, 1, w)))
      found.push_back(std::find(kept.begin(), kept.end(), sample) - kept.begin());
    return found;
  };
  REQUIRE(windows[1].samples == windows[2].samples);
  CHECK(places(1) != places(2));
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() == 200);
  for (Index i = 0; i < 200; ++i) REQUIRE(all[i] == i);
}

TEST_CASE("data.window: batches do not depend on the ranks, and any batch of a window can come next") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  write_first(comm, [&] { samples_file::packed(scratch / "a.h5", 0, 200, with_times(time_of)); });
  const data::Settings settings = in_windows({scratch / "a.h5"}, "1 day");
  for (const bool shuffle : {false, true})
    for (Index w = 0; w < 4; ++w) {
      const Lines alone = batches_of(settings, shuffle, 1, w);
      for (int ranks = 2; ranks <= 4; ++ranks) REQUIRE(batches_of(settings, shuffle, ranks, w) == alone);
      REQUIRE(batches_of(settings, shuffle, 3, w, 1) == Lines(alone.begin() + 1, alone.end()));
    }
}

TEST_CASE("data.window = \"file\": each file with samples is a window") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  write_first(comm, [&] {
    samples_file::packed(scratch / "b.h5", 0, 40);
    samples_file::packed(scratch / "empty.h5", 40, 0);
    samples_file::packed(scratch / "a.h5", 40, 20);
  });
  const data::Settings settings = in_windows({scratch / "b.h5", scratch / "empty.h5", scratch / "a.h5"}, "file");
  const auto source = data::make_source(settings, data::Use::train, deal(false));
  CHECK(source->find_windows().find("; 1 file without samples skipped; 1 with less than a batch") != std::string::npos);
  REQUIRE(source->info().windows.size() == 2);
  CHECK(source->info().windows[1].name == scratch / "a.h5");
  CHECK(source->info().windows[1].begin == source->info().windows[1].end);
  const std::vector<Index> second = samples_of(batches_of(settings, false, 1, 1));
  REQUIRE(second.size() == 20);
  CHECK(second.front() == 40);
}

TEST_CASE("data.window: times that lack, or are none, are errors that name file and sample") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  write_first(comm, [&] {
    samples_file::packed(scratch / "none.h5", 0, 9);
    const Index missing = std::numeric_limits<Index>::min();
    samples_file::packed(scratch / "missing.h5", 0, 9, with_times([&](Index i) { return i > 6 ? missing : i; }));
    samples_file::packed(scratch / "nano.h5", 0, 9,
                         with_times([](Index i) { return i < 4 ? i : 1414022400'000000000; }));
    samples_file::packed(scratch / "short.h5", 0, 9, [](store::File& file) {
      const std::vector<std::int64_t> times(8);
      file.write_all("/time", {8}, times.data());
    });
  });
  const auto message = [&](const char* file) {
    const auto source = data::make_source(in_windows({scratch / file}, "1 hour"), data::Use::train, deal(true));
    return error_of([&] { source->find_windows(); });
  };
  CHECK(message("none.h5").find("none.h5 has no times of its samples (/time); give a column") != std::string::npos);
  CHECK(message("missing.h5").find("missing.h5: 2 samples of 9 without a time, first sample 7") != std::string::npos);
  CHECK(message("nano.h5").find("in sample 4 of ") != std::string::npos);
  CHECK(message("short.h5").find("/time is not one 64-bit integer per sample") != std::string::npos);
}

TEST_CASE("data.window: widths are whole numbers of units") {
  CHECK(data::window_width("file") == 0);
  CHECK(data::window_width("1 day") == day_us);
  CHECK(data::window_width("90 minutes") == 5400'000'000);
  CHECK(data::window_width("1 second") == 1'000'000);
  CHECK(data::window_width("12 hours") == day_us / 2);
  for (const char* text :
       {"", "day", "0 days", "-1 day", "1.5 days", "1 month", "1  day", "1 days ago", "999999999 days"})
    CHECK_FALSE(data::window_width(text));
}
