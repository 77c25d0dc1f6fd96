// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

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

/// Samples of a part that were asked for, and their place among all of them.
struct Dataset::PartRun {
  const DatasetPart* part;
  Range run;
  Index at;
};

/// Returns whether `next` shall be read together with the pieces from `first` to `last`: all are short, and close.
bool Dataset::worth_joining(const PartRun& first, const PartRun& last, const PartRun& next) const {
  constexpr Index most_samples = Index{1} << 16;  // of one reading, which bounds its memory
  // Reading costs about as much as a call of HDF5 when it has 64 KiB more. Numbers and ids have 4 or 8 bytes.
  constexpr Index most_bytes = Index{64} << 10;
  if (next.part != first.part || next.run.begin < last.run.end || next.run.end - first.run.begin > most_samples)
    return false;
  const DatasetPart& part = *first.part;
  double sample_bytes = 4.0 * double(info_.label_count() + info_.dense_features);
  if (packed_) sample_bytes += 4.0 * double(info_.features.size());
  for (const Index values : part.values) sample_bytes += 8.0 + 8.0 * double(values) / double(part.samples);
  const Index most = std::max({next.run.begin - last.run.end, last.run.size(), next.run.size()});
  return double(most) * sample_bytes <= double(most_bytes);
}

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
  weightless_ = 0;
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
    weightless_ += std::count(block.weights.begin(), block.weights.end(), 0.0f);
    for (Index i = 0; tasks > 1 && i < block.size * tasks; ++i) lacking[i % tasks] += std::isnan(block.labels[i]);
  }
  return lacking;
}

void Dataset::take_any_labels() {
  constexpr float any = std::numeric_limits<float>::infinity();
  labels_ = {-any, any, true};
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

  std::vector<PartRun> pieces;
  for_each_piece(runs, [&](const DatasetPart& part, Range run, Index at) { pieces.push_back({&part, run, at}); });
  Samples between;
  for (std::size_t first = 0, last = 0; first < pieces.size(); first = last) {
    last = first + 1;
    while (last < pieces.size() && worth_joining(pieces[first], pieces[last - 1], pieces[last])) ++last;
    read_pieces(std::span(pieces).subspan(first, last - first), between, samples);
  }
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

/// Reads pieces of one part, in order. Several are taken from one reading of all samples from the first to the last,
/// since each call of HDF5 costs more than some samples that nobody asked for. `between`: scratch.
void Dataset::read_pieces(std::span<const PartRun> pieces, Samples& between, Samples& samples) const {
  const DatasetPart& part = *pieces.front().part;
  if (pieces.size() == 1) return read_run(part, pieces.front().run, pieces.front().at, samples);
  const Range all{pieces.front().run.begin, pieces.back().run.end};
  between.size = all.size();
  allocate(between);
  read_run(part, all, 0, between);
  const auto copy = [&](const auto& from, auto& to, Index columns) {
    if (columns == 0) return;
    for (const PartRun& piece : pieces)
      std::copy_n(from.begin() + (piece.run.begin - all.begin) * columns, piece.run.size() * columns,
                  to.begin() + piece.at * columns);
  };
  copy(between.labels, samples.labels, info_.label_count());
  copy(between.weights, samples.weights, info_.sample_weights ? 1 : 0);
  copy(between.dense, samples.dense, info_.dense_features);
  copy(between.ids, samples.ids, packed_ ? std::ssize(info_.features) : 0);
  for (std::size_t f = 0; f < samples.jagged.size(); ++f) {
    const Samples::Jagged& from = between.jagged[f];
    Samples::Jagged& to = samples.jagged[f];
    for (const PartRun& piece : pieces) {
      const Index first = piece.run.begin - all.begin, end = piece.run.end - all.begin;
      const Range values{from.offsets[first], from.offsets[end]};
      const Index shift = std::ssize(to.values) - values.begin;
      to.values.insert(to.values.end(), from.values.begin() + values.begin, from.values.begin() + values.end);
      if (part.weighted[f])
        to.weights.insert(to.weights.end(), from.weights.begin() + values.begin, from.weights.begin() + values.end);
      for (Index i = first; i < end; ++i) to.offsets.push_back(from.offsets[i + 1] + shift);
    }
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
