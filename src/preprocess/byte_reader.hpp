// SPDX-License-Identifier: Apache-2.0
/// Bytes of raw files: plain, or unpacked from gzip or zstd.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include <tesserec/core/index.hpp>

namespace tesserec::preprocess {

/// Compression of a raw file.
enum class Compression { none, gzip, zstd };

/// Returns the compression that a file's first bytes tell.
Compression compression_of(std::string_view beginning);

/// Reader of a file's bytes, plain or unpacked.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  /// Reads up to `size` bytes. Returns their number, 0 only at the end. Throws Error, naming the file.
  virtual Index read(char* data, Index size) = 0;
  /// Returns how many gzip members or zstd frames were begun; 0 of a plain file. Exact once read() returned 0.
  virtual Index members() const { return 0; }
  /// Returns how many bytes of the file were read and, in a packed one, unpacked. Call on the thread that reads.
  virtual Index taken() const = 0;
  /// Returns the XXH3_64 of the file's own bytes in the digested range, once they were all read. Of a packed file: of
  /// the first digested() bytes, which make its text up to `text_end` and more, once read() has given it or returned 0.
  virtual std::uint64_t digest() const = 0;
  /// Returns how many bytes of a packed file digest() is about; 0 of a plain file. Exact when digest() is.
  virtual Index digested() const { return 0; }
};

/// Opens a file from byte `begin` on. `digested`: bytes of the file that digest() is about.
std::unique_ptr<ByteReader> open_plain(const std::string& path, Index begin, Range digested = {});

/// Decompressor of the bytes of a packed file.
class Decompressor {
 public:
  /// Result of run(): it needs more packed bytes or more room for text, a member ended, or the bytes are damaged.
  enum class Unpacked { more, member_end, damaged };
  virtual ~Decompressor() = default;
  /// Prepares for the first or the next member.
  virtual void start() = 0;
  /// Unpacks from the front of `packed`, not empty at first, to `text`, at most `room` bytes. Drops the bytes it took
  /// from `packed` and adds those it wrote to `written`.
  virtual Unpacked run(std::string_view& packed, char* text, Index room, Index& written) = 0;
  /// Returns what is wrong with the bytes after Unpacked::damaged.
  virtual std::string fault() const = 0;
};

/// Creates a decompressor of gzip by zlib.
std::unique_ptr<Decompressor> zlib_decompressor();
/// Creates a decompressor of gzip by ISA-L, about three times as fast; null in a build without it.
std::unique_ptr<Decompressor> isal_decompressor();
/// Creates a decompressor of zstd; null in a build without libzstd.
std::unique_ptr<Decompressor> zstd_decompressor();

/// Opens a packed file and unpacks all of its members as one text. Ignores zero bytes after a gzip file's last member.
/// Reading throws Error, with the place in the file, if it is truncated or damaged. `decompressor`: null = the fastest
/// of this build. `text_end`: end of the text that digest() is about. Throws Error, naming the file, if this build has
/// no decompressor.
std::unique_ptr<ByteReader> open_packed(const std::string& path, Compression compression,
                                        std::unique_ptr<Decompressor> decompressor = nullptr,
                                        Index text_end = std::numeric_limits<Index>::max());

/// Returns how many bytes of text a byte of a packed file makes, measured on at most its first 4 MiB of text. Throws
/// Error as open_packed() and its reader do.
double text_per_byte(const std::string& path, Compression compression);

/// Returns a reader of the same bytes that reads and unpacks them on a thread of its own, at most 2 MiB ahead.
std::unique_ptr<ByteReader> read_beside(std::unique_ptr<ByteReader> reader);

}  // namespace tesserec::preprocess
