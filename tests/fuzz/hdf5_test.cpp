// SPDX-License-Identifier: Apache-2.0
// Changed bytes of HDF5 files: a file without a seal is read or refused, a file with a seal is refused.
// TESSEREC_FUZZ_SECONDS makes each test run that long, with other changes in each run.
#include <chrono>
#include <cstdlib>
#include <random>

#include "catch.hpp"
#include "errors.hpp"
#include "tests/data/samples_file.hpp"
#include "tests/fuzz/hdf5_pieces.hpp"
#include "tests/fuzz/rounds.hpp"
#include "tests/store/scratch.hpp"

using namespace tesserec;

namespace {

std::string reading(const std::string& path) {
  data::Settings settings;
  settings.train = {path};
  const data::Deal deal{0, 1, Lanes(2), 4, false, 1};
  return error_of([&] { samples_file::drain(*data::make_source(settings, data::Use::train, deal)); });
}

/// Flips bits, writes zeros, ones or numbers over bytes, or cuts the end off. Every second place is among the first 2
/// KiB, which hold most of the structure.
std::string changed(std::string bytes, std::mt19937& random) {
  for (unsigned edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t at = random() % (random() % 2 == 0 ? std::min<std::size_t>(2048, bytes.size()) : bytes.size());
    switch (random() % 5) {
      case 0:
        bytes[at] = char(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        for (std::size_t i = at; i < std::min(bytes.size(), at + 1 + random() % 16); ++i) bytes[i] = '\0';
        break;
      case 2:
        for (std::size_t i = at; i < std::min(bytes.size(), at + 1 + random() % 8); ++i) bytes[i] = '\xff';
        break;
      case 3:
        bytes[at] = char(random());
        break;
      default:
        if (random() % 8 == 0) bytes.resize(std::max<std::size_t>(1, at));
        break;
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("make_source: reads or refuses datasets without a seal whose bytes changed") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  std::vector<std::string> seeds;
  for (const bool packed : {true, false}) {
    test::write_foreign(path, packed);
    seeds.push_back(bytes_of(path));
    test::write_foreign(path, packed, [](hid_t file) {
      const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
      const hsize_t chunk = 3;
      const std::vector<std::uint8_t> labels(8, 1);
      H5Pset_chunk(list, 1, &chunk), H5Pset_shuffle(list), H5Pset_deflate(list, 6), H5Pset_fletcher32(list);
      test::dataset(file, "/labels", H5T_STD_U8LE, test::space_of({8}), H5T_NATIVE_UINT8, labels.data(), list);
    });
    seeds.push_back(bytes_of(path));
  }
  std::mt19937 random(test::fuzz_seed(7));
  int read = 0, refused = 0;
  for (test::Rounds rounds(90); rounds.next();) {
    put_bytes(path, changed(seeds[random() % seeds.size()], random));
    const std::string text = reading(path);
    ++(text.empty() ? read : refused);
    if (!text.empty() && !mentions(text, path)) FAIL("no file is named: " << text);
  }
  CHECK(read > 20);
  CHECK(refused > 25);
}

TEST_CASE("make_source: refuses datasets with a seal whose bytes changed") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  std::vector<std::string> seeds;
  samples_file::packed(path, 0, 30);
  seeds.push_back(bytes_of(path));
  samples_file::jagged(path, 0, 30);
  seeds.push_back(bytes_of(path));
  std::mt19937 random(test::fuzz_seed(8));
  for (test::Rounds rounds(70); rounds.next();) {
    const std::string& seed = seeds[random() % seeds.size()];
    const std::string bytes = changed(seed, random);
    if (bytes == seed) continue;
    put_bytes(path, bytes);
    if (reading(path).empty()) FAIL("read without a word");
  }
}
