// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/file.hpp>

using tesserec::read_file;

TEST_CASE("read_file: reads a file whole or up to a limit and throws with the reason if it cannot") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tesserec_file_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "x").string();
  std::string bytes = "\r\n\0\xff";
  bytes.resize(100000, 'a');
  std::ofstream(path, std::ios::binary) << bytes;
  CHECK(read_file(path) == bytes);
  CHECK(read_file(path, "the file", 20000) == bytes.substr(0, 20000));
  std::ofstream(path, std::ios::binary) << "";
  CHECK(read_file(path) == "");
  CHECK(error_of([&] { read_file(path + "y", "the deck"); }) ==
        path + "y: cannot read the deck: No such file or directory");
  CHECK(error_of([&] { read_file(folder.string()); }) == folder.string() + ": cannot read the file: Is a directory");
  std::filesystem::remove_all(folder);
}
