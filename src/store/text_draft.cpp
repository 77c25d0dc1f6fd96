// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/store/text_draft.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20;  // bytes that are buffered before a write

std::string draft_of(const std::string& path) { return path + ".tmp"; }

}  // namespace

struct TextDraft::Digest {
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state{XXH3_createState(), &XXH3_freeState};

  Digest() { XXH3_64bits_reset(state.get()); }
  void add(std::span<const std::byte> text) { XXH3_64bits_update(state.get(), text.data(), text.size()); }
  std::uint64_t value() const { return XXH3_64bits_digest(state.get()); }
};

TextDraft::TextDraft(const std::string& path, double lock_wait)
    : path_(path),
      lock_(draft_of(path), lock_wait),
      open_(draft_of(path)),
      file_(draft_of(path), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, "create it"),
      digest_(std::make_unique<Digest>()) {}

TextDraft::~TextDraft() {
  if (!published_) ::unlink(draft_of(path_).c_str());
}

void TextDraft::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= piece) flush();
}

void TextDraft::flush() {
  const auto bytes = std::as_bytes(std::span(pending_.data(), pending_.size()));
  write_all(file_, draft_of(path_), bytes);
  digest_->add(bytes);
  pending_.clear();
}

void TextDraft::publish() {
  flush();
  const std::string draft = draft_of(path_);
  sync_path(draft);
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);  // The bytes below are then read from the disk.
  Digest read;
  read_pieces(draft, 0, [&](std::span<const std::byte> bytes, Index) { read.add(bytes); });
  if (read.value() != digest_->value())
    fail(draft, ": the bytes on the disk differ from those written; the disk is failing");
  rename_durably(draft, path_);
  published_ = true;
}

}  // namespace tesserec::store
