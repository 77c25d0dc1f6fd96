// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "scratch.hpp"
#include <tesserec/store/disk.hpp>
#include <tesserec/store/hdf5.hpp>
#include <tesserec/store/lock.hpp>

using namespace tesserec;

namespace {

constexpr Index rows = 300;

}  // namespace

TEST_CASE("write_verified: throws if the file reads back other bytes") {
  const comm::Communicator world(MPI_COMM_WORLD);
  if (world.rank() != 0) return;
  // The kernel keeps 15 letters of a process's name and returns them with a newline.
  const std::string name = "/proc/self/comm";
  const std::string before = bytes_of(name);
  CHECK(mentions(error_of([&] { store::write_verified(name, "0123456789abcdef"); }),
                 name + ": the bytes on the disk differ from those written, from byte 0 on"));
  put_bytes(name, before);
}

TEST_CASE("FileLock: names the job of its owner") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string path = scratch / ("lock" + std::to_string(world.rank()));
  ::unsetenv("LSB_JOBID");
  ::setenv("PBS_JOBID", "4711", 1);
  ::setenv("SLURM_JOB_ID", "4123456789", 1);  // that job has ended: this process does not belong to it
  const store::FileLock lock(path, 0);
  ::unsetenv("PBS_JOBID"), ::unsetenv("SLURM_JOB_ID");
  const std::string error = error_of([&] { store::FileLock(path, 0); });
  CHECK(mentions(error, ", job 4711, after 0 s of waiting"));
  CHECK_FALSE(mentions(error, "4123456789"));
}

TEST_CASE("File: reads rows of a file without a seal for any type and columns") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch folder(world);
  if (world.rank() != 0) return;
  const std::string path = folder / "x.h5";
  constexpr Index columns = 3;
  std::vector<float> wide(rows * columns);
  std::vector<std::int32_t> ids(rows);
  std::iota(wide.begin(), wide.end(), 0.5f);
  std::iota(ids.begin(), ids.end(), 7);
  store::File made = store::File::create(path);
  made.write_all("g/wide", {rows, columns}, wide.data());
  made.write_all("ids", {rows}, ids.data());
  made.close();
  put_bytes(path, bytes_of(path).substr(512));
  const store::File file = store::File::open(path);
  const auto wide_rows = [&](const store::Slab& slab, Index width) {
    std::vector<float> values(slab.rows * width, -1.0f), wanted;
    file.read("g/wide", slab, values.data());
    for (Index r = slab.first_row; r < slab.first_row + slab.rows; ++r)
      for (Index c = slab.first_column; c < slab.first_column + width; ++c) wanted.push_back(wide[r * columns + c]);
    CHECK(values == wanted);
  };
  wide_rows({0, rows}, columns);
  wide_rows({17, 5}, columns);
  wide_rows({rows - 1, 1, 0, columns}, columns);
  wide_rows({17, 5, 1, 2}, 2);
  wide_rows({17, 5, 0, 2}, 2);
  wide_rows({17, 0}, columns);
  std::vector<std::int32_t> same(9);
  std::vector<std::int64_t> longer(9);
  std::vector<float> as_floats(9);
  file.read("ids", {40, 9}, same.data());
  file.read("ids", {40, 9, 0, 1}, longer.data());
  file.read("ids", {40, 9}, as_floats.data());
  for (Index i = 0; i < 9; ++i) {
    CHECK(same[i] == 47 + i);
    CHECK(longer[i] == 47 + i);
    CHECK(as_floats[i] == float(47 + i));
  }
  for (const store::Slab& slab : {store::Slab{rows - 4, 5}, store::Slab{-1, 5}, store::Slab{0, 5, 1}})
    CHECK(mentions(error_of([&] { file.read("ids", slab, same.data()); }), "ids has shape [300]"));
  put_bytes(path, bytes_of(path));
  CHECK(mentions(error_of([&] { file.read("ids", {40, 9}, same.data()); }), path + " was changed while"));
}
