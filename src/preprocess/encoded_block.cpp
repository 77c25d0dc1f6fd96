// SPDX-License-Identifier: Apache-2.0
#include "encoded_block.hpp"

#include <algorithm>

namespace tesserec::preprocess {

SampleShapes sample_shapes(const Survey& survey, const Encoding& encoding) {
  using store::ElementType;
  const RowLayout& layout = encoding.layout;
  const Index rows = survey.report.rows;
  const bool targets = survey.targets == Targets::required;
  std::vector<store::DatasetShape> samples;
  if (targets) samples.push_back({"labels", ElementType::u8, rows});
  samples.push_back({"dense", ElementType::f32, rows, std::ssize(encoding.transforms)});
  if (!layout.jagged()) samples.push_back({"sparse/ids", ElementType::i32, rows, std::ssize(layout.features)});
  if (targets && layout.weighted) samples.push_back({"weights", ElementType::f32, rows});
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

EncodedBlock::EncodedBlock(const Survey& survey, const Encoding& encoding)
    : survey_(survey), encoding_(encoding), first_row_(survey.first_row) {
  if (!encoding.layout.jagged()) return;
  bags_.resize(encoding.layout.features.size());
  for (std::size_t f = 0; f < bags_.size(); ++f) bags_[f].next = survey.first_value[f];
}

void EncodedBlock::clear() {
  first_row_ += rows_;
  rows_ = 0;
  labels_.clear();
  dense_.clear();
  ids_.clear();
  weights_.clear();
  keys_.assign(survey_.key_bytes.size(), {});
  for (FeatureValues& bags : bags_) {
    bags.first = bags.next;
    bags.offsets.clear();
    bags.ids.clear();
    bags.wide_ids.clear();
    bags.weights.clear();
  }
}

Index EncodedBlock::read(RowStream& stream, ColumnTally& tally) {
  clear();
  while (rows_ < block_rows && stream.next(row_)) {
    add(row_);
    tally.add(stream.file(), row_, dense_.data() + dense_.size() - row_.numbers.size(), row_ids_.data());
    ++rows_;
  }
  return rows_;
}

void EncodedBlock::add(const Row& row) {
  labels_.push_back(row.label);
  for (std::size_t k = 0; k < row.numbers.size(); ++k) dense_.push_back(encoding_.transforms[k](row.numbers[k]));
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f)
    for (; v < row.ends[f]; ++v)
      if (row.tokens[v]) encoding_.vocabularies[f].prefetch(*row.tokens[v]);
  row_ids_.clear();
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f)
    for (; v < row.ends[f]; ++v) row_ids_.push_back(encoding_.id(f, row.tokens[v]));
  if (bags_.empty())
    ids_.insert(ids_.end(), row_ids_.begin(), row_ids_.end());
  else
    add_bags(row);
  weights_.push_back(row.weight);
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
  if (targets) put(first_row_, rows_, labels_.data());
  put(first_row_, rows_, dense_.data());
  if (bags_.empty()) put(first_row_, rows_, ids_.data());
  if (targets && layout.weighted) put(first_row_, rows_, weights_.data());
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
    pieces.push_back({shapes.offsets[f], {survey_.report.rows, 1}, &bags_[f].next});
  return pieces;
}

}  // namespace tesserec::preprocess
