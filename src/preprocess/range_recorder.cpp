// SPDX-License-Identifier: Apache-2.0
#include "range_recorder.hpp"

#include <algorithm>
#include <utility>

#include "counted_hashes.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

// A range is sealed after this time, or a tenth of that of the whole reading, which bounds the number of runs.
constexpr double seal_seconds = 30, seal_share = 0.1;
constexpr Index most_tokens = Index{1} << 30;  // of a feature in one run, so that -1 - number is one of 32 bits, too
constexpr Index rows_between_looks = 256;

/// Returns the bytes that tokens may take, about. A hash table that doubles is up to three quarters of the memory, and
/// its old table is freed first.
Index token_memory(Index memory) { return memory / 5 * 3; }

}  // namespace

RangeRecorder::RangeRecorder(const ScratchFolder& scratch, std::string name, const RowLayout& layout,
                             const Recording& what, Index memory)
    : scratch_(scratch),
      name_(std::move(name)),
      layout_(layout),
      what_(what),
      memory_(memory),
      tokens_(what.tokens ? layout.features.size() : 0),
      waiting_(tokens_.size()) {
  for (std::size_t k = 0; what.tokens && k < layout.transforms.size(); ++k)
    if (layout.transforms[k] == Transform::standardise) columns_.measured.push_back(k);
  for (std::size_t f = 0; f < layout.forms.size(); ++f)
    if (layout.forms[f].may_be_empty()) columns_.bags.push_back(f);
}

void RangeRecorder::begin(const FileRange& range) {
  range_ = {};
  range_.range = range;
  range_.values.assign(layout_.features.size(), 0);
  range_.key_bytes.assign(layout_.keys.size(), 1);
  range_.further_labels.assign(2 * (layout_.label_count() - 1), 0);
  block_ = -1;
  blocks_.clear();
}

void RangeRecorder::add(const Row& row, Targets targets, Index text_block) {
  const bool labelled = targets == Targets::required;
  if (labelled && row.label != lacking_label) ++range_.labels[row.label];
  for (std::size_t t = 0; labelled && t < row.further_labels.size(); ++t)
    if (row.further_labels[t] != lacking_label) ++range_.further_labels[2 * t + row.further_labels[t]];
  range_.weightless += labelled && row.weight == 0;
  range_.unread_labels += targets == Targets::unread && row.has_label;
  for (std::size_t k = 0; k < row.keys.size(); ++k)
    range_.key_bytes[k] = std::max(range_.key_bytes[k], std::ssize(row.keys[k]));
  for (const std::size_t f : columns_.bags) range_.values[f] += Index(row.ends[f] - (f == 0 ? 0 : row.ends[f - 1]));
  if (!columns_.measured.empty()) measure(row, text_block);
  if (tokens_.empty()) return;
  if (what_.rows) {
    file();
    kept_->add(row, text_block);
  }
  count_tokens(row);
  if (++rows_ < rows_between_looks) return;
  rows_ = 0;
  const bool many = std::any_of(tokens_.begin(), tokens_.end(),
                                [](const TokenCounts& counts) { return counts.tokens.size() > most_tokens; });
  if (many || memory_of(tokens_) > token_memory(memory_)) write_tokens();
}

void RangeRecorder::count_tokens(const Row& row) {
  if (what_.rows) {  // Each feature has one value and a vocabulary.
    waiting_.add(row.tokens);
  } else {
    for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f) {
      const FeatureForm& form = layout_.forms[f];
      for (; v < row.ends[f]; ++v) {
        if (!row.tokens[v]) continue;
        if (!form.hashed())
          waiting_.add(f, row.tokens[v]);
        else if (!form.any_ids())
          add_hash(*row.tokens[v], tokens_[f]);
      }
    }
  }
  ++waiting_.rows;
  if (waiting_.full()) count_waiting();
}

void RangeRecorder::count_waiting() {
  if (waiting_.rows == 0) return;
  const auto fetch = [&](std::size_t f) {
    if (f < tokens_.size()) waiting_.values[f].fetch(tokens_[f].tokens);
  };
  fetch(0);
  for (std::size_t f = 0; f < tokens_.size(); ++f) {
    fetch(f + 1);  // arrives while this feature is counted
    waiting_.found.clear();
    tokens_[f].add(waiting_.values[f], what_.rows ? kept_->values(f) : waiting_.found);
  }
  waiting_.clear();
  if (what_.rows && kept_->full()) kept_->write_chunk(range_.kept);
}

/// Writes the rows of a range that are not written yet.
void RangeRecorder::keep_rows() {
  count_waiting();
  if (kept_ != nullptr) kept_->write_chunk(range_.kept);
}

void RangeRecorder::measure(const Row& row, Index text_block) {
  if (text_block != block_) {
    if (Index(blocks_.size() * sizeof(Moments)) >= std::min(memory_ / 64, Index{4} << 20)) write_moments();
    blocks_.resize(blocks_.size() + columns_.measured.size());
  }
  block_ = text_block;
  Moments* const block = blocks_.data() + blocks_.size() - columns_.measured.size();
  for (std::size_t i = 0; i < columns_.measured.size(); ++i)
    if (const double x = row.numbers[columns_.measured[i]]; !std::isnan(x)) block[i].add(x);
}

ScratchWriter& RangeRecorder::file() {
  const FileRange& first = read_.ranges.empty() ? range_.range : read_.ranges.front().range;
  if (file_ == nullptr)
    file_ = std::make_unique<ScratchWriter>(
        scratch_.path(concat(name_, right(std::to_string(first.file), 6, '0'), "-", first.bytes.begin)));
  if (what_.rows && kept_ == nullptr)
    kept_ = std::make_unique<KeptWriter>(kept_path(file_->path()), layout_, memory_, *what_.kept);
  return *file_;
}

void RangeRecorder::write_tokens() {
  keep_rows();
  if (kept_ != nullptr) {
    const ScratchPiece dictionary = kept_->write_dictionary(tokens_);
    const auto give = [&](TextRange& range) {
      for (KeptPiece& piece : range.kept)
        if (piece.dictionary.first == 0) piece.dictionary = dictionary;  // Rows or tokens stand before it in the file.
    };
    give(range_);
    std::ranges::for_each(read_.ranges, give);
  }
  if (memory_of(tokens_) > 0) read_.runs.push_back(write_run(file(), tokens_, layout_.forms));
}

void RangeRecorder::write_moments() {
  if (blocks_.empty()) return;
  const std::string_view bytes(reinterpret_cast<const char*>(blocks_.data()), blocks_.size() * sizeof(Moments));
  range_.moments.push_back(file().append(bytes));
  blocks_.clear();
}

void RangeRecorder::end(const RangeCount& count) {
  range_.count = count;
  for (std::size_t f = 0; f < layout_.forms.size(); ++f)
    if (!layout_.forms[f].may_be_empty()) range_.values[f] = count.rows;
  if (what_.rows) keep_rows();  // A chunk has rows of one range.
  write_moments();
  file();  // names the file by its first range
  read_.ranges.push_back(std::move(range_));
  const bool full = !tokens_.empty() && memory_of(tokens_) > token_memory(memory_) / 2;
  if (full || timer_.seconds() > std::max(seal_seconds, seal_share * all_.seconds())) finish();
}

void RangeRecorder::finish() {
  if (read_.ranges.empty()) return;
  write_tokens();
  sealed_.push_back({file_->path(), pack_ranges(read_)});
  file_->seal(sealed_.back().footer);
  file_.reset();
  if (kept_ != nullptr) kept_->finish();
  kept_.reset();
  read_ = {};
  timer_.reset();
}

}  // namespace tesserec::preprocess
