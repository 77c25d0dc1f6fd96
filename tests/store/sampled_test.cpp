// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/store/checksum.hpp>

using namespace tesserec;

TEST_CASE("sampled_checksum: differs if an end or the size differs or a small file differs anywhere") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tesserec_sampled_" + std::to_string(getpid()))).string();
  for (const Index size : {Index{0}, Index{1}, Index{5000}, Index{64} * 4096, Index{64} * 4096 + 1, Index{3} << 20}) {
    std::string bytes(std::size_t(size), 'a');
    const auto written = [&] {
      std::ofstream(path, std::ios::binary) << bytes;
      return store::sampled_checksum(path);
    };
    const std::string first = written();
    CHECK(first.starts_with(std::to_string(size) + " bytes, "));
    CHECK(written() == first);
    for (const Index at : {Index{0}, size - 1, size <= 64 * 4096 ? size / 2 : 0}) {
      if (at < 0 || at >= size) continue;
      bytes[std::size_t(at)] = 'b';
      CHECK(written() != first);
      bytes[std::size_t(at)] = 'a';
    }
  }
  std::filesystem::remove(path);
  CHECK(mentions(error_of([&] { store::sampled_checksum(path); }), path + ": cannot open it"));
}
