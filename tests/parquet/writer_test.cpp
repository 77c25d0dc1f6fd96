// SPDX-License-Identifier: Apache-2.0
// Parquet files that are written: read back, damaged, and preprocessed beside the same rows as text.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "src/preprocess/byte_reader.hpp"
#include "src/preprocess/checked_format.hpp"
#include "src/preprocess/row_stream.hpp"
#include "tests/preprocess/packed_text.hpp"
#include "tests/preprocess/raw_text.hpp"
#include "tests/preprocess/runs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/parquet/writer.hpp>
#include <tesserec/preprocess/write_log.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Rows of Criteo's form, column by column.
struct Columns {
  parquet::WrittenColumns names{{"label"}, {}};
  std::vector<std::vector<std::int32_t>> numbers{14};
  std::vector<std::vector<std::string>> texts{26};
};

Columns criteo_columns(Index rows) {
  const Random random(9, Purpose::test);
  Columns columns;
  for (int k = 1; k <= 13; ++k) columns.names.numbers.push_back(concat("I", k));
  for (int f = 1; f <= 26; ++f) columns.names.texts.push_back(concat("C", f));
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < 14; ++k)
      columns.numbers[std::size_t(k)].push_back(std::int32_t(random.below(k == 0 ? 2 : 1500, i, k)));
    for (Index f = 0; f < 26; ++f) {
      const std::string token =
          std::to_string(10000000 + random.below(std::uint64_t(3 + 9 * f * f), i, 100 + f) * 7919);
      columns.texts[std::size_t(f)].push_back(token);
    }
  }
  return columns;
}

std::string text_of(const Columns& columns) {
  std::string text;
  for (std::size_t i = 0; i < columns.numbers[0].size(); ++i) {
    std::vector<std::string> row;
    for (const auto& numbers : columns.numbers) row.push_back(std::to_string(numbers[i]));
    for (const auto& texts : columns.texts) row.push_back(texts[i]);
    text += join(row, "\t") + "\n";
  }
  return text;
}

/// Returns the rows as a Parquet file with row groups of `group_rows`.
std::string parquet_of(const Columns& columns, std::size_t group_rows) {
  std::string bytes;
  const auto writer =
      parquet::open_writer("rows.parquet", columns.names, [&](std::string_view piece) { bytes += piece; });
  const std::size_t rows = columns.numbers[0].size();
  for (std::size_t begin = 0; begin < rows; begin += group_rows) {
    const std::size_t count = std::min(group_rows, rows - begin);
    for (const auto& numbers : columns.numbers) writer->write(std::span(numbers).subspan(begin, count));
    for (const auto& texts : columns.texts)
      writer->write(std::vector<std::string_view>(texts.begin() + Index(begin), texts.begin() + Index(begin + count)));
  }
  writer->end();
  return bytes;
}

/// Returns the rows that a reader of all columns gives, as lines.
std::string lines_of(const std::string& path) {
  const parquet::FileShape shape = parquet::shape_of(path);
  const std::vector<parquet::ColumnChoice> choices(shape.columns.size(), {true});
  const auto reader = parquet::open_rows(path, {0, shape.row_groups}, choices, "");
  std::string lines;
  for (std::vector<std::string_view> fields; reader->next(fields);) lines += join(fields, "\t") + "\n";
  return lines;
}

/// Returns whether two data sets differ only in where their rows come from.
bool same_data(const std::string& a, const std::string& b) {
  const store::File first = store::File::open(a), second = store::File::open(b);
  bool same = first.read_all<std::uint8_t>("/labels") == second.read_all<std::uint8_t>("/labels") &&
              first.read_all<float>("/dense") == second.read_all<float>("/dense") &&
              first.read_all<std::int32_t>("/sparse/ids") == second.read_all<std::int32_t>("/sparse/ids");
  for (const char* digest : {"vocabulary_digest", "label_values"})
    same = same && first.attribute<std::string>("/", digest) == second.attribute<std::string>("/", digest);
  return same;
}

data::Settings made_up() {
  data::Settings settings;
  settings.synthetic.kind = data::SyntheticKind::planted;
  settings.synthetic.samples = 70000;  // three blocks
  settings.synthetic.rows.assign(26, 300);
  settings.synthetic.dense_features = 13;
  return settings;
}

}  // namespace

TEST_CASE("GroupWriter: a file has the rows that were written, the same bytes each time, and finds its damage") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  const Columns columns = criteo_columns(1000);
  if (!parquet::is_built()) {
    const std::string message = error_of([&] { parquet_of(columns, 400); });
    CHECK(mentions(message, "rows.parquet: this build has no Arrow to write a Parquet file; configure with "));
    return;
  }
  const std::string bytes = parquet_of(columns, 400);
  const std::string path = folder.write("rows.parquet", bytes);
  CHECK(parquet::shape_of(path).row_groups == 3);
  CHECK(lines_of(path) == text_of(columns));
  CHECK(parquet_of(columns, 400) == bytes);
  world.barrier();  // before the first rank damages the file
  if (world.rank() != 0) return;
  const std::string begin_of_page = "\x28\xB5\x2F\xFD";  // of what zstd packed; the headers of pages have no checksum
  int pages = 0;
  for (std::size_t at = bytes.find(begin_of_page); at != std::string::npos; at = bytes.find(begin_of_page, at + 1)) {
    if (pages++ % 7 != 0) continue;
    std::string damaged = bytes;
    damaged[at + 9] = char(damaged[at + 9] ^ 4);
    std::ofstream(path, std::ios::binary) << damaged;
    CAPTURE(at);
    CHECK(mentions(error_of([&] { lines_of(path); }), "rows.parquet: cannot read the Parquet file: "));
  }
  CHECK(pages >= 3 * 40);  // row groups and columns
}

TEST_CASE("RowStream: a Parquet file stays open from one range of its row groups to the next") {
  if (!parquet::is_built()) return;
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const Columns columns = criteo_columns(40);
  RawFile file{folder.write("rows.parquet", parquet_of(columns, 8))};
  file.parquet = true;
  const auto format = make_row_format(Settings());
  const std::vector<FileRange> ranges = {{0, {0, 2}}, {0, {2, 3}}, {0, {3, 5}}};
  RowStream stream({&file, 1}, ranges, *format, BadRows::stop);
  std::vector<Index> labels;
  for (Row row; stream.next(row);) {
    std::filesystem::remove(file.path);  // A file that is opened again would be missed.
    labels.push_back(row.label);
  }
  REQUIRE(labels == std::vector<Index>(columns.numbers[0].begin(), columns.numbers[0].end()));
  const auto rows_of = [&](std::size_t range) { return stream.counts().at(range).rows; };
  REQUIRE((rows_of(0) == 16 && rows_of(1) == 8 && rows_of(2) == 16));
}

TEST_CASE("preprocess: plain and packed lines and Parquet give the same data, and the same bytes from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  const Columns columns = criteo_columns(3000);
  const std::string text = text_of(columns);
  folder.write("plain", text);
  folder.write("packed.gz", test::gzipped(text));
  folder.write("stored.zst", test::zstd_stored(text));
  folder.write("rows.parquet", parquet_of(columns, 700));
  std::vector<std::string> files = {"plain", "packed.gz", "rows.parquet"};
  if (zstd_decompressor() != nullptr) files.push_back("stored.zst");
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& name) {
    for (const std::string& file : files)
      CHECK(preprocess::run(comm, criteo({folder / file}, folder / (name + file))).train.rows == 3000);
  });
  if (world.rank() != 0) return;
  for (const std::string& file : files) {
    CAPTURE(file);
    const std::string one = folder / concat("1", file, "/train.h5");
    CHECK(same_data(folder / "1plain/train.h5", one));
    for (int ranks = 2; ranks <= world.size(); ++ranks)
      CHECK(test::read_bytes(folder / concat(ranks, file, "/train.h5")) == test::read_bytes(one));
  }
}

TEST_CASE("preprocess: rows of Criteo's form to score need no label, and other columns are refused") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  Columns columns = criteo_columns(500);
  const auto write = [&](const std::string& name) { return folder.write(name, parquet_of(columns, 500)); };
  Settings settings = criteo({write("labelled.parquet")}, folder / "with");
  settings.predict = settings.train;
  CHECK(preprocess::run(world, settings).predict.labels_unread == 500);
  columns.names.numbers.erase(columns.names.numbers.begin());
  columns.numbers.erase(columns.numbers.begin());
  settings.output = folder / "without";
  settings.predict = {write("rows.parquet")};
  CHECK(preprocess::run(world, settings).predict.labels_unread == 0);
  if (world.rank() == 0)
    for (const std::string dataset : {"/sparse/ids", "/dense"})
      CHECK(store::File::open(folder / "with/predict.h5").read_all<float>(dataset) ==
            store::File::open(folder / "without/predict.h5").read_all<float>(dataset));
  settings = criteo({folder / "rows.parquet"}, folder / "refused");
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }), "rows.parquet: it is a Parquet file without a "));
  std::swap(columns.names.texts[3], columns.names.texts[4]);
  settings = criteo({folder / "labelled.parquet"}, folder / "refused");
  settings.predict = {write("swapped.parquet")};
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }),
                 "swapped.parquet: it is a Parquet file whose column 17 is \"C5\", not \"C4\""));
  columns = criteo_columns(500);  // C1 becomes a number
  columns.names.numbers.push_back("C1");
  columns.names.texts.erase(columns.names.texts.begin());
  columns.numbers.push_back(columns.numbers.back());
  columns.texts.erase(columns.texts.begin());
  settings = criteo({write("numbers.parquet")}, folder / "refused");
  CHECK(mentions(error_of([&] { preprocess::run(world, settings); }),
                 "numbers.parquet: it is a Parquet file whose column C1 has type int32"));
}

TEST_CASE("write_logs: Parquet has the samples of the lines and the same bytes from any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  if (!parquet::is_built()) return;
  const LogSource source{"train",
                         [](const data::Deal& deal) { return data::make_source(made_up(), data::Use::train, deal); }};
  const auto write = [&](const comm::Communicator& comm, const std::string& name, LogForm form, Index samples_of_file) {
    const LogWriting writing{.folder = folder / name, .form = form, .seed = 5, .file_samples = samples_of_file};
    return write_logs(Exec(), comm, writing, {source});
  };
  const auto logs = write(world, "all", LogForm::parquet, Index{1} << 20);
  CHECK(logs[0].files == std::vector<std::string>{folder / "all/train-00000.parquet"});
  CHECK(logs[0].ids == 26 * 70000);
  write(world, "lines", LogForm::tsv, Index{1} << 20);
  for_each_rank_count(world, [&](const comm::Communicator& comm, const std::string& ranks) {
    CHECK(write(comm, ranks, LogForm::parquet, 1)[0].files.size() == 3);
  });
  if (world.rank() != 0) return;
  CHECK(parquet::shape_of(logs[0].files[0]).row_groups == 3);
  const std::string lines = test::read_bytes(folder / "lines/train-00000.tsv");
  CHECK(lines_of(logs[0].files[0]) == lines);
  for (int ranks = 1; ranks <= world.size(); ++ranks) {
    std::string pieces;
    for (int file = 0; file < 3; ++file) {
      const std::string name = concat("/train-0000", file, ".parquet");
      CHECK(test::read_bytes(folder / (std::to_string(ranks) + name)) == test::read_bytes(folder / ("1" + name)));
      pieces += lines_of(folder / (std::to_string(ranks) + name));
    }
    CHECK(pieces == lines);
  }
}
