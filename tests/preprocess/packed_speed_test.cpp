// SPDX-License-Identifier: Apache-2.0
// Rates of packed files beside the libraries' own. Hidden: `test_preprocess "[speed]"` prints a table.
#include <ctime>
#include <iostream>

#include "catch.hpp"
#include "raw_text.hpp"
#include "runs.hpp"
#include "src/preprocess/checked_format.hpp"
#include "src/preprocess/row_stream.hpp"
#include <tesserec/core/text.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Returns the time that this process has computed, which other programs disturb less than the time of day.
double seconds_computed() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

/// Returns the processor seconds of the cheapest of three calls.
template <class Call>
double cheapest(const Call& call) {
  double least = 1e9;
  for (int trial = 0; trial < 3; ++trial) {
    const double begin = seconds_computed();
    call();
    least = std::min(least, seconds_computed() - begin);
  }
  return least;
}

void drain(ByteReader& reader) {
  std::vector<char> block(std::size_t{1} << 18);
  while (reader.read(block.data(), std::ssize(block)) > 0) continue;
}

Index rows_of(const RawFile& file, const RowFormat& format) {
  const FileRange range{0, {0, Index{1} << 62}};
  RowStream stream({&file, 1}, {&range, 1}, format, BadRows::stop);
  Row row;
  while (stream.next(row)) continue;
  return stream.counts()[0].rows;
}

}  // namespace

TEST_CASE("open_packed: rates beside plain text", "[.][speed]") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const test::Folder folder(world);
  constexpr Index rows = 400000;
  const std::string text = test::criteo_text(rows, 1);
  const std::string packed = test::gzipped(text);
  for (int file = 0; file < world.size(); ++file) {
    folder.write("plain" + std::to_string(file), text);
    folder.write(concat("packed", file, ".gz"), packed);
  }
  const std::string path = folder / "packed0.gz";
  const auto print = [&](const std::string& what, Index count, double seconds) {
    if (world.rank() == 0)
      std::cout << left(what, 48) << fixed(1e-6 * double(count) / seconds, 2) << " M rows/s of a core, "
                << fixed(1e-9 * double(count) / double(rows) * double(text.size()) / seconds, 2) << " GB/s of text\n";
  };
  if (world.rank() == 0) {
    const auto format = make_row_format(Settings());
    const RawFile plain{folder / "plain0", std::ssize(text)};
    const RawFile gzip{path, std::ssize(packed), Compression::gzip};
    std::cout << fixed(double(text.size()) / rows, 1) << " bytes a row, " << fixed(double(packed.size()) / rows, 1)
              << " packed\n";
    print("unpacking by zlib", rows,
          cheapest([&] { drain(*open_packed(path, Compression::gzip, zlib_decompressor())); }));
    if (isal_decompressor() != nullptr)
      print("unpacking by ISA-L", rows,
            cheapest([&] { drain(*open_packed(path, Compression::gzip, isal_decompressor())); }));
    print("parsing plain text", rows, cheapest([&] { REQUIRE(rows_of(plain, *format) == rows); }));
    print("parsing beside unpacking", rows, cheapest([&] { REQUIRE(rows_of(gzip, *format) == rows); }));
  }
  world.barrier();
  for (const std::string kind : {"plain?", "packed?.gz"}) {
    const double seconds = cheapest([&] { preprocess::run(world, criteo({folder / kind}, folder / "out")); });
    print(concat("preprocess, all passes, ", counted(world.size(), "rank"), ", ", kind), rows, seconds);
  }
}
