// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <zlib.h>

#include "line_reader.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

class PlainReader final : public ByteReader {
 public:
  PlainReader(const std::string& path, Index begin) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) fail(path, ": cannot open the file: ", std::strerror(errno));
    if (::fseeko(file_, begin, SEEK_SET) != 0) {
      std::fclose(file_);
      fail(path, ": cannot seek to byte ", begin, ": ", std::strerror(errno));
    }
  }
  ~PlainReader() override { std::fclose(file_); }
  PlainReader(const PlainReader&) = delete;
  PlainReader& operator=(const PlainReader&) = delete;

  Index read(char* data, Index size) override {
    const std::size_t got = std::fread(data, 1, size, file_);
    if (got == 0 && std::ferror(file_) != 0) fail(path_, ": cannot read the file: ", std::strerror(errno));
    return Index(got);
  }

 private:
  std::string path_;
  std::FILE* file_;
};

class GzipReader final : public ByteReader {
 public:
  explicit GzipReader(const std::string& path) : path_(path), packed_(path, 0), buffer_(std::size_t{1} << 18) {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (::inflateInit2(&stream_, gzip_only) != Z_OK)
      fail(path, ": zlib cannot start to unpack the file; unpack it with gunzip first");
  }
  ~GzipReader() override { ::inflateEnd(&stream_); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  Index read(char* data, Index size) override {
    constexpr Index max_bytes = Index{1} << 30;  // zlib's avail_out has 32 bits
    const uInt capacity = std::min(size, max_bytes);
    stream_.next_out = reinterpret_cast<Bytef*>(data);
    stream_.avail_out = capacity;
    while (stream_.avail_out == capacity) {
      if (stream_.avail_in == 0 && !refill()) {
        if (inside_) fail(path_, ": the gzip file ends too early; copy or download it again");
        return 0;
      }
      if (!inside_ && !start_member()) return 0;
      const int code = ::inflate(&stream_, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        inside_ = false;
        members_ = true;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        fail(path_, ": the gzip file is damaged (", stream_.msg != nullptr ? stream_.msg : "zlib error",
             "); copy or download it again");
      }
    }
    return Index(capacity - stream_.avail_out);
  }

 private:
  bool refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = packed_.read(buffer_.data(), std::ssize(buffer_));
    return stream_.avail_in > 0;
  }

  /// Begins the next gzip member, after zero bytes of padding. Returns false if the file ends first.
  bool start_member() {
    if (members_) {
      while (*stream_.next_in == 0) {
        ++stream_.next_in;
        if (--stream_.avail_in == 0 && !refill()) return false;
      }
      if (::inflateReset(&stream_) != Z_OK)
        fail(path_, ": zlib cannot unpack the next gzip member; unpack the file with gunzip first");
    }
    inside_ = true;
    return true;
  }

  std::string path_;
  PlainReader packed_;
  std::vector<char> buffer_;
  z_stream stream_{};
  bool inside_ = false;   ///< true while a member is unpacked
  bool members_ = false;  ///< true once a member is complete
};

}  // namespace

std::unique_ptr<ByteReader> open_plain(const std::string& path, Index begin) {
  return std::make_unique<PlainReader>(path, begin);
}

std::unique_ptr<ByteReader> open_gzip(const std::string& path) { return std::make_unique<GzipReader>(path); }

}  // namespace tesserec::preprocess
