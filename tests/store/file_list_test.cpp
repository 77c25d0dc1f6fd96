// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "scratch.hpp"
#include <tesserec/store/file_list.hpp>

using namespace tesserec;
namespace fs = std::filesystem;

TEST_CASE("list_files: takes existing paths as written and other paths as patterns") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  for (const std::string name : {"data[1].h5", "data1.h5", "data2.h5", "what?.h5", "all*.h5", "back\\slash.h5"})
    put_bytes(scratch / name, name);
  fs::create_directories(scratch / "day[1]*");
  put_bytes(scratch / "day[1]*/a.h5", "a");
  put_bytes(scratch / "day[1]*/b.h5", "b");
  using Paths = std::vector<std::string>;
  const auto found = [&](const std::string& pattern) { return store::list_files({scratch / pattern}, "data.train"); };
  for (const std::string name : {"data[1].h5", "what?.h5", "all*.h5", "back\\slash.h5"})
    CHECK(found(name) == Paths{scratch / name});
  CHECK(found("data[12].h5") == Paths{scratch / "data1.h5", scratch / "data2.h5"});
  CHECK(found("data*") == Paths{scratch / "data1.h5", scratch / "data2.h5", scratch / "data[1].h5"});
  CHECK(found("day[1]*/?.h5") == Paths{scratch / "day[1]*/a.h5", scratch / "day[1]*/b.h5"});
  CHECK(store::list_files({scratch / "data2.h5", scratch / "data1.h5"}, "k") ==
        Paths{scratch / "data2.h5", scratch / "data1.h5"});

  for (const std::string name : {"data[34].h5", "none/*.h5", "none.h5"}) {
    const std::string message = error_of([&] { found(name); });
    CHECK(mentions(message, "data.train: "));
    CHECK(mentions(message, scratch / name));
    CHECK(store::matching_paths(scratch / name).empty());
  }
}

TEST_CASE("list_files: throws on one line if a matching name cannot be a path") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  put_bytes(scratch / "a\n\x7f.csv", "a");
  const std::string message = error_of([&] { store::list_files({scratch / "a*.csv"}, "preprocess.train"); });
  CHECK(mentions(message, "a\\x0A\\x7F.csv is not a valid path"));
}

TEST_CASE("list_files: throws with both names if they are the same file") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Scratch scratch(self);
  const std::string file = scratch / "a.h5";
  put_bytes(file, "a");
  put_bytes(scratch / "copy.h5", "a");
  fs::create_symlink("a.h5", scratch / "link.h5");
  fs::create_hard_link(file, scratch / "hard.h5");
  fs::create_directory_symlink(".", scratch / "folder");
  for (const std::string name : {"./a.h5", "link.h5", "hard.h5", "folder/a.h5", "[h]ard.h5"}) {
    const std::string message = error_of([&] { store::list_files({file, scratch / name}, "data.evaluate"); });
    CHECK(mentions(message, "data.evaluate names one file twice, as \"" + file + "\""));
    CHECK(mentions(message, name == "[h]ard.h5" ? "hard.h5" : scratch / name));
    CHECK(store::files_of_both({scratch / name}, {file}).size() == 1);
  }
  CHECK(mentions(error_of([&] { store::list_files({file, file}, "k"); }), "k names \"" + file + "\" twice"));
  CHECK(store::list_files({file, scratch / "copy.h5"}, "k").size() == 2);
  CHECK(store::files_of_both({scratch / "copy.h5", scratch / "none.h5"}, {file, scratch / "none.h5"}).empty());
}
