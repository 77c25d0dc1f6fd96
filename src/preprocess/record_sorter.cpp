// SPDX-License-Identifier: Apache-2.0
#include "record_sorter.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::preprocess {
namespace {

/// Scratch files that are read at once, at most: the sorters of a job together stay below the 1024 open files that many
/// systems allow.
constexpr std::size_t runs_at_once = 64;
constexpr std::size_t read_bytes = std::size_t{64} << 10, write_bytes = std::size_t{1} << 20;

}  // namespace

/// Reader of a scratch file.
class RecordSorter::ScratchRun {
 public:
  explicit ScratchRun(const std::string& path) : path_(path), file_(path, O_RDONLY | O_CLOEXEC, "read it back") {
    next();
  }
  bool has() const { return has_; }
  SortedRecord record() const {
    const std::string_view bytes = std::string_view(bytes_).substr(at_);
    return {bytes.substr(0, sizes_[0]), bytes.substr(sizes_[0], sizes_[1])};
  }
  void next() {
    at_ += has_ ? std::size_t(sizes_[0]) + sizes_[1] : 0;
    has_ = fill(sizeof sizes_);
    if (!has_ && at_ == bytes_.size()) return;
    if (has_) std::memcpy(sizes_, bytes_.data() + at_, sizeof sizes_);
    if (has_) at_ += sizeof sizes_;
    if (!has_ || !fill(std::size_t(sizes_[0]) + sizes_[1]))
      fail(path_, ": the scratch file ends inside a record; start the command again");
  }

 private:
  /// Reads until `wanted` bytes stand from at_ on. Returns false if the file ends before.
  bool fill(std::size_t wanted) {
    if (bytes_.size() - at_ >= wanted) return true;
    bytes_.erase(0, std::exchange(at_, 0));
    while (bytes_.size() < wanted) {
      const std::size_t had = bytes_.size();
      bytes_.resize(had + std::max(read_bytes, wanted));
      const ssize_t got = ::read(file_, bytes_.data() + had, bytes_.size() - had);
      const int reason = errno;
      bytes_.resize(had + std::size_t(std::max<ssize_t>(got, 0)));
      if (got == 0) return false;
      if (got < 0 && reason == EINTR) continue;
      if (got < 0) store::fail_errno(path_, "read it back");
    }
    return true;
  }

  std::string path_;
  store::Descriptor file_;
  std::string bytes_;  ///< bytes that were read
  std::size_t at_ = 0;
  std::uint32_t sizes_[2] = {};  ///< key and value of the record, bytes
  bool has_ = false;
};

/// Writer of a scratch file.
class RecordSorter::RunWriter {
 public:
  explicit RunWriter(const std::string& path) : path_(path), file_(path, flags, "write it") {}
  void add(SortedRecord record) {
    const std::uint32_t sizes[2] = {std::uint32_t(record.key.size()), std::uint32_t(record.value.size())};
    bytes_.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
    bytes_.append(record.key);
    bytes_.append(record.value);
    if (bytes_.size() > write_bytes) flush();
  }
  void end() {
    flush();
    file_.close();
  }

 private:
  static constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;

  void flush() {
    store::write_all(file_, path_, std::as_bytes(std::span(bytes_)));
    bytes_.clear();
  }

  std::string path_;
  store::Descriptor file_;
  std::string bytes_;
};

RecordSorter::RecordSorter(std::string scratch, Index memory) : scratch_(std::move(scratch)), memory_(memory) {}

RecordSorter::~RecordSorter() {
  runs_.clear();
  std::error_code ignored;
  for (const std::string& file : files_) std::filesystem::remove(file, ignored);
}

SortedRecord RecordSorter::record_of(const SorterEntry& entry) const {
  const std::string_view all(bytes_);
  return {all.substr(entry.at, entry.key), all.substr(entry.at + entry.key, entry.value)};
}

void RecordSorter::add(std::string_view key, std::string_view value) {
  if (!entries_.empty() && bytes_.size() + entries_.size() * sizeof(SorterEntry) > memory_) spill();
  entries_.push_back({bytes_.size(), std::uint32_t(key.size()), std::uint32_t(value.size())});
  bytes_ += key;
  bytes_ += value;
}

void RecordSorter::sort_memory() {
  std::sort(entries_.begin(), entries_.end(),
            [&](const SorterEntry& a, const SorterEntry& b) { return record_of(a).key < record_of(b).key; });
}

/// Begins another scratch file.
RecordSorter::RunWriter RecordSorter::new_run() {
  files_.push_back(concat(scratch_, created_++, ".tmp"));
  return RunWriter(files_.back());
}

/// Writes the records in memory, sorted, to a scratch file.
void RecordSorter::spill() {
  sort_memory();
  RunWriter run = new_run();
  for (const SorterEntry& entry : entries_) {
    run.add(record_of(entry));
    scratch_bytes_ += 2 * Index{sizeof(std::uint32_t)} + entry.key + entry.value;
  }
  run.end();
  entries_.clear();
  bytes_.clear();
}

void RecordSorter::sort() {
  if (!files_.empty() && !entries_.empty()) spill();
  sort_memory();
  while (files_.size() > runs_at_once) merge_runs();
  rewind();
}

/// Merges the first scratch files into one behind the others: no more than are too many to be read at once.
void RecordSorter::merge_runs() {
  Signals::check();
  const std::size_t count = std::min(runs_at_once, files_.size() - runs_at_once + 1);
  open_runs(count);
  RunWriter merged = new_run();
  for (SortedRecord record; next(record);) merged.add(record);
  merged.end();
  runs_.clear();
  for (std::size_t run = 0; run < count; ++run) std::filesystem::remove(files_[run]);
  files_.erase(files_.begin(), files_.begin() + Index(count));
}

void RecordSorter::rewind() {
  position_ = 0;
  open_runs(files_.size());
}

/// Begins to read the first `count` scratch files.
void RecordSorter::open_runs(std::size_t count) {
  runs_.clear();
  heap_.clear();
  popped_ = false;
  for (std::size_t run = 0; run < count; ++run) {
    runs_.push_back(std::make_unique<ScratchRun>(files_[run]));
    if (runs_.back()->has()) heap_.push_back(run);
  }
  const auto later = [&](std::size_t a, std::size_t b) { return runs_[b]->record().key < runs_[a]->record().key; };
  std::make_heap(heap_.begin(), heap_.end(), later);
}

bool RecordSorter::next(SortedRecord& record) {
  if (files_.empty()) {
    if (position_ == entries_.size()) return false;
    record = record_of(entries_[position_++]);
    return true;
  }
  const auto later = [&](std::size_t a, std::size_t b) { return runs_[b]->record().key < runs_[a]->record().key; };
  if (popped_) {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    runs_[heap_.back()]->next();
    if (runs_[heap_.back()]->has())
      std::push_heap(heap_.begin(), heap_.end(), later);
    else
      heap_.pop_back();
  }
  popped_ = !heap_.empty();
  if (heap_.empty()) return false;
  record = runs_[heap_.front()]->record();
  return true;
}

}  // namespace tesserec::preprocess
