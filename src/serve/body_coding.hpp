// SPDX-License-Identifier: Apache-2.0
/// Packed bodies of requests and replies: gzip and deflate, by zlib.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <tesserec/serve/service.hpp>

struct z_stream_s;

namespace tesserec::serve {

/// Returns whether bodies with this header Content-Encoding are read: gzip, deflate, identity, or none, in
/// letters of any case.
bool is_known_coding(std::string_view coding);

/// Unpacker of a request's body, piece by piece, so that a small body never becomes a large one at once.
class BodyUnpacker {
 public:
  /// `coding`: a known one.
  explicit BodyUnpacker(std::string_view coding);
  ~BodyUnpacker();
  BodyUnpacker(const BodyUnpacker&) = delete;
  BodyUnpacker& operator=(const BodyUnpacker&) = delete;

  /// Passes what a piece unpacks to, on to `take`. Returns whether `take` wants more and the piece is undamaged.
  bool unpack(std::string_view piece, const TakePiece& take);
  /// Returns whether the body may end here.
  bool is_whole() const { return stream_ == nullptr || ended_; }

 private:
  std::unique_ptr<z_stream_s> stream_;  ///< null = the body is not packed
  bool ended_ = false;
};

/// Returns whether a header Accept-Encoding names gzip without refusing it.
bool accepts_gzip(std::string_view accepted);

/// Packs a text as gzip.
std::string gzipped(const std::string& text);

}  // namespace tesserec::serve
