// SPDX-License-Identifier: Apache-2.0
#include "byte_reader.hpp"

#define XXH_INLINE_ALL
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <xxhash.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/read_ahead.hpp>

namespace tesserec::preprocess {
namespace {

class PlainReader final : public ByteReader {
 public:
  PlainReader(const std::string& path, Index begin, Range digested)
      : path_(path),
        file_(std::fopen(path.c_str(), "rb")),
        begin_(begin),
        at_(begin),
        digested_(digested),
        digest_(XXH3_createState(), &XXH3_freeState) {
    XXH3_64bits_reset(digest_.get());
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
    const Index begin = std::max(at_, digested_.begin), end = std::min(at_ + Index(got), digested_.end);
    if (begin < end) XXH3_64bits_update(digest_.get(), data + (begin - at_), std::size_t(end - begin));
    at_ += Index(got);
    return Index(got);
  }

  Index taken() const override { return at_ - begin_; }
  std::uint64_t digest() const override { return XXH3_64bits_digest(digest_.get()); }

 private:
  std::string path_;
  std::FILE* file_;
  Index begin_, at_;  ///< offsets of the first byte and of the next one in the file
  Range digested_;
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> digest_;
};

/// Reader of packed files: feeds a decompressor, member after member.
class PackedReader final : public ByteReader {
 public:
  PackedReader(const std::string& path, Compression compression, std::unique_ptr<Decompressor> decompressor,
               Index text_end)
      : path_(path),
        format_(compression == Compression::gzip ? "gzip" : "zstd"),
        padded_(compression == Compression::gzip),
        file_(path, 0, {0, std::numeric_limits<Index>::max()}),
        buffer_(std::size_t{1} << 18),
        decompressor_(std::move(decompressor)),
        text_end_(text_end) {}

  Index read(char* data, Index size) override {
    Index written = 0;
    while (written < size) {
      if (!inside_ && !begin_member()) {
        end_digest();
        break;
      }
      const Index before = written;
      const std::size_t unread = packed_.size();
      const Decompressor::Unpacked result = decompressor_->run(packed_, data + before, size - before, written);
      text_ += written - before;
      if (text_ >= text_end_) end_digest();
      if (result == Decompressor::Unpacked::damaged)
        fail(path_, ": the ", format_, " file is damaged (", decompressor_->fault(), ") at byte ", place(), ", after ",
             text_, " bytes of text; copy or download it again");
      inside_ = result != Decompressor::Unpacked::member_end;
      if (!inside_ || written > before || packed_.size() < unread || refill()) continue;
      fail(path_, ": the ", format_, " file ends too early, at byte ", place(),
           ", inside the member that begins at byte ", member_, ", after ", text_,
           " bytes of text; copy or download it again");
    }
    return written;
  }

  Index members() const override { return members_; }
  Index taken() const override { return place(); }
  std::uint64_t digest() const override { return digest_; }
  Index digested() const override { return digested_; }

 private:
  /// Notes the digest of what was read, the first time. Another thread may ask for it while this one reads on.
  void end_digest() {
    if (digested_ > 0) return;
    digest_ = file_.digest();
    digested_ = read_;
  }

  /// Returns the offset of the next packed byte in the file.
  Index place() const { return read_ - std::ssize(packed_); }

  bool refill() {
    const Index got = file_.read(buffer_.data(), std::ssize(buffer_));
    read_ += got;
    packed_ = {buffer_.data(), std::size_t(got)};
    return got > 0;
  }

  /// Begins the next member, after padding. Returns false if the file ends first.
  bool begin_member() {
    while (true) {
      const std::size_t zeros = padded_ && members_ > 0 ? packed_.find_first_not_of('\0') : 0;
      packed_.remove_prefix(std::min(zeros, packed_.size()));
      if (!packed_.empty()) break;
      if (!refill()) return false;
    }
    decompressor_->start();
    inside_ = true;
    ++members_;
    member_ = place();
    return true;
  }

  std::string path_;
  const char* format_;
  bool padded_;  ///< true if zero bytes may follow a member
  PlainReader file_;
  std::vector<char> buffer_;
  std::unique_ptr<Decompressor> decompressor_;
  std::string_view packed_;  ///< unread bytes of the buffer
  Index read_ = 0;           ///< bytes read from the file
  Index member_ = 0;         ///< offset of the member's first byte
  Index members_ = 0;
  Index text_ = 0;  ///< bytes unpacked
  Index text_end_;
  std::uint64_t digest_ = 0;
  Index digested_ = 0;   ///< 0 until the text has reached its end
  bool inside_ = false;  ///< true while a member is unpacked
};

/// Reader that another thread fills.
class BesideReader final : public ByteReader {
 public:
  explicit BesideReader(std::unique_ptr<ByteReader> reader)
      : reader_(std::move(reader)), blocks_(8, [this] { return read_block(); }) {}

  Index read(char* data, Index size) override {
    if (used_ == block_.size) {
      std::optional<FilledBuffer> block = blocks_.next();
      if (!block) return 0;
      block_ = std::move(*block);
      used_ = 0;
    }
    const Index taken = std::min(size, block_.size - used_);
    std::memcpy(data, block_.bytes.get() + used_, std::size_t(taken));
    used_ += taken;
    return taken;
  }

  Index members() const override { return reader_->members(); }
  Index taken() const override { return reader_->taken(); }
  std::uint64_t digest() const override { return reader_->digest(); }
  Index digested() const override { return reader_->digested(); }

 private:
  struct FilledBuffer {
    std::unique_ptr<char[]> bytes;
    Index size = 0;
  };

  std::optional<FilledBuffer> read_block() {
    constexpr Index most = Index{1} << 18;
    FilledBuffer block{std::make_unique_for_overwrite<char[]>(most)};
    block.size = reader_->read(block.bytes.get(), most);
    if (block.size == 0) return std::nullopt;
    return block;
  }

  std::unique_ptr<ByteReader> reader_;
  FilledBuffer block_;
  Index used_ = 0;                  ///< bytes of the block that were given away
  ReadAhead<FilledBuffer> blocks_;  // last, since its thread uses the reader
};

}  // namespace

Compression compression_of(std::string_view beginning) {
  using std::string_view_literals::operator""sv;
  if (beginning.starts_with("\x1F\x8B"sv)) return Compression::gzip;
  // A zstd file begins with a frame, or, as pzstd writes it, with a frame to skip, 0x184D2A50 to 0x184D2A5F.
  const bool skippable =
      beginning.size() > 4 && (beginning[0] & 0xF0) == 0x50 && beginning.substr(1, 3) == "\x2A\x4D\x18"sv;
  if (skippable || beginning.starts_with("\x28\xB5\x2F\xFD"sv)) return Compression::zstd;
  return Compression::none;
}

std::unique_ptr<ByteReader> open_plain(const std::string& path, Index begin, Range digested) {
  return std::make_unique<PlainReader>(path, begin, digested);
}

std::unique_ptr<ByteReader> open_packed(const std::string& path, Compression compression,
                                        std::unique_ptr<Decompressor> decompressor, Index text_end) {
  if (decompressor == nullptr && compression == Compression::zstd) decompressor = zstd_decompressor();
  if (decompressor == nullptr && compression == Compression::gzip) decompressor = isal_decompressor();
  if (decompressor == nullptr && compression == Compression::gzip) decompressor = zlib_decompressor();
  if (decompressor == nullptr)
    fail(path,
         ": it is compressed by zstd, which this build cannot read; unpack it with `zstd -d`, or build with libzstd",
         " (TESSEREC_ZSTD)");
  return std::make_unique<PackedReader>(path, compression, std::move(decompressor), text_end);
}

double text_per_byte(const std::string& path, Compression compression) {
  constexpr Index most = Index{4} << 20;  // bytes of text
  const std::unique_ptr<ByteReader> reader = open_packed(path, compression);
  std::vector<char> text(std::size_t{1} << 18);
  Index read = 0;
  for (Index got = 1; got > 0 && read < most; read += got) got = reader->read(text.data(), std::ssize(text));
  return double(read) / double(std::max(reader->taken(), Index{1}));
}

std::unique_ptr<ByteReader> read_beside(std::unique_ptr<ByteReader> reader) {
  return std::make_unique<BesideReader>(std::move(reader));
}

}  // namespace tesserec::preprocess
