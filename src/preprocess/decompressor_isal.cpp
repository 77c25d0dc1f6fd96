// SPDX-License-Identifier: Apache-2.0
#include "byte_reader.hpp"

#ifdef TESSEREC_ISAL
#include <algorithm>
#include <cstdint>

#include <isa-l/igzip_lib.h>

namespace tesserec::preprocess {
namespace {

/// Marks the upper halves of this thread's vector registers as free. The library leaves them in use, and each SSE
/// instruction of the thread then waits for them: to split rows took six times as long.
void free_upper_halves() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx")) __asm__ volatile("vzeroupper");
#endif
}

class IsalDecompressor final : public Decompressor {
 public:
  void start() override {
    ::isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;  // The library reads the header and compares the checksum.
    begins_ = true;
  }

  Unpacked run(std::string_view& packed, char* text, Index room, Index& written) override {
    // The library judges a header only once all of it is there.
    if (begins_ && packed.front() != '\x1F') {
      code_ = ISAL_INVALID_WRAPPER;
      return Unpacked::damaged;
    }
    begins_ = false;
    const std::uint32_t most = std::min(room, Index{1} << 30);  // The library's sizes have 32 bits.
    state_.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(packed.data()));
    state_.avail_in = packed.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(text);
    state_.avail_out = most;
    code_ = ::isal_inflate(&state_);
    free_upper_halves();
    packed.remove_prefix(packed.size() - state_.avail_in);
    written += most - state_.avail_out;
    if (code_ < 0) return Unpacked::damaged;
    return state_.block_state == ISAL_BLOCK_FINISH ? Unpacked::member_end : Unpacked::more;
  }

  std::string fault() const override {
    switch (code_) {
      case ISAL_INVALID_WRAPPER:
        return "incorrect header check";
      case ISAL_UNSUPPORTED_METHOD:
        return "unknown compression method";
      case ISAL_INCORRECT_CHECKSUM:
        return "incorrect data check";
      case ISAL_INVALID_LOOKBACK:
        return "invalid distance too far back";
      default:
        return "invalid block or symbol";
    }
  }

 private:
  inflate_state state_{};
  int code_ = ISAL_DECOMP_OK;
  bool begins_ = true;  ///< true before the member's first byte
};

}  // namespace

std::unique_ptr<Decompressor> isal_decompressor() { return std::make_unique<IsalDecompressor>(); }

}  // namespace tesserec::preprocess
#else
namespace tesserec::preprocess {

std::unique_ptr<Decompressor> isal_decompressor() { return nullptr; }

}  // namespace tesserec::preprocess
#endif
