// SPDX-License-Identifier: Apache-2.0
// Packed bodies: whatever pieces they come in, and damaged.
#include "src/serve/body_coding.hpp"

#include "catch.hpp"

using namespace tesserec::serve;

namespace {

/// Returns what a body unpacks to in pieces of some bytes, or "damaged".
std::string unpacked(const std::string& body, std::size_t piece, const std::string& coding = "gzip") {
  std::string text;
  BodyUnpacker unpacker(coding);
  const auto take = [&](std::string_view part) {
    text += part;
    return true;
  };
  for (std::size_t at = 0; at < body.size(); at += piece)
    if (!unpacker.unpack(std::string_view(body).substr(at, piece), take)) return "damaged";
  return unpacker.is_whole() ? text : "damaged";
}

}  // namespace

TEST_CASE("BodyUnpacker: any pieces of a body give its text, and a damaged one is found") {
  std::string text;
  for (int i = 0; i < 40000; ++i) text += std::to_string(i * i % 977) + ", ";
  const std::string packed = gzipped(text);
  CHECK(packed.size() < text.size() / 2);
  for (const std::size_t piece : {1, 7, 4096, 1 << 20}) CHECK(unpacked(packed, piece) == text);
  CHECK(unpacked(gzipped(""), 5).empty());
  CHECK(unpacked(packed, 100, "GZip") == text);
  for (const char* const plain : {"identity", "IDENTITY"}) CHECK(unpacked(text, 100, plain) == text);
  CHECK(unpacked(packed.substr(0, packed.size() - 1), 1 << 20) == "damaged");
  CHECK(unpacked(packed + "x", 1 << 20) == "damaged");
  std::string changed = packed;
  changed[changed.size() / 2] = char(changed[changed.size() / 2] ^ 4);
  CHECK(unpacked(changed, 1 << 20) == "damaged");
  BodyUnpacker full("gzip");
  CHECK(!full.unpack(packed, [](std::string_view) { return false; }));
}

TEST_CASE("accepts_gzip: reads names and qualities") {
  for (const char* const accepted : {"gzip", "deflate, gzip", "GZIP ;q=0.5", "br;q=1, gzip; q=0.01"})
    CHECK(accepts_gzip(accepted));
  for (const char* const refused : {"", "identity", "gzip;q=0", "gzip; q=0.000", "x-gzip2", "br, gzip ;q=0"})
    CHECK(!accepts_gzip(refused));
  for (const char* const known : {"", "identity", "gzip", "deflate", "GZIP", "Identity"}) CHECK(is_known_coding(known));
  CHECK(!is_known_coding("br"));
}
