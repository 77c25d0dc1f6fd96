// SPDX-License-Identifier: Apache-2.0
#include "record_sorter.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::preprocess {
namespace {

/// Appends the sizes of a record's key and value, and both.
void append(SortedRecord record, std::string& out) {
  const std::uint32_t sizes[2] = {std::uint32_t(record.key.size()), std::uint32_t(record.value.size())};
  out.append(reinterpret_cast<const char*>(sizes), sizeof sizes);
  out.append(record.key);
  out.append(record.value);
}

}  // namespace

/// Reader of a scratch file.
class RecordSorter::ScratchRun {
 public:
  explicit ScratchRun(const std::string& path) : path_(path), file_(path, std::ios::binary) { next(); }
  bool has() const { return has_; }
  SortedRecord record() const {
    return {std::string_view(bytes_).substr(0, key_), std::string_view(bytes_).substr(key_)};
  }
  void next() {
    std::uint32_t sizes[2] = {};
    has_ = bool(file_.read(reinterpret_cast<char*>(sizes), sizeof sizes));
    if (!has_ && file_.gcount() == 0 && file_.eof()) return;
    key_ = sizes[0];
    bytes_.resize(has_ ? std::size_t(sizes[0]) + sizes[1] : 0);
    if (!has_ || !file_.read(bytes_.data(), std::streamsize(bytes_.size())))
      fail(path_, ": the scratch file cannot be read back; start the command again");
  }

 private:
  std::string path_;
  std::ifstream file_;
  std::string bytes_;
  std::size_t key_ = 0;
  bool has_ = false;
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

/// Writes the records in memory, sorted, to a scratch file.
void RecordSorter::spill() {
  constexpr std::size_t piece = std::size_t{1} << 20;
  sort_memory();
  files_.push_back(concat(scratch_, files_.size(), ".tmp"));
  store::Descriptor file(files_.back(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, "write it");
  std::string out;
  const auto flush = [&] {
    store::write_all(file, files_.back(), std::as_bytes(std::span(out)));
    scratch_bytes_ += std::ssize(out);
    out.clear();
  };
  for (const SorterEntry& entry : entries_) {
    append(record_of(entry), out);
    if (out.size() > piece) flush();
  }
  flush();
  file.close();
  entries_.clear();
  bytes_.clear();
}

void RecordSorter::sort() {
  if (!files_.empty() && !entries_.empty()) spill();
  sort_memory();
  rewind();
}

void RecordSorter::rewind() {
  position_ = 0;
  runs_.clear();
  heap_.clear();
  popped_ = false;
  for (const std::string& file : files_) {
    runs_.push_back(std::make_unique<ScratchRun>(file));
    if (runs_.back()->has()) heap_.push_back(runs_.size() - 1);
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
