// SPDX-License-Identifier: Apache-2.0
#include "body_coding.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <new>

#include <zlib.h>

namespace tesserec::serve {
namespace {

constexpr int any_header = 32,
              gzip_header = 16;         // zlib's marks in the bits of its window: read gzip or zlib; write gzip
constexpr int memory_level = 8;         // zlib's own choice
constexpr std::size_t gzip_frame = 32;  // more than its bytes around what is packed
constexpr std::size_t unpacked_bytes = 1 << 16;  // unpacked at once

Bytef* bytes_of(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

std::string lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = char(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool is_plain(const std::string& coding) { return coding.empty() || coding == "identity"; }

}  // namespace

bool is_known_coding(std::string_view coding) {
  const std::string name = lower(coding);
  return is_plain(name) || name == "gzip" || name == "deflate";
}

BodyUnpacker::BodyUnpacker(std::string_view coding) {
  if (is_plain(lower(coding))) return;
  stream_ = std::make_unique<z_stream>();
  if (inflateInit2(stream_.get(), MAX_WBITS + any_header) != Z_OK) throw std::bad_alloc();
}

BodyUnpacker::~BodyUnpacker() {
  if (stream_) inflateEnd(stream_.get());
}

bool BodyUnpacker::unpack(std::string_view piece, const TakePiece& take) {
  if (stream_ == nullptr) return take(piece);
  std::array<char, unpacked_bytes> unpacked;
  stream_->next_in = bytes_of(piece.data());
  stream_->avail_in = uInt(piece.size());
  while (!ended_) {
    stream_->next_out = bytes_of(unpacked.data());
    stream_->avail_out = uInt(unpacked.size());
    const int code = inflate(stream_.get(), Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_BUF_ERROR) return true;  // all of the piece is read
    if (code != Z_OK && code != Z_STREAM_END) return false;
    ended_ = code == Z_STREAM_END;
    const std::size_t bytes = unpacked.size() - stream_->avail_out;
    if (bytes > 0 && !take({unpacked.data(), bytes})) return false;
  }
  return stream_->avail_in == 0;  // nothing follows the end
}

bool accepts_gzip(std::string_view accepted) {
  for (std::size_t at = 0; at <= accepted.size();) {
    const std::size_t end = std::min(accepted.find(',', at), accepted.size());
    std::string coding = lower(accepted.substr(at, end - at));
    std::erase_if(coding, [](char c) { return c == ' ' || c == '\t'; });
    at = end + 1;
    if (coding == "gzip") return true;
    if (coding.starts_with("gzip;q=")) return coding.find_first_of("123456789") != std::string::npos;
  }
  return false;
}

std::string gzipped(const std::string& text) {
  std::string packed(compressBound(uLong(text.size())) + gzip_frame, '\0');
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + gzip_header, memory_level, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
  stream.next_in = bytes_of(text.data());
  stream.avail_in = uInt(text.size());
  stream.next_out = bytes_of(packed.data());
  stream.avail_out = uInt(packed.size());
  const int code = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::bad_alloc();
  return packed;
}

}  // namespace tesserec::serve
