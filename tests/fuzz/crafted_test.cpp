// SPDX-License-Identifier: Apache-2.0
// HDF5 files by strangers: each fault is an Error that names the file. crafted.sh runs the whole program on the same
// files with 1 and 2 ranks.
#include "tests/fuzz/crafted.hpp"

#include <cstdlib>
#include <set>

#include "catch.hpp"
#include "errors.hpp"
#include "tests/data/samples_file.hpp"
#include "tests/store/scratch.hpp"

using namespace tesserec;

namespace {

/// Returns the error of reading the file to its end; if it is "", `read` holds all samples.
std::string complaint(const std::string& path, std::vector<std::vector<std::string>>* read = nullptr,
                      bool trust = false) {
  data::Settings settings;
  settings.train = {path};
  settings.trust = trust;
  const data::Deal deal{0, 1, Lanes(2), 4, false, 1};
  return error_of([&] {
    const auto source = data::make_source(settings, data::Use::train, deal);
    const auto batches = samples_file::drain(*source);
    if (read != nullptr) *read = batches;
  });
}

}  // namespace

TEST_CASE("make_source: refuses crafted HDF5 files however HDF5 reads them") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  std::vector<std::vector<std::string>> whole, read;
  for (const bool packed : {true, false}) {
    test::write_foreign(path, packed);
    REQUIRE(complaint(path).empty());
  }
  test::write_foreign(path, true);
  REQUIRE(complaint(path, &whole).empty());
  const char* const keep = std::getenv("TESSEREC_CRAFTED");  // a folder: the files are written there, for crafted.sh
  const test::CraftedFiles files;
  CHECK(files.all().size() >= 300);
  std::set<std::string> names;
  for (const test::Crafted& crafted : files.all()) {
    INFO(crafted.name);
    CHECK(names.insert(crafted.name).second);
    if (keep != nullptr) {
      const std::string number = std::to_string(names.size());
      crafted.write(keep + ("/" + std::string(4 - number.size(), '0')) + number +
                    (crafted.damaged ? "_luck.h5" : ".h5"));
      continue;
    }
    if (crafted.name == "GCOL byte 24") continue;  // crafted.sh reads it: HDF5 takes all of the 20 s that it has
    crafted.write(path);
    const std::string text = complaint(path, &read);
    if (text.empty()) {
      CHECK(crafted.damaged);
    } else {
      CHECK(mentions(text, path));
    }
  }
}

TEST_CASE("make_source: names a filter that HDF5 lacks") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  constexpr H5Z_filter_t squeeze = 300;
  H5Z_class2_t filter{H5Z_CLASS_T_VERS, squeeze, 1, 1, "squeeze", nullptr, nullptr, nullptr};
  filter.filter = [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) { return bytes; };
  H5Zregister(&filter);
  test::write_foreign(scratch / "x.h5", true, [](hid_t file) {
    const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t four = 4;
    H5Pset_chunk(chunks, 1, &four);
    H5Pset_filter(chunks, squeeze, H5Z_FLAG_OPTIONAL, 0, nullptr);
    const std::vector<std::uint8_t> ones(8, 1);
    test::dataset(file, "/labels", H5T_STD_U8LE, test::space_of({8}), H5T_NATIVE_UINT8, ones.data(), chunks);
  });
  H5Zunregister(squeeze);
  CHECK(mentions(complaint(scratch / "x.h5"), "/labels is compressed with the filter \"squeeze\" (number 300)"));
}

TEST_CASE("data.trust: is needed to read numbers in other files") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string path = scratch / "x.h5";
  std::vector<std::vector<std::string>> whole, read;
  test::write_foreign(path, true);
  REQUIRE(complaint(path, &whole).empty());
  int trusted = 0, refused = 0;
  const test::CraftedFiles files;
  for (const test::Crafted& crafted : files.all()) {
    const bool elsewhere = crafted.name.starts_with(".") || crafted.name.starts_with("a part of a virtual") ||
                           crafted.name.find("external link for") != std::string::npos;
    if (!elsewhere) continue;
    INFO(crafted.name);
    crafted.write(path);
    CHECK(mentions(complaint(path), "data.trust"));
    const std::string text = complaint(path, &read, true);
    const bool there = crafted.name.starts_with(".other") || crafted.name.starts_with(".raw") ||
                       crafted.name.find("external link for") != std::string::npos;
    if (crafted.name.find("/sparse/user/offsets") != std::string::npos && crafted.name.starts_with(".raw")) {
      CHECK(mentions(text, "offsets ends at"));  // zeros
    } else {
      CHECK(text.empty() == there);
    }
    ++(text.empty() ? trusted : refused);
    if (crafted.name.starts_with(".other") && crafted.name.find("/sparse/user") == std::string::npos)
      CHECK(read == whole);
  }
  CHECK(trusted > 15);
  CHECK(refused > 15);
}
