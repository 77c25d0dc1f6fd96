// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "sample_blocks.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

class ZlibPacker final : public Packer {
 public:
  ZlibPacker() {
    constexpr int gzip = 16 + MAX_WBITS, memory_level = 8;  // the largest window; zlib's default memory
    if (::deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, gzip, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      fail("zlib has no memory to pack a gzip file");
  }
  ~ZlibPacker() override { ::deflateEnd(&stream_); }
  ZlibPacker(const ZlibPacker&) = delete;
  ZlibPacker& operator=(const ZlibPacker&) = delete;

  std::string pack(const std::string& text, bool last) override {
    std::string packed;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = uInt(text.size());  // a block of lines, far below 4 GiB
    do {
      char piece[1 << 16];
      stream_.next_out = reinterpret_cast<Bytef*>(piece);
      stream_.avail_out = sizeof piece;
      ::deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      packed.append(piece, sizeof piece - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return packed;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Packer> gzip_packer() { return std::make_unique<ZlibPacker>(); }

}  // namespace tesserec::preprocess
