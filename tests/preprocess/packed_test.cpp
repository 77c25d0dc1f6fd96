// SPDX-License-Identifier: Apache-2.0
// Packed raw files: members, damage, and the thread that unpacks.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "packed_text.hpp"
#include "raw_text.hpp"
#include "src/preprocess/byte_reader.hpp"
#include <tesserec/core/error.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

/// Returns a reader's bytes, read in pieces of at most `most` bytes.
std::string all_of(ByteReader& reader, Index most = 1 << 20) {
  std::string text, piece(std::size_t(most), '\0');
  for (Index n = 1; const Index got = reader.read(piece.data(), n); n = 1 + (n * 31) % most) text.append(piece, 0, got);
  return text;
}

using MakeDecompressor = std::unique_ptr<Decompressor> (*)();

struct Format {
  MakeDecompressor make;
  Compression compression;
  std::string (*pack)(const std::string& text);
  std::string name;
};

/// Returns the decompressors of this build.
std::vector<Format> formats() {
  std::vector<Format> all = {{zlib_decompressor, Compression::gzip, test::gzipped, "gzip"}};
  if (isal_decompressor() != nullptr) all.push_back({isal_decompressor, Compression::gzip, test::gzipped, "gzip"});
  if (zstd_decompressor() != nullptr) all.push_back({zstd_decompressor, Compression::zstd, test::zstd_stored, "zstd"});
  return all;
}

}  // namespace

TEST_CASE("open_packed: unpacks members of any sizes in pieces of any sizes") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const std::string large = test::criteo_text(4000, 1);
  for (const Format& format : formats())
    for (const std::size_t size : {0, 1, 7, 300, 70000}) {
      std::string text, packed;
      Index members = 0;
      for (std::size_t at = 0; at < large.size(); at += 3 * size + 50000, ++members) {
        text += large.substr(at, size);
        packed += format.pack(large.substr(at, size));
      }
      const std::string path = folder.write("packed", packed);
      REQUIRE(compression_of(packed) == format.compression);
      for (const Index most : {Index{3}, Index{100000}}) {
        const auto reader = open_packed(path, format.compression, format.make());
        REQUIRE(all_of(*reader, most) == text);
        REQUIRE(reader->members() == members);
        const auto beside = read_beside(open_packed(path, format.compression, format.make()));
        REQUIRE(all_of(*beside, most) == text);
        REQUIRE(beside->members() == members);
      }
    }
}

TEST_CASE("text_per_byte: tells how far a file unpacks from its beginning") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const std::string text = test::criteo_text(4000, 1), zeros(std::size_t{8} << 20, '0');
  for (const Format& format : formats()) {
    const std::string whole = format.pack(text) + format.pack(text);
    const double rate = 2.0 * double(text.size()) / double(whole.size());
    CHECK(text_per_byte(folder.write("whole", whole), format.compression) == Approx(rate));
    // Damage behind the first 4 MiB of text does not count.
    const std::string long_file = format.pack(zeros) + std::string(std::size_t{1} << 20, '!');
    const std::string path = folder.write("long", long_file);
    const double beginning = text_per_byte(path, format.compression);
    CHECK(beginning > 0.9 * double(zeros.size()) / double(format.pack(zeros).size()));
    CHECK(mentions(error_of([&] { text_per_byte(folder.write("damaged", "no member"), format.compression); }),
                   "is damaged"));
  }
}

TEST_CASE("open_packed: names the place of damage, and ends before it in no file") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  const std::string text = test::criteo_text(40, 1);
  for (const Format& format : formats()) {
    const std::string member = format.pack(text);
    const auto fault = [&](const std::string& bytes) {
      const std::string path = folder.write("packed", bytes);
      return error_of([&] { all_of(*read_beside(open_packed(path, format.compression, format.make()))); });
    };
    for (std::size_t cut = 1; cut < member.size(); cut += 1 + member.size() / 200) {
      const std::string message = fault(member + member.substr(0, cut));
      INFO(message);
      REQUIRE(
          mentions(message, concat("packed: the ", format.name, " file ends too early, at byte ", member.size() + cut,
                                   ", inside the member that begins at byte ", member.size(), ", after ")));
    }
    REQUIRE(mentions(fault(member + "garbage"), concat("packed: the ", format.name, " file is damaged (")));
    if (format.compression == Compression::gzip) {
      REQUIRE(fault(member + std::string(600000, '\0')).empty());
      REQUIRE(mentions(fault(member + std::string(600000, '\0') + "garbage"), "is damaged"));
      std::string flipped = member;
      flipped[member.size() - 6] ^= 0x10;  // checksum
      REQUIRE(mentions(fault(flipped), concat("is damaged (incorrect data check) at byte ")));
      REQUIRE(mentions(fault(flipped), concat("after ", text.size(), " bytes of text; copy or download it again")));
    }
  }
}

TEST_CASE("open_packed: zstd with compressed blocks, a checksum and frames to skip") {
  const comm::Communicator comm(MPI_COMM_SELF);
  const test::Folder folder(comm);
  // 200 times "a\tb\n", by `zstd -19 --check`.
  const std::string frame(
      "\x28\xb5\x2f\xfd\x64\x20\x02\x5d\x00\x00\x20\x61\x09\x62\x0a\x01\x00\x19\x55\x97\x08\x85\xe5\x6f"
      "\x4c",
      25);
  const std::string skip("\x53\x2A\x4D\x18\x03\0\0\0abc", 11);
  const std::string path = folder.write("packed.zst", skip + frame + skip + frame);
  REQUIRE(compression_of(skip + frame) == Compression::zstd);
  REQUIRE(compression_of(frame) == Compression::zstd);
  REQUIRE(compression_of("P*M") == Compression::none);
  if (zstd_decompressor() == nullptr) {
    const std::string message = error_of([&] { open_packed(path, Compression::zstd); });
    REQUIRE(mentions(message, "packed.zst: it is compressed by zstd, which this build cannot read"));
    return;
  }
  std::string text;
  for (int line = 0; line < 400; ++line) text += "a\tb\n";
  REQUIRE(all_of(*open_packed(path, Compression::zstd)) == text);
  folder.write("packed.zst", frame.substr(0, frame.size() - 1) + char(frame.back() ^ 1));
  REQUIRE(mentions(error_of([&] { all_of(*open_packed(path, Compression::zstd)); }), "is damaged"));
}
