// SPDX-License-Identifier: Apache-2.0
// Rows that the first reading keeps: the data set and the report are those of two readings, and the text is read once.
#include "src/preprocess/kept_rows.hpp"

#include "jobs.hpp"

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Returns the settings of a table with all that a kept row can have.
Settings wide_table(const std::vector<std::string>& train) {
  Settings settings;
  settings.format = RawFormat::table;
  settings.train = train;
  settings.minimum_count = 3;
  Column first{"click", ColumnKind::label, Transform::none, {"1"}, {"0"}}, second = first;
  second.name = "order";
  second.optional = true;
  Column time{"time", ColumnKind::time};
  time.stored = true;
  time.parts.clear();
  settings.columns = {first, second, {"w", ColumnKind::weight}, time};
  for (const char* name : {"bytes", "shorts", "words", "large", "fractions", "zeros"})
    settings.columns.push_back({name, ColumnKind::number, Transform::none});
  settings.columns.push_back({"clipped", ColumnKind::number, Transform::log1p});
  settings.columns.push_back({"scaled", ColumnKind::number, Transform::standardise});
  for (const char* name : {"few", "some", "many"}) settings.columns.push_back({name, ColumnKind::category});
  return settings;
}

/// Makes rows of wide_table(), in some of which values are missing.
std::string wide_rows(Index rows, std::uint64_t seed) {
  const Random random(seed, Purpose::test);
  std::string text;
  for (Index i = 0; i < rows; ++i) {
    const auto below = [&](Index bound, Index column) { return random.below(bound, i, column); };
    const auto maybe = [&](const std::string& field, Index column) { return below(9, column) == 0 ? "" : field; };
    text += std::to_string(below(2, 0)) + "," + maybe(std::to_string(below(2, 1)), 2) + ",0." +
            std::to_string(1 + below(8, 3)) + "," + std::to_string(1'600'000'000 + below(1'000'000, 4));
    const Index bounds[] = {127, 32767, 2'000'000'000, 9'000'000'000'000};
    for (Index c = 0; c < 4; ++c)
      text += "," + maybe((below(2, 20 + c) == 0 ? "-" : "") + std::to_string(below(bounds[c] + 1, 5 + c)), 10 + c);
    text += "," + maybe(std::to_string(below(99, 30)) + ".25", 31) + "," + (below(2, 32) == 0 ? "-0.0" : "0");
    text += "," + maybe("-" + std::to_string(below(3, 33)), 34) + "," + maybe(std::to_string(below(1000, 35)), 36);
    text += "," + maybe("f" + std::to_string(below(9, 37)), 38) + "," +
            maybe("s" + std::to_string(below(300, 39)), 40) + "," +
            maybe("a_long_value_" + std::to_string(below(99, 41) == 0 ? below(9, 42) : i), 43) + "\n";
  }
  return text;
}

/// Writes the training data by two readings of the text. Returns their report.
DatasetReport read_twice(const comm::Communicator& comm, const Settings& settings) {
  constexpr Index memory = Index{1} << 30;
  on_first(comm, [&] { fs::create_directories(settings.output); });
  const auto format = make_row_format(settings);
  const ScratchFolder scratch(comm, settings.output, "job", 0);
  Survey train = survey(comm, find_raw_files(comm, settings.train, "preprocess.train"), *format, scratch,
                        {"train", "train-", BadRows::stop, true, Targets::required, memory});
  for (TextRange& range : train.ranges) range.kept.clear();
  const Encoding encoding = learn_encoding(comm, train, format->layout(), {scratch, settings.minimum_count, memory});
  write_dataset(comm, settings.output + "/train.h5", train, *format, encoding,
                {scratch, "train", true, settings.part_bytes, 0, memory})
      ->publish();
  return train.report;
}

void require_same_counts(const DatasetReport& a, const DatasetReport& b) {
  REQUIRE(a.files.size() == b.files.size());
  for (std::size_t file = 0; file < a.files.size(); ++file) {
    CHECK(a.files[file].unknown == b.files[file].unknown);
    REQUIRE(a.files[file].columns.size() == b.files[file].columns.size());
    for (std::size_t c = 0; c < a.files[file].columns.size(); ++c) {
      const ColumnCounts &x = a.files[file].columns[c], &y = b.files[file].columns[c];
      INFO("column " << c);
      CHECK(std::tuple(x.missing, x.unknown, x.clipped, x.large, x.values) ==
            std::tuple(y.missing, y.unknown, y.clipped, y.large, y.values));
    }
  }
  REQUIRE(a.top.size() == b.top.size());
  for (std::size_t f = 0; f < a.top.size(); ++f) {
    REQUIRE(a.top[f].size() == b.top[f].size());
    for (std::size_t i = 0; i < a.top[f].size(); ++i) {
      CHECK(a.top[f][i].value == b.top[f][i].value);
      CHECK(a.top[f][i].count == b.top[f][i].count);
    }
  }
}

}  // namespace

TEST_CASE("KeptMemory: takes what fits its blocks, and gives it back") {
  constexpr Index block = Index{32} << 20;
  CHECK(!KeptMemory().add("some"));
  KeptMemory memory(block + block / 2);
  const std::string half(std::size_t(block / 2), 'h'), more(half.size() + 1, 'm');
  const auto first = memory.add("some"), second = memory.add(half);
  CHECK(!memory.add(more));  // A second block would be too much.
  const auto third = memory.add("at the end");
  REQUIRE((first && second && third));
  CHECK(memory.at(*first) == "some");
  CHECK((memory.at(*second) == half));
  CHECK(memory.at(*third) == "at the end");
  KeptMemory small(100);
  CHECK(small.add(std::string(60, 's')));
  CHECK(!small.add(std::string(41, 's')));
  CHECK(small.add(std::string(40, 's')));
  KeptMemory large(block + 3);
  CHECK(!large.add(std::string(std::size_t(block + 4), 'x')));
  CHECK(large.add(std::string(std::size_t(block + 3), 'x')));
}

TEST_CASE("run: rows that were kept give the data set and the report of a second reading, on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  // More values than numbers of 16 bits, and more runs of tokens than files.
  for (const auto& [rows, memory] : {std::pair<Index, Index>(78000, 0), std::pair<Index, Index>(5000, 1)}) {
    const std::string part = std::to_string(memory);
    folder.write("a.csv", wide_rows(rows, 1));
    folder.write("b.csv", wide_rows(3000, 2));
    Settings settings = wide_table({folder / "a.csv", folder / "b.csv"});
    settings.memory = memory;
    Settings twice = settings;
    twice.output = folder / ("twice" + part);
    const DatasetReport report = read_twice(world, twice);
    CHECK(report.column(0).missing > 0);
    CHECK(report.column(6).clipped > 0);
    CHECK(report.column(10).unknown > 0);
    for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
      settings.output = folder / ("kept" + part + name);
      require_same_counts(run(comm, settings).train, report);
      on_first(comm, [&] { require_same(twice.output, settings.output, {"train.h5"}); });
    });
  }
}

TEST_CASE("survey: keeps rows of single values only, on files that one start uses") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  folder.write("train.csv", many_values(9000, 12));
  for (const std::string bag : {"", "|"}) {
    Settings settings = settings_of(bag);
    settings.train = {folder / "train.csv"};
    const auto format = make_row_format(settings);
    CHECK(keeps_rows(format->layout()) == bag.empty());
    const ScratchFolder scratch(world, folder / ".", bag.empty() ? "a" : "b", 0);
    constexpr Index memory = Index{1} << 20;
    const SurveyRules rules{"train", "train-", BadRows::stop, true, Targets::required, memory};
    const auto files = [&] { return find_raw_files(world, settings.train, "preprocess.train"); };
    Survey first = survey(world, files(), *format, scratch, rules);
    Index kept = 0;
    for (const TextRange& range : first.ranges)
      for (const KeptPiece& piece : range.kept) kept += piece.count;
    CHECK(kept == (bag.empty() ? 9000 : 0));
    if (!bag.empty()) continue;
    // Kept rows are read instead of the text, so a damaged byte of theirs is found.
    const Encoding encoding = learn_encoding(world, first, format->layout(), {scratch, 1, memory});
    const std::string path = first.ranges.front().kept_path;
    on_first(world, [&] { put_with_time(path, 9, "damage"); });
    CHECK(mentions(
        error_of([&] {
          write_dataset(world, folder / "out.h5", first, *format, encoding, {scratch, "train", true, 0, 0, memory});
        }),
        path + ": this scratch file is damaged"));
    world.barrier();
    // Another start takes the counts of the first one, but not its rows.
    const Survey second = survey(world, files(), *format, scratch, rules);
    for (const TextRange& range : second.ranges) CHECK(range.kept.empty());
    CHECK_FALSE(fs::exists(path));
    world.barrier();
  }
}
