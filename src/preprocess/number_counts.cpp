// SPDX-License-Identifier: Apache-2.0
#include "number_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <functional>
#include <queue>
#include <utility>

#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {
namespace {

constexpr std::uint64_t sign = std::uint64_t{1} << 63;
constexpr Index fewest_counts = 4096;  // more than twice the most quantiles, so that a spilled column has enough values
constexpr Index counts_between = 1 << 16;     // counts from which equal keys are added up, where memory allows it
constexpr std::size_t counts_of_piece = 512;  // 8 KiB, which is read at once

}  // namespace

std::uint64_t number_key(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0 becomes 0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

double key_number(std::uint64_t key) { return std::bit_cast<double>((key & sign) != 0 ? key ^ sign : ~key); }

NumberCounts::NumberCounts(std::string scratch, Index memory)
    : path_(std::move(scratch)),
      // A list that grows copies its entries, so half of the memory is theirs.
      most_(std::max(memory / 2 / Index{sizeof(KeyCount)}, fewest_counts)),
      limit_(std::min(most_, counts_between)) {}

/// Sorts the counts in memory and adds up those of equal keys.
void NumberCounts::sort() {
  std::sort(counts_.begin(), counts_.end(), [](const KeyCount& a, const KeyCount& b) { return a.key < b.key; });
  std::size_t kept = 0;
  for (const KeyCount& count : counts_)
    if (kept > 0 && counts_[kept - 1].key == count.key)
      counts_[kept - 1].count += count.count;
    else
      counts_[kept++] = count;
  counts_.resize(kept);
}

/// Adds up the counts in memory, and writes them to the scratch file if they fill more than half of it.
void NumberCounts::compact() {
  sort();
  if (std::ssize(counts_) > most_ / 2) spill();
  limit_ = std::min(most_, std::max(counts_between, 2 * std::ssize(counts_)));
}

/// Writes counts as the next piece of a run, and clears them.
void NumberCounts::append_piece(std::vector<KeyCount>& counts, ScratchWriter& file, NumberRun& run) {
  if (counts.empty()) return;
  run.first.push_back(counts.front());
  run.pieces.push_back(file.append({reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof(KeyCount)}));
  counts.clear();
}

/// Writes the sorted counts in memory to the scratch file.
void NumberCounts::spill() {
  if (file_ == nullptr) file_ = std::make_unique<ScratchWriter>(path_);
  NumberRun& run = runs_.emplace_back();
  std::vector<KeyCount> piece;
  for (const KeyCount& count : counts_) {
    size_ += count.count;
    piece.push_back(count);
    if (piece.size() == counts_of_piece) append_piece(piece, *file_, run);
  }
  append_piece(piece, *file_, run);
  counts_.clear();
}

std::vector<NumberCounts::KeyCount> NumberCounts::read_piece(const ScratchReader& file, const NumberRun& run,
                                                             std::size_t piece) {
  const std::string bytes = file.read({&run.pieces[piece], 1});
  std::vector<KeyCount> counts(bytes.size() / sizeof(KeyCount));
  std::memcpy(counts.data(), bytes.data(), bytes.size());
  return counts;
}

/// Reader of a run from its begin, a piece at a time.
class NumberCounts::RunCursor {
 public:
  RunCursor(const ScratchReader& file, const NumberRun& run) : file_(file), run_(run) { next(); }

  bool done() const { return read_.empty(); }
  const KeyCount& count() const { return read_[place_]; }
  void next() {
    if (++place_ < read_.size()) return;
    place_ = 0;
    read_.clear();
    if (piece_ == run_.pieces.size()) return;
    Signals::check();
    read_ = read_piece(file_, run_, piece_++);
  }

 private:
  const ScratchReader& file_;
  const NumberRun& run_;
  std::vector<KeyCount> read_;
  std::size_t place_ = 0, piece_ = 0;
};

/// Merges runs into one of another file. `cumulative`: counts become those of all smaller keys.
NumberCounts::NumberRun NumberCounts::merge(const ScratchReader& from, std::span<const NumberRun> runs, bool cumulative,
                                            ScratchWriter& file) {
  std::vector<RunCursor> cursors;
  using Next = std::pair<std::uint64_t, std::size_t>;  // key, and cursor that has it
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (const NumberRun& run : runs) {
    queue.emplace(run.first.front().key, cursors.size());
    cursors.emplace_back(from, run);
  }
  NumberRun merged;
  std::vector<KeyCount> piece;
  Index all = 0;
  while (!queue.empty()) {
    KeyCount sum{queue.top().first, 0};
    while (!queue.empty() && queue.top().first == sum.key) {
      const std::size_t c = queue.top().second;
      queue.pop();
      sum.count += cursors[c].count().count;
      cursors[c].next();
      if (!cursors[c].done()) queue.emplace(cursors[c].count().key, c);
    }
    const Index count = sum.count;
    if (cumulative) sum.count = std::exchange(all, all + count);
    piece.push_back(sum);
    if (piece.size() == counts_of_piece) append_piece(piece, file, merged);
  }
  append_piece(piece, file, merged);
  return merged;
}

/// Merges the runs of the scratch file until there is one, as many at a time as the memory has pieces for.
void NumberCounts::merge_runs() {
  const std::size_t at_once = std::size_t(most_) / counts_of_piece;
  file_->seal("");
  file_.reset();
  std::string from = path_;
  for (int level = 1; merged_ == nullptr; ++level) {
    const bool last = runs_.size() <= at_once;
    const std::string path = concat(path_, "-", level);
    std::vector<NumberRun> merged;
    {
      const ScratchReader file(from);
      ScratchWriter to(path);
      for (std::size_t r = 0; r < runs_.size(); r += at_once)
        merged.push_back(merge(file, std::span(runs_).subspan(r, std::min(at_once, runs_.size() - r)), last, to));
      to.seal("");
    }
    std::filesystem::remove(from);
    from = path;
    runs_ = std::move(merged);
    if (last) merged_ = std::make_unique<ScratchReader>(path);
  }
}

void NumberCounts::finish() {
  sort();
  if (file_ != nullptr) {
    if (!counts_.empty()) spill();
    return merge_runs();
  }
  for (KeyCount& count : counts_) size_ += std::exchange(count.count, size_);
}

Index NumberCounts::below(std::span<const KeyCount> counts, std::uint64_t key, Index all) {
  const auto found = std::lower_bound(counts.begin(), counts.end(), key,
                                      [](const KeyCount& count, std::uint64_t wanted) { return count.key < wanted; });
  return found == counts.end() ? all : found->count;
}

Index NumberCounts::below(std::uint64_t key) {
  if (merged_ == nullptr) return below(counts_, key, size_);
  const NumberRun& run = runs_.front();
  const auto after = std::lower_bound(run.first.begin(), run.first.end(), key,
                                      [](const KeyCount& first, std::uint64_t wanted) { return first.key < wanted; });
  if (after == run.first.begin()) return 0;
  const auto piece = std::size_t(after - run.first.begin()) - 1;
  if (read_.empty() || read_number_ != piece) {
    read_ = read_piece(*merged_, run, piece);
    read_number_ = piece;
  }
  return below(read_, key, after == run.first.end() ? size_ : after->count);
}

std::vector<std::uint64_t> NumberCounts::keys(Index most) const {
  std::vector<std::uint64_t> keys;
  if (!runs_.empty() || std::ssize(counts_) > most) return keys;
  for (const KeyCount& count : counts_) keys.push_back(count.key);
  return keys;
}

}  // namespace tesserec::preprocess
