// SPDX-License-Identifier: Apache-2.0
#include "encoded_block.hpp"

#include <algorithm>
#include <limits>

namespace tesserec::preprocess {
namespace {

constexpr Index block_rows = 32768;  // rows that a rank encodes and writes at once

}  // namespace

SampleShapes sample_shapes(const Survey& survey, const Encoding& encoding) {
  using store::ElementType;
  const RowLayout& layout = encoding.layout;
  const Index rows = survey.report.rows;
  const bool targets = survey.targets == Targets::required;
  std::vector<store::DatasetShape> samples;
  const Index columns = layout.tasks.empty() ? -1 : layout.label_count();
  if (targets)
    samples.push_back({"labels", layout.optional_labels ? ElementType::f32 : ElementType::u8, rows, columns});
  samples.push_back({"dense", ElementType::f32, rows, std::ssize(encoding.transforms)});
  if (!layout.jagged()) samples.push_back({"sparse/ids", ElementType::i32, rows, std::ssize(layout.features)});
  if (targets && layout.weighted) samples.push_back({"weights", ElementType::f32, rows});
  if (targets && !layout.time.empty()) samples.push_back({"time", ElementType::i64, rows});
  for (std::size_t k = 0; k < survey.key_bytes.size(); ++k)
    samples.push_back({"keys/" + layout.keys[k], ElementType::u8, rows, survey.key_bytes[k]});
  SampleShapes shapes{{samples}, std::vector<Index>(samples.size(), -1), {}};
  for (std::size_t f = 0; layout.jagged() && f < layout.features.size(); ++f) {
    const std::string group = "sparse/" + layout.features[f];
    const FeatureForm& form = layout.forms[f];
    const Index values = survey.all_values[f];
    shapes.offsets.push_back(shapes.feature_of.size());
    shapes.groups.push_back({{group + "/offsets", ElementType::i64, rows + 1}});
    shapes.groups.push_back({{group + "/values", form.any_ids() ? ElementType::i64 : ElementType::i32, values}});
    shapes.feature_of.insert(shapes.feature_of.end(), {-1, Index(f)});
    if (!form.weighted) continue;
    shapes.groups.back().push_back({group + "/weights", ElementType::f32, values});
    shapes.feature_of.push_back(Index(f));
  }
  return shapes;
}

EncodedBlock::EncodedBlock(const Survey& survey, const Encoding& encoding, Index memory)
    : survey_(survey),
      encoding_(encoding),
      first_row_(0),
      most_rows_(block_rows),
      row_memory_(memory / 8),
      pending_memory_(memory / 8 * 3) {
  if (encoding.layout.jagged()) bags_.resize(encoding.layout.features.size());
  if (encoding.resident()) return;
  pending_.resize(encoding.layout.features.size());
  most_rows_ = std::numeric_limits<Index>::max();
}

void EncodedBlock::begin(const TextRange& range) {
  clear();
  first_row_ = range.first_row;
  for (std::size_t f = 0; f < bags_.size(); ++f) bags_[f].next = range.first_value[f];
}

void EncodedBlock::clear() {
  first_row_ += rows_;
  rows_ = 0;
  targets_.labels.clear();
  targets_.optional_labels.clear();
  targets_.weights.clear();
  targets_.times.clear();
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
    if (ranges_.empty() || ranges_.back().second != rows.range()) ranges_.emplace_back(rows_, rows.range());
    add(row_);
    tally.add(rows.range(), row_, dense_.data() + dense_.size() - row_.numbers.size(), row_ids_.data());
    progress.row(std::size_t(rows.range()), rows.block());
    ++rows_;
  }
  if (!pending_.empty()) resolve(tally);
  tell_facts(tally);
  return rows_;
}

/// Gives the encoded rows to the tally.
void EncodedBlock::tell_facts(ColumnTally& tally) {
  const std::size_t dense = encoding_.transforms.size(), features = encoding_.layout.features.size();
  std::vector<std::size_t> ends(features);
  std::size_t range = 0;
  for (Index row = 0; row < rows_; ++row) {
    while (range + 1 < ranges_.size() && ranges_[range + 1].first <= row) ++range;
    row_ids_.clear();
    for (std::size_t f = 0; f < features; ++f) {
      if (bags_.empty())
        row_ids_.push_back(ids_[std::size_t(row) * features + f]);
      else
        bags_[f].append(row, rows_, row_ids_);
      ends[f] = row_ids_.size();
    }
    tally.add_facts(ranges_[range].second, targets_.labels[std::size_t(row * encoding_.layout.label_count())],
                    {{dense_.data() + std::size_t(row) * dense, dense}, row_ids_, ends});
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
  if (rows_ >= most_rows_) return true;
  if (rows_ == 0 || rows_ % 256 != 0) return false;
  Index pending = 0;
  for (const PendingTokens& tokens : pending_) {
    if (tokens.size() > most_pending) return true;
    pending += tokens.memory();
  }
  return bytes() > row_memory_ || pending > pending_memory_;
}

/// Finds the ids of the row's values in memory; puts numbers below 0 for those that resolve() looks up.
void EncodedBlock::find_ids(const Row& row) {
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f)
    for (; v < row.ends[f]; ++v)
      if (row.tokens[v]) encoding_.vocabularies[f].prefetch(*row.tokens[v]);
  row_ids_.clear();
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f)
    for (; v < row.ends[f]; ++v) {
      row_ids_.push_back(encoding_.id(f, row.tokens[v]));
      if (row_ids_.back() == 0 && row.tokens[v] && !encoding_.vocabularies[f].resident())
        row_ids_.back() = pending_[f].add(*row.tokens[v]);
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
  tally.add_unknown((next - 1)->second, f, pending_[f].token(number));
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

void EncodedBlock::add_labels(const Row& row) {
  const std::size_t before = targets_.labels.size();
  targets_.labels.push_back(row.label);
  targets_.labels.insert(targets_.labels.end(), row.further_labels.begin(), row.further_labels.end());
  targets_.labels.resize(before + std::size_t(encoding_.layout.label_count()), 0);  // rows to score have none
  if (!encoding_.layout.optional_labels) return;
  for (std::size_t i = before; i < targets_.labels.size(); ++i)
    targets_.optional_labels.push_back(targets_.labels[i] == lacking_label ? std::numeric_limits<float>::quiet_NaN()
                                                                           : float(targets_.labels[i]));
}

void EncodedBlock::add(const Row& row) {
  add_labels(row);
  for (std::size_t k = 0; k < row.numbers.size(); ++k) dense_.push_back(encoding_.transforms[k](row.numbers[k]));
  find_ids(row);
  if (bags_.empty())
    ids_.insert(ids_.end(), row_ids_.begin(), row_ids_.end());
  else
    add_bags(row);
  targets_.weights.push_back(row.weight);
  targets_.times.push_back(row.time);
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const auto size = keys_[k].size();
    keys_[k].resize(size + survey_.key_bytes[k], 0);
    std::copy(row.keys[k].begin(), row.keys[k].end(), keys_[k].begin() + size);
  }
}

void EncodedBlock::add_bags(const Row& row) {
  for (std::size_t f = 0, v = 0; f < bags_.size(); ++f) {
    FeatureValues& bags = bags_[f];
    const FeatureForm& form = encoding_.layout.forms[f];
    bags.offsets.push_back(bags.next);
    bags.next += Index(row.ends[f] - v);
    for (; v < row.ends[f]; ++v) {
      if (form.any_ids())
        bags.wide_ids.push_back(row_ids_[v]);
      else
        bags.ids.push_back(std::int32_t(row_ids_[v]));
      if (form.weighted) bags.weights.push_back(row.value_weights[v]);
    }
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
