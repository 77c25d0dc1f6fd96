// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dataset_check.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>

namespace tesserec::data {
namespace {

/// Returns share `share`, from 0, of `shares` contiguous shares of the samples, equal within one sample.
Range share_of(Index samples, Index share, Index shares) {
  const auto first = [&](Index s) { return samples / shares * s + std::min(s, samples % shares); };
  return {first(share), first(share + 1)};
}

}  // namespace

Dataset::Dataset(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust) {
  DatasetFiles files = open_dataset(patterns, key, trust);
  info_ = std::move(files.info);
  packed_ = files.packed;
  parts_ = std::move(files.parts);
}

void Dataset::verify(Index share, Index shares) const {
  for (const DatasetPart& part : parts_) part.file.verify_parts(share, shares);
}

template <class Take>
void Dataset::for_each_piece(const std::vector<Range>& runs, const Take& take) const {
  Index done = 0;
  for (const Range& run : runs)
    for (const DatasetPart& part : parts_) {
      const Range overlap{std::max(run.begin, part.first), std::min(run.end, part.first + part.samples)};
      if (overlap.begin >= overlap.end) continue;
      take(part, {overlap.begin - part.first, overlap.end - part.first}, done);
      done += overlap.size();
    }
}

std::vector<Index> Dataset::limit_labels(const LabelRange& labels, Index share, Index shares) {
  constexpr Index block_samples = Index{1} << 20;
  const Index tasks = info_.label_count();
  labels_ = labels;
  std::vector<Index> lacking(tasks > 1 ? tasks : 0, 0);
  if (!info_.labelled && !info_.sample_weights) return lacking;
  const Range own = share_of(info_.samples, share, shares);
  Samples block;
  for (Index begin = own.begin; begin < own.end; begin += block.size) {
    block.size = std::min(block_samples, own.end - begin);
    block.labels.resize(block.size * tasks);
    block.weights.resize(info_.sample_weights ? block.size : 0);
    const std::vector<Range> runs{{begin, begin + block.size}};
    for_each_piece(runs, [&](const DatasetPart& part, Range run, Index at) { read_targets(part, run, at, block); });
    SampleCheck(info_, parts_, runs, block).targets(labels_);
    for (Index i = 0; tasks > 1 && i < block.size * tasks; ++i) lacking[i % tasks] += std::isnan(block.labels[i]);
  }
  return lacking;
}

OddValues Dataset::check_samples(const std::vector<Index>& rows, Index share, Index shares) const {
  constexpr Index block_samples = Index{1} << 15;
  const bool fewer = !std::equal(rows.begin(), rows.end(), info_.rows.begin(), std::greater_equal<>());
  const Range own = share_of(info_.samples, share, shares);
  OddValues odd;
  Samples block;
  for (const DatasetPart& part : parts_) {
    if (!fewer && !part.file.seal().empty()) continue;
    odd.large.resize(info_.dense_features);
    odd.weightless.resize(info_.features.size());
    odd.not_single.resize(info_.features.size());
    const Index end = std::min(own.end, part.first + part.samples);
    for (Index begin = std::max(own.begin, part.first); begin < end; begin += block.size) {
      read({{begin, std::min(end, begin + block_samples)}}, rows, block);
      count_odd(block, odd);
    }
  }
  return odd;
}

void Dataset::read(const std::vector<Range>& runs, const std::vector<Index>& rows, Samples& samples) const {
  const Index features = std::ssize(info_.features);
  samples.size = 0;
  for (const Range& run : runs) samples.size += run.size();
  const Index row_bytes =
      Index{sizeof(float)} * (1 + info_.label_count() + info_.dense_features + (packed_ ? features : 0));
  with_memory([&] { return concat(samples.size, " samples of ", info_.description); },
              double(samples.size) * double(row_bytes), [&] { allocate(samples); });

  for_each_piece(runs, [&](const DatasetPart& part, Range run, Index at) { read_run(part, run, at, samples); });
  const SampleCheck check(info_, parts_, runs, samples);
  check.targets(labels_);
  check.numbers();
  check.ids(rows);
}

void Dataset::allocate(Samples& samples) const {
  const Index features = std::ssize(info_.features);
  samples.labels.resize(samples.size * info_.label_count());
  samples.weights.resize(info_.sample_weights ? samples.size : 0);
  samples.dense.resize(samples.size * info_.dense_features);
  samples.ids.resize(packed_ ? samples.size * features : 0);
  samples.jagged.resize(packed_ ? 0 : info_.features.size());
  for (Samples::Jagged& bags : samples.jagged) {
    bags.offsets.assign(1, 0);
    bags.offsets.reserve(samples.size + 1);
    bags.values.clear();
    bags.weights.clear();
  }
}

void Dataset::read_targets(const DatasetPart& part, Range run, Index at, Samples& samples) const {
  const store::Slab slab{run.begin, run.size()};
  const Index tasks = info_.label_count();
  if (!info_.labelled) {
    std::fill_n(samples.labels.begin() + at, run.size(), 0.0f);
  } else if (part.byte_labels) {
    std::vector<std::uint8_t> labels(run.size() * tasks);
    part.file.read("/labels", slab, labels.data());
    const auto bad = std::find_if(labels.begin(), labels.end(), [](std::uint8_t label) { return label > 1; });
    if (bad != labels.end())
      fail("label ", int{*bad}, " in sample ", run.begin + (bad - labels.begin()) / tasks, " of ", part.file.path(),
           " is not 0 or 1; store other labels as floats");
    std::copy(labels.begin(), labels.end(), samples.labels.begin() + at * tasks);
  } else {
    part.file.read("/labels", slab, samples.labels.data() + at * tasks);
  }
  if (info_.sample_weights) part.file.read("/weights", slab, samples.weights.data() + at);
}

void Dataset::read_keys(std::size_t column, Range samples, char* texts) const {
  const KeyColumn& key = info_.keys[column];
  const std::string name = "/keys/" + key.name;
  std::fill_n(texts, samples.size() * key.bytes, '\0');
  for_each_piece({samples}, [&](const DatasetPart& part, Range run, Index at) {
    const Index bytes = part.file.index().shape(name)[1];
    std::vector<std::uint8_t> rows(run.size() * bytes);
    part.file.read(name, {run.begin, run.size()}, rows.data());
    for (Index i = 0; i < run.size(); ++i) std::copy_n(rows.begin() + i * bytes, bytes, texts + (at + i) * key.bytes);
  });
}

void Dataset::read_run(const DatasetPart& part, Range run, Index at, Samples& samples) const {
  const store::Slab slab{run.begin, run.size()};
  read_targets(part, run, at, samples);
  if (info_.dense_features > 0) part.file.read("/dense", slab, samples.dense.data() + at * info_.dense_features);
  if (packed_) part.file.read("/sparse/ids", slab, samples.ids.data() + at * std::ssize(info_.features));
  for (std::size_t f = 0; f < samples.jagged.size(); ++f) read_bags(part, f, run, samples.jagged[f]);
}

void Dataset::read_bags(const DatasetPart& part, std::size_t feature, Range run, Samples::Jagged& bags) const {
  const std::string group = "/sparse/" + info_.features[feature];
  std::vector<Index> offsets(run.size() + 1);
  part.file.read(group + "/offsets", {run.begin, run.size() + 1}, offsets.data());
  const bool starts = run.begin > 0 || offsets.front() == 0;
  if (!starts || offsets.front() < 0 || offsets.back() > part.values[feature] ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    fail(part.file.path(), ": ", group, "/offsets of samples ", run.begin, " to ", run.end - 1,
         " do not ascend from 0 to ", part.values[feature],
         ", the number of ids; write the file again with ascending offsets");
  const Range values{offsets.front(), offsets.back()};
  const auto old_size = std::ssize(bags.values);
  with_memory(
      [&] { return concat(values.size(), " ids of feature ", info_.features[feature], " in ", part.file.path()); },
      double(values.size()) * sizeof(Index), [&] { bags.values.resize(old_size + values.size()); });
  part.file.read(group + "/values", {values.begin, values.size()}, bags.values.data() + old_size);
  if (part.weighted[feature]) {
    bags.weights.resize(old_size + values.size());
    part.file.read(group + "/weights", {values.begin, values.size()}, bags.weights.data() + old_size);
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) bags.offsets.push_back(offsets[i] - values.begin + old_size);
}

}  // namespace tesserec::data
