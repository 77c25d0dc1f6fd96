// SPDX-License-Identifier: Apache-2.0
// fault_mutate KIND FILE SEED: damages a file in place. flip: one bit at a random place; cut: to a random length; zero:
// a random block of 4 KiB, the last one shorter. Prints "unchanged" if the block was zero before or the file is empty.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

int main(int count, char** words) {
  if (count != 4) return 1;
  const std::string kind = words[1], path = words[2];
  std::vector<char> bytes;
  {
    std::ifstream in(path, std::ios::binary);
    if (!in) return 1;
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::mt19937_64 random(std::strtoull(words[3], nullptr, 10));
  const std::size_t size = bytes.size();
  if (size == 0) {
    std::cout << "unchanged\n";
    return 0;
  }
  const std::size_t at = random() % size;
  if (kind == "cut") {
    std::filesystem::resize_file(path, at);
    std::cout << "cut to " << at << " of " << size << " bytes\n";
    return 0;
  }
  constexpr std::size_t block = 4096;
  std::size_t begin = at, end = at + 1;
  if (kind == "flip") {
    const auto bit = static_cast<unsigned>(random() % 8);
    bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1u << bit));
    std::cout << "bit " << bit << " of byte " << at << " of " << size << '\n';
  } else if (kind == "zero") {
    begin = at / block * block;
    end = std::min(size, begin + block);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = bytes.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::all_of(first, last, [](char byte) { return byte == 0; })) {
      std::cout << "unchanged\n";
      return 0;
    }
    std::fill(first, last, char{0});
    std::cout << "bytes " << begin << " to " << end << " of " << size << " zero\n";
  } else {
    return 1;
  }
  std::fstream out(path, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(begin));
  out.write(bytes.data() + begin, static_cast<std::streamsize>(end - begin));
  return out.flush() ? 0 : 1;
}
