// SPDX-License-Identifier: Apache-2.0
#include "byte_reader.hpp"

#ifdef TESSEREC_ZSTD
#include <zstd.h>

#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

class ZstdDecompressor final : public Decompressor {
 public:
  ZstdDecompressor() : context_(::ZSTD_createDCtx()) {
    if (context_ == nullptr) fail("libzstd has no memory to unpack a zstd file");
    // Files written with --long need windows beyond the default limit of 128 MiB.
    const ZSTD_bounds window = ::ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    ::ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, window.upperBound);
  }
  ~ZstdDecompressor() override { ::ZSTD_freeDCtx(context_); }
  ZstdDecompressor(const ZstdDecompressor&) = delete;
  ZstdDecompressor& operator=(const ZstdDecompressor&) = delete;

  void start() override { ::ZSTD_DCtx_reset(context_, ZSTD_reset_session_only); }

  Unpacked run(std::string_view& packed, char* text, Index room, Index& written) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{text, std::size_t(room), 0};
    code_ = ::ZSTD_decompressStream(context_, &out, &in);
    packed.remove_prefix(in.pos);
    written += Index(out.pos);
    if (::ZSTD_isError(code_) != 0) return Unpacked::damaged;
    return code_ == 0 ? Unpacked::member_end : Unpacked::more;
  }

  std::string fault() const override { return ::ZSTD_getErrorName(code_); }

 private:
  ZSTD_DCtx* context_;
  std::size_t code_ = 0;
};

}  // namespace

std::unique_ptr<Decompressor> zstd_decompressor() { return std::make_unique<ZstdDecompressor>(); }

}  // namespace tesserec::preprocess
#else
namespace tesserec::preprocess {

std::unique_ptr<Decompressor> zstd_decompressor() { return nullptr; }

}  // namespace tesserec::preprocess
#endif
