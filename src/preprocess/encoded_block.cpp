// SPDX-License-Identifier: Apache-2.0
#include "encoded_block.hpp"

#include <algorithm>
#include <limits>

namespace tesserec::preprocess {
namespace {

constexpr Index block_rows = 32768;  // rows that a rank encodes and writes at once

}  // namespace

EncodedBlock::EncodedBlock(const Survey& survey, const Encoding& encoding, Index memory)
    : survey_(survey),
      encoding_(encoding),
      first_row_(0),
      most_{block_rows, memory / 8, memory / 8 * 3},
      waiting_(encoding.layout.features.size()) {
  if (encoding.layout.jagged()) bags_.resize(encoding.layout.features.size());
  if (encoding.resident()) return;
  pending_.resize(encoding.layout.features.size());
  most_.rows = std::numeric_limits<Index>::max();
}

void EncodedBlock::begin(const TextRange& range) {
  clear();
  first_row_ = range.first_row;
  for (std::size_t f = 0; f < bags_.size(); ++f) bags_[f].next = range.first_value[f];
}

void EncodedBlock::clear() {
  first_row_ += rows_;
  rows_ = 0;
  targets_.clear();
  dense_.clear();
  ids_.clear();
  ranges_.clear();
  for (PendingTokens& tokens : pending_) tokens = {};
  keys_.assign(survey_.key_bytes.size(), {});
  for (FeatureValues& bags : bags_) {
    bags.first = bags.next;
    bags.offsets.clear();
    bags.ids.clear();
    bags.wide_ids.clear();
    bags.weights.clear();
  }
}

Index EncodedBlock::read(CheckedRows& rows, ColumnTally& tally, PhaseProgress& progress) {
  clear();
  while (!full() && rows.next(row_)) {
    if (ranges_.empty() || ranges_.back().second != rows.range()) {
      encode_waiting(tally);
      ranges_.emplace_back(rows_, rows.range());
    }
    add(row_);
    tally.add(rows.range(), row_);
    progress.row(std::size_t(rows.range()), rows.block());
    ++rows_;
    if (waiting_.full()) encode_waiting(tally);
  }
  encode_waiting(tally);
  if (!pending_.empty()) resolve(tally);
  tell_facts(tally);
  return rows_;
}

Index EncodedBlock::read(KeptRows& rows, ColumnTally& tally, PhaseProgress& progress) {
  clear();
  while (rows_ < block_rows && bytes() <= most_.row_memory && rows.next()) {
    if (ranges_.empty() || ranges_.back().second != rows.range()) ranges_.emplace_back(rows_, rows.range());
    const std::size_t first_number = dense_.size(), first_id = ids_.size();
    const KeptChunk& chunk = rows.chunk();
    dense_.resize(first_number + std::size_t(chunk.rows) * chunk.numbers.size());
    ids_.resize(first_id + std::size_t(chunk.rows) * chunk.values.size());
    rows.encode(dense_.data() + first_number, ids_.data() + first_id, tally);
    targets_.add(chunk.targets, encoding_.layout);
    progress.rows(std::size_t(rows.range()), rows.block(), chunk.rows);
    rows_ += chunk.rows;
  }
  tell_facts(tally);
  return rows_;
}

/// Gives the encoded rows to the tally.
void EncodedBlock::tell_facts(ColumnTally& tally) {
  const std::size_t dense = encoding_.transforms.size(), features = encoding_.layout.features.size();
  const auto labels = std::size_t(encoding_.layout.label_count()), judged = judged_label(encoding_.layout);
  std::vector<Index> ids;
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const auto [first, range] = ranges_[i];
    const Index end = i + 1 < ranges_.size() ? ranges_[i + 1].first : rows_;
    if (bags_.empty() && labels == 1) {
      const auto at = std::size_t(first);
      tally.add_facts(range, verdict::PackedRows{.rows = end - first,
                                                 .columns = dense,
                                                 .features = features,
                                                 .dense = dense_.data() + at * dense,
                                                 .ids = ids_.data() + at * features,
                                                 .positive = targets_.labels.data() + at});
      continue;
    }
    for (auto row = std::size_t(first); row < std::size_t(end); ++row) {
      ids.clear();
      ends.clear();
      for (std::size_t f = 0; f < features; ++f) {
        if (bags_.empty())
          ids.push_back(ids_[row * features + f]);
        else
          bags_[f].append(Index(row), rows_, ids);
        ends.push_back(ids.size());
      }
      tally.add_facts(range, targets_.labels[row * labels + judged], {{dense_.data() + row * dense, dense}, ids, ends});
    }
  }
}

/// Appends the ids of a row to `ids`. `rows`: rows of the block.
void EncodedBlock::FeatureValues::append(Index row, Index rows, std::vector<Index>& to) const {
  const Index end = row + 1 < rows ? offsets[std::size_t(row + 1)] : next;
  for (Index v = offsets[std::size_t(row)] - first; v < end - first; ++v)
    to.push_back(wide_ids.empty() ? Index{ids[std::size_t(v)]} : wide_ids[std::size_t(v)]);
}

/// Returns the bytes of the rows.
Index EncodedBlock::bytes() const {
  const auto bytes_of = [](const auto& values) { return Index(values.size() * sizeof(values[0])); };
  Index bytes = bytes_of(targets_.labels) + bytes_of(targets_.optional_labels) + bytes_of(dense_) + bytes_of(ids_) +
                bytes_of(targets_.weights) + bytes_of(targets_.times);
  for (const std::vector<std::uint8_t>& key : keys_) bytes += bytes_of(key);
  for (const FeatureValues& bags : bags_)
    bytes += bytes_of(bags.offsets) + bytes_of(bags.ids) + bytes_of(bags.wide_ids) + bytes_of(bags.weights);
  return bytes;
}

/// Returns whether the block has its rows. Every 256 rows it looks at the memory.
bool EncodedBlock::full() const {
  constexpr Index most_pending = Index{1} << 30;  // negative numbers of 32 bits stand for them
  if (rows_ >= most_.rows) return true;
  if (rows_ == 0 || rows_ % 256 != 0) return false;
  Index pending = 0;
  for (const PendingTokens& tokens : pending_) {
    if (tokens.size() > most_pending) return true;
    pending += tokens.memory();
  }
  return bytes() > most_.row_memory || pending > most_.pending_memory;
}

/// Encodes the rows that wait: appends their dense features and ids.
void EncodedBlock::encode_waiting(ColumnTally& tally) {
  if (waiting_.rows == 0) return;
  const std::size_t columns = encoding_.transforms.size(), features = waiting_.values.size();
  const std::size_t first_number = dense_.size(), first_id = ids_.size();
  dense_.resize(first_number + waiting_.numbers.size());
  for (std::size_t k = 0; k < columns; ++k)
    encoding_.transforms[k](waiting_.numbers.data() + k, Index(columns), waiting_.rows,
                            dense_.data() + first_number + k, Index(columns));
  if (bags_.empty()) ids_.resize(first_id + std::size_t(waiting_.rows) * features);
  for (std::size_t f = 0; f < features; ++f) {
    find_ids(f);
    const std::vector<Index>& ids = waiting_.ids;
    const TokenBatch& values = waiting_.values[f];
    tally.add_ids(
        ranges_.back().second, f, std::span<const Index>(ids), [&](std::size_t v) { return values.missing(v); },
        [&](std::size_t v) { return values[v].text; });
    if (bags_.empty())
      for (std::size_t i = 0; i < ids.size(); ++i) ids_[first_id + i * features + f] = std::int32_t(ids[i]);
    else if (FeatureValues& bags = bags_[f]; encoding_.layout.forms[f].any_ids())
      bags.wide_ids.insert(bags.wide_ids.end(), ids.begin(), ids.end());
    else
      for (const Index id : ids) bags.ids.push_back(std::int32_t(id));
  }
  waiting_.clear();
}

/// Finds the ids of the feature's values that wait; puts numbers below 0 for those that resolve() looks up.
void EncodedBlock::find_ids(std::size_t f) {
  TokenBatch& values = waiting_.values[f];
  const Vocabulary& vocabulary = encoding_.vocabularies[f];
  const FeatureForm& form = encoding_.layout.forms[f];
  std::vector<Index>& ids = waiting_.ids;
  ids.assign(values.size(), 0);
  values.fetch(vocabulary.resident_tokens());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.missing(i)) continue;
    const HashedToken token = values[i];
    ids[i] = form.id(token.text, [&](std::string_view) { return vocabulary.id(token); });
    if (ids[i] == 0 && !vocabulary.resident()) ids[i] = pending_[f].add(token);
  }
}

/// Replaces numbers that stand for a token by its id. `row`: row of the value in the block.
void EncodedBlock::resolve(std::size_t f, Index row, std::int32_t& id, ColumnTally& tally) const {
  if (id >= 0) return;
  const Index number = id;
  id = std::int32_t(pending_[f].id(number));
  if (id != 0) return;
  const auto next =
      std::upper_bound(ranges_.begin(), ranges_.end(), row, [](Index r, const auto& begin) { return r < begin.first; });
  tally.add_unknown((next - 1)->second, f, [&] { return pending_[f].token(number); });
}

/// Finds the ids outside of the memory.
void EncodedBlock::resolve(ColumnTally& tally) {
  const std::size_t features = pending_.size();
  for (std::size_t f = 0; f < features; ++f) pending_[f].resolve(encoding_.vocabularies[f]);
  for (std::size_t i = 0; i < ids_.size(); ++i) resolve(i % features, Index(i / features), ids_[i], tally);
  for (std::size_t f = 0; f < bags_.size(); ++f) {
    FeatureValues& bags = bags_[f];
    if (bags.ids.empty()) continue;
    for (std::size_t row = 0; row < bags.offsets.size(); ++row) {
      const Index end = row + 1 < bags.offsets.size() ? bags.offsets[row + 1] : bags.next;
      for (Index v = bags.offsets[row]; v < end; ++v)
        resolve(f, Index(row), bags.ids[std::size_t(v - bags.first)], tally);
    }
  }
}

void EncodedBlock::add(const Row& row) {
  ++waiting_.rows;
  targets_.add(row, encoding_.layout);
  waiting_.numbers.insert(waiting_.numbers.end(), row.numbers.begin(), row.numbers.end());
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f)
    for (; v < row.ends[f]; ++v) waiting_.add(f, row.tokens[v]);
  add_bags(row);
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const auto size = keys_[k].size();
    keys_[k].resize(size + survey_.key_bytes[k], 0);
    std::copy(row.keys[k].begin(), row.keys[k].end(), keys_[k].begin() + size);
  }
}

/// Appends what bags have beside their ids.
void EncodedBlock::add_bags(const Row& row) {
  for (std::size_t f = 0, v = 0; f < bags_.size(); ++f) {
    FeatureValues& bags = bags_[f];
    bags.offsets.push_back(bags.next);
    bags.next += Index(row.ends[f] - v);
    for (; v < row.ends[f]; ++v)
      if (encoding_.layout.forms[f].weighted) bags.weights.push_back(row.value_weights[v]);
  }
}

std::vector<parallel_io::PartedWriter::SlabData> EncodedBlock::pieces() const {
  const RowLayout& layout = encoding_.layout;
  const bool targets = survey_.targets == Targets::required;
  std::vector<parallel_io::PartedWriter::SlabData> pieces;
  const auto put = [&](Index first, Index rows, const void* data) {
    pieces.push_back({pieces.size(), {first, rows}, data});
  };
  const void* const labels =
      layout.optional_labels ? static_cast<const void*>(targets_.optional_labels.data()) : targets_.labels.data();
  if (targets) put(first_row_, rows_, labels);
  put(first_row_, rows_, dense_.data());
  if (bags_.empty()) put(first_row_, rows_, ids_.data());
  if (targets && layout.weighted) put(first_row_, rows_, targets_.weights.data());
  if (targets && !layout.time.empty()) put(first_row_, rows_, targets_.times.data());
  for (const std::vector<std::uint8_t>& key : keys_) put(first_row_, rows_, key.data());
  for (std::size_t f = 0; f < bags_.size(); ++f) {
    const FeatureValues& bags = bags_[f];
    const FeatureForm& form = layout.forms[f];
    put(first_row_, rows_, bags.offsets.data());
    const void* const ids = form.any_ids() ? static_cast<const void*>(bags.wide_ids.data()) : bags.ids.data();
    put(bags.first, bags.next - bags.first, ids);
    if (form.weighted) put(bags.first, bags.next - bags.first, bags.weights.data());
  }
  return pieces;
}

std::vector<parallel_io::PartedWriter::SlabData> EncodedBlock::last_offsets(const SampleShapes& shapes) const {
  std::vector<parallel_io::PartedWriter::SlabData> pieces;
  for (std::size_t f = 0; f < bags_.size(); ++f)
    pieces.push_back({shapes.offsets[f], {survey_.report.rows, 1}, &survey_.all_values[f]});
  return pieces;
}

}  // namespace tesserec::preprocess
