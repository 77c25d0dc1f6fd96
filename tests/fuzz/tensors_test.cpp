// SPDX-License-Identifier: Apache-2.0
// Mutations of a safetensors file and of a NumPy array. Each is read or refused with an Error that names the file, and
// no read leaves the file.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tests/fuzz/mutations.hpp"
#include "tests/fuzz/rounds.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/store/tensor_file.hpp>

using namespace tesserec;

namespace {

/// Reads mutations of `seed` as the file `path` of what TensorFile opens as `opened`.
void read_mutated(const std::string& seed, const std::string& path, const std::string& opened, int rounds) {
  std::mt19937 random(test::fuzz_seed(44));
  int read = 0, refused = 0;
  for (test::Rounds left(rounds); left.next();) {
    const std::string bytes = test::mutate(seed, random);
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      const store::TensorFile file(opened);
      for (const store::StoredTensor& tensor : file.tensors()) {
        REQUIRE(tensor.offset + tensor.bytes <= std::ssize(bytes));
        if (tensor.type == store::TensorType::other) continue;
        std::vector<float> numbers(std::size_t(tensor.count()));
        store::read_numbers(tensor, {0, tensor.count()}, numbers.data());
      }
      ++read;
    } catch (const Error& error) {
      if (std::string(error.what()).find(opened) != 0) FAIL(error.what() << "\nin:\n" << bytes);
      ++refused;
    }
  }
  CHECK(read > 0);
  CHECK(refused > rounds / 4);
}

}  // namespace

TEST_CASE("TensorFile: reads or refuses mutated safetensors and NumPy arrays") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tesserec_tensors_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "arrays");
  const std::string head = R"({"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, )"
                           R"("b": {"dtype": "BF16", "shape": [4], "data_offsets": [24, 32]}} )";
  const std::string length(1, char(head.size()));
  read_mutated(length + std::string(7, '\0') + head + std::string(32, 'x'), folder / "w", folder / "w", 1500);
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  read_mutated(std::string("\x93NUMPY\x01\x00", 8) + char(text.size()) + '\0' + text + std::string(24, 'x'),
               folder / "arrays/a.npy", folder / "arrays", 1500);
  std::filesystem::remove_all(folder);
}
