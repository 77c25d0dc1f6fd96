// SPDX-License-Identifier: Apache-2.0
// A Parquet file that changes while a job is interrupted.
#include "catch.hpp"
#include "tests/preprocess/jobs.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/parquet/writer.hpp>
#include <tesserec/store/parted_file.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

constexpr Index rows = 2000;

/// Returns rows of many_values(), a part of them with the other label, as a Parquet file.
std::string parquet_of(bool flips) {
  const parquet::WrittenColumns names{{"y", "n"}, {"many", "few"}};
  std::vector<std::int32_t> labels, numbers;
  std::vector<std::string> many, few;
  for (Index i = 0; i < rows; ++i) {
    labels.push_back(std::int32_t((i % 3 == 0) != (flips && i > 500 && i < 1500)));
    numbers.push_back(std::int32_t(i % 11));
    many.push_back(concat("v", i % 700));
    few.push_back(concat(i % 13));
  }
  const auto texts = [](const std::vector<std::string>& all) {
    return std::vector<std::string_view>(all.begin(), all.end());
  };
  std::string bytes;
  const auto writer = parquet::open_writer("rows.parquet", names, [&](std::string_view piece) { bytes += piece; });
  writer->write(std::span<const std::int32_t>(labels));
  writer->write(std::span<const std::int32_t>(numbers));
  writer->write(texts(many));
  writer->write(texts(few));
  writer->end();
  return bytes;
}

}  // namespace

TEST_CASE("write_dataset: parts of a Parquet file that has changed since are written again") {
  if (!parquet::is_built()) return;
  const comm::Communicator world(MPI_COMM_WORLD);
  const test::Folder folder(world);
  Settings settings = settings_of("");
  settings.train = {folder.write("train.csv", many_values(3000, 4))};
  settings.output = folder / "out";
  if (world.rank() == 0) fs::create_directories(settings.output);
  world.barrier();
  const auto format = make_row_format(settings);
  const std::vector<RawFile> train_files = find_raw_files(world, settings.train, "preprocess.train");
  ScratchFolder scratch(world, settings.output, job_key(settings, train_files), 0);
  const Survey train = survey(world, train_files, *format, scratch,
                              {"train", "train-", BadRows::stop, true, Targets::required, 1 << 30});
  const Encoding encoding = learn_encoding(world, train, format->layout(), {scratch, 1, 1 << 30});
  const std::string path = settings.output + "/evaluate.h5";
  std::string sampled;
  std::unique_ptr<parallel_io::PartedWriter> writer;
  for (const bool flips : {false, true}) {
    const std::string file = folder.write("rows.parquet", parquet_of(flips));
    std::vector<RawFile> files = find_raw_files(world, {file}, "preprocess.evaluate");
    // The bytes that differ may be none of those that are sampled.
    if (flips) files[0].sampled = sampled;
    sampled = files[0].sampled;
    Survey found =
        survey(world, files, *format, scratch,
               {"evaluate", concat("evaluate-", int(flips), "-"), BadRows::stop, false, Targets::required, 1});
    writer.reset();
    writer = write_dataset(world, path, found, *format, encoding, {scratch, "evaluate", false, 3000, 0, 1 << 30});
  }
  writer->publish();
  world.barrier();
  const auto labels = store::PartedFile::open(path).read_all<std::uint8_t>("/labels");
  REQUIRE(std::ssize(labels) == rows);
  CHECK(labels[1000] == 1);
  CHECK(labels[400] == 0);
}
