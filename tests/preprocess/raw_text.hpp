// SPDX-License-Identifier: Apache-2.0
// Raw files for tests: one rank writes them, all ranks read them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <unistd.h>
#include <zlib.h>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/random.hpp>

namespace tesserec::test {

/// A folder shared by all ranks, removed by the destructor.
class Folder {
 public:
  explicit Folder(const comm::Communicator& comm) : comm_(comm) {
    const std::string name = "test_folder_" + std::to_string(::getpid());
    path_ = comm.broadcast(name, 0);
    if (comm.rank() == 0) std::filesystem::create_directories(path_);
    comm.barrier();
  }
  ~Folder() {
    comm_.barrier();
    std::error_code ignored;
    if (comm_.rank() == 0) std::filesystem::remove_all(path_, ignored);
    comm_.barrier();
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file on rank 0. Collective.
  std::string write(const std::string& name, const std::string& bytes) const {
    if (comm_.rank() == 0) std::ofstream(*this / name, std::ios::binary) << bytes;
    comm_.barrier();
    return *this / name;
  }

 private:
  const comm::Communicator& comm_;
  std::string path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns the text compressed as one gzip member.
inline std::string gzipped(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Returns a good Criteo row without newline, made from random numbers; some fields are missing.
inline std::string criteo_row(const Random& random, Index i) {
  static const char hex[] = "0123456789abcdef";
  std::string row = random.uniform53(i, 0) < 0.25 ? "1" : "0";
  for (Index k = 0; k < 13; ++k) {
    row += '\t';
    if (random.uniform53(i, 1 + k) < 0.8) row += std::to_string(static_cast<Index>(random.below(1000, i, 100 + k)) - 3);
  }
  for (Index f = 0; f < 26; ++f) {
    row += '\t';
    if (random.uniform53(i, 200 + f) < 0.1) continue;
    // Few small numbers are frequent, many large ones rare.
    const auto level = static_cast<Index>(random.below(4, i, 300 + f));
    auto value = random.below(std::uint64_t{1} << (2 + 2 * level), i, 400 + f) * 2654435761u;
    for (int d = 0; d < 8; ++d, value >>= 4) row += hex[value & 15];
  }
  return row;
}

inline std::string criteo_text(Index rows, std::uint64_t seed, const std::string& line_end = "\n") {
  const Random random(seed, Purpose::test);
  std::string text;
  for (Index i = 0; i < rows; ++i) text += criteo_row(random, i) + line_end;
  return text;
}

}  // namespace tesserec::test
