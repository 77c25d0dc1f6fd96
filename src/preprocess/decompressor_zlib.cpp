// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <zlib.h>

#include "byte_reader.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

class ZlibDecompressor final : public Decompressor {
 public:
  ZlibDecompressor() {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (::inflateInit2(&stream_, gzip_only) != Z_OK) fail("zlib has no memory to unpack a gzip file");
  }
  ~ZlibDecompressor() override { ::inflateEnd(&stream_); }
  ZlibDecompressor(const ZlibDecompressor&) = delete;
  ZlibDecompressor& operator=(const ZlibDecompressor&) = delete;

  void start() override { ::inflateReset(&stream_); }

  Unpacked run(std::string_view& packed, char* text, Index room, Index& written) override {
    const uInt most = std::min(room, Index{1} << 30);  // zlib's sizes have 32 bits
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<Bytef*>(text);
    stream_.avail_out = most;
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    packed.remove_prefix(packed.size() - stream_.avail_in);
    written += most - stream_.avail_out;
    if (code == Z_STREAM_END) return Unpacked::member_end;
    return code == Z_OK || code == Z_BUF_ERROR ? Unpacked::more : Unpacked::damaged;
  }

  std::string fault() const override { return stream_.msg != nullptr ? stream_.msg : "zlib error"; }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Decompressor> zlib_decompressor() { return std::make_unique<ZlibDecompressor>(); }

}  // namespace tesserec::preprocess
