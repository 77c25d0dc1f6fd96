// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <span>

#include "encoding.hpp"
#include "sample_blocks.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/parallel_io/parted_writer.hpp>
#include <tesserec/raw/quantiles.hpp>

namespace tesserec::preprocess {
namespace {

using parallel_io::PartedWriter;
using store::ElementType;

/// Counts of samples, of one rank or of all.
struct SampleCounts {
  std::vector<Index> ids;  ///< ids of each feature [F]
  Index other_labels = 0;  ///< labels that are neither 0 nor 1
  Index other_bags = 0;    ///< bags that do not have exactly one id

  std::vector<Index> list() const {
    std::vector<Index> all = ids;
    all.insert(all.end(), {other_labels, other_bags});
    return all;
  }
};

SampleCounts count(SampleBlocks& blocks, Range own) {
  SampleCounts counts{std::vector<Index>(blocks.info().features.size(), 0)};
  for (Index block = own.begin; block < own.end; ++block) {
    const data::Batch& batch = blocks.read(block);
    for (std::size_t f = 0; f < counts.ids.size(); ++f)
      for (Index b = 0; b < batch.size; ++b) {
        const Index length = batch.sparse.length(Index(f), b);
        counts.ids[f] += length;
        counts.other_bags += length != 1 ? 1 : 0;
      }
    for (Index i = 0; i < batch.size * batch.tasks; ++i)
      counts.other_labels += batch.labels(i) != 0.0f && batch.labels(i) != 1.0f ? 1 : 0;
  }
  return counts;
}

/// Form of the data set, and where this rank's ids begin.
struct SampleForm {
  bool byte_labels = false, packed = false;
  std::vector<bool> wide;       ///< true for features with 64-bit ids [F]
  std::vector<Index> first_id;  ///< number of this rank's first id of each feature [F]
  std::vector<Index> ids;       ///< ids of each feature, of all ranks [F]
  store::PartsLayout layout;
  std::vector<std::size_t> offsets;  ///< HDF5 dataset of each feature's offsets [F] unless packed
};

/// Returns the columns of /labels: -1 for one label, else their number.
Index label_columns(const data::SourceInfo& info) { return info.label_count() > 1 ? info.label_count() : -1; }

SampleForm form_of(const comm::Communicator& comm, const data::SourceInfo& info, const SampleCounts& own,
                   Index part_bytes) {
  const std::vector<Index> list = own.list(), all = comm.all_gather_equal(std::span<const Index>(list));
  std::vector<Index> sums(list.size(), 0), before(list.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    sums[i % list.size()] += all[i];
    if (i / list.size() < std::size_t(comm.rank())) before[i % list.size()] += all[i];
  }
  const std::size_t features = info.features.size();
  const bool byte_labels = sums[features] == 0;
  bool packed = sums[features + 1] == 0;
  std::vector<bool> wide;
  for (std::size_t f = 0; f < features; ++f) {
    wide.push_back(info.rows[f] > Index{std::numeric_limits<std::int32_t>::max()});
    packed = packed && !wide[f] && (info.weighted.empty() || !info.weighted[f]);
  }
  std::vector<store::DatasetShape> samples = {
      {"labels", byte_labels ? ElementType::u8 : ElementType::f32, info.samples, label_columns(info)},
      {"dense", ElementType::f32, info.samples, info.dense_features}};
  if (info.sample_weights) samples.push_back({"weights", ElementType::f32, info.samples});
  if (packed) samples.push_back({"sparse/ids", ElementType::i32, info.samples, Index(features)});
  std::vector<std::vector<store::DatasetShape>> groups = {samples};
  std::vector<std::size_t> offsets;
  std::size_t datasets = samples.size();
  for (std::size_t f = 0; !packed && f < features; ++f) {
    const std::string group = "sparse/" + info.features[f];
    offsets.push_back(datasets);
    groups.push_back({{group + "/offsets", ElementType::i64, info.samples + 1}});
    groups.push_back({{group + "/values", wide[f] ? ElementType::i64 : ElementType::i32, sums[f]}});
    if (!info.weighted.empty() && info.weighted[f])
      groups.back().push_back({group + "/weights", ElementType::f32, sums[f]});
    datasets += 1 + groups.back().size();
  }
  before.resize(features);
  sums.resize(features);
  return {byte_labels, packed, wide, before, sums, store::PartsLayout(groups, part_bytes), offsets};
}

/// One block of samples in the types of the data set.
class StoredBlock {
 public:
  StoredBlock(const data::SourceInfo& info, const SampleForm& form) : info_(info), form_(form), next_(form.first_id) {}

  /// Takes the samples of a batch, of which `first` is the number of the first one. The batch must outlive the pieces.
  std::vector<PartedWriter::SlabData> pieces(const data::Batch& batch, Index first) {
    pieces_.clear();
    rows_ = {first, batch.size};
    const float* const labels = batch.labels.data();
    if (form_.byte_labels) bytes_.assign(labels, labels + batch.size * batch.tasks);
    put(rows_, form_.byte_labels ? static_cast<const void*>(bytes_.data()) : labels);
    put(rows_, batch.dense.data());
    if (info_.sample_weights) put(rows_, batch.weights.data());
    narrow_.assign(batch.sparse.values.data(), batch.sparse.values.data() + batch.sparse.total());
    if (form_.packed)
      put_packed(batch);
    else
      put_bags(batch);
    return pieces_;
  }

 private:
  void put(store::Slab slab, const void* data) { pieces_.push_back({pieces_.size(), slab, data}); }

  void put_packed(const data::Batch& batch) {
    const std::size_t features = info_.features.size(), size = std::size_t(batch.size);
    ids_.resize(size * features);
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t b = 0; b < size; ++b) ids_[b * features + f] = narrow_[f * size + b];
    put(rows_, ids_.data());
  }

  void put_bags(const data::Batch& batch) {
    const std::size_t features = info_.features.size();
    offsets_.resize(features);
    for (std::size_t f = 0; f < features; ++f) {
      const Index begin = batch.sparse.begin(Index(f), 0);
      const Index count = batch.sparse.offsets((Index(f) + 1) * batch.size) - begin;
      offsets_[f].clear();
      for (Index b = 0; b < batch.size; ++b) offsets_[f].push_back(next_[f] + batch.sparse.begin(Index(f), b) - begin);
      put(rows_, offsets_[f].data());
      const store::Slab ids{next_[f], count};
      put(ids, form_.wide[f] ? static_cast<const void*>(batch.sparse.values.data() + begin) : narrow_.data() + begin);
      if (!info_.weighted.empty() && info_.weighted[f]) put(ids, batch.sparse.weights.data() + begin);
      next_[f] += count;
    }
  }

  const data::SourceInfo& info_;
  const SampleForm& form_;
  std::vector<Index> next_;  // number of the next id of each feature
  store::Slab rows_{0, 0};
  std::vector<PartedWriter::SlabData> pieces_;
  std::vector<std::uint8_t> bytes_;         // labels
  std::vector<std::int32_t> narrow_, ids_;  // ids as the batch has them; packed by samples
  std::vector<std::vector<Index>> offsets_;
};

store::Attributes attributes_of(const data::SourceInfo& info) {
  store::Attributes attributes = {{"format", std::string(data::dataset_format)},
                                  {"version", data::dataset_version},
                                  {"samples", info.samples},
                                  {"features", info.features},
                                  {"rows", info.rows},
                                  {"dense_features", info.dense_names}};
  // Raw values make one id of each feature, so bags made of the ids are no longer of that vocabulary.
  if (!info.vocabulary.empty() && info.multi_hot.empty()) {
    attributes["vocabulary_digest"] = info.vocabulary;
    if (!info.borders.empty()) attributes[borders_attribute] = info.borders;
    if (!info.vocabulary_extends.empty()) attributes[bases_attribute] = info.vocabulary_extends;
  }
  if (!info.transforms.empty()) attributes["transforms"] = info.transforms;
  if (!info.labels.empty()) attributes["label_values"] = info.labels;
  if (info.label_count() > 1) attributes["tasks"] = info.tasks;
  return attributes;
}

}  // namespace

Index write_samples(const comm::Communicator& comm, const std::string& path, Index part_bytes, SampleBlocks& blocks) {
  const data::SourceInfo& info = blocks.info();
  const Range own{blocks.blocks() * comm.rank() / comm.size(), blocks.blocks() * (comm.rank() + 1) / comm.size()};
  SampleCounts counts;
  comm::agree(comm, [&] { counts = count(blocks, own); });
  const SampleForm form = form_of(comm, info, counts, part_bytes);
  PartedWriter writer(comm, path, form.layout);
  StoredBlock stored(info, form);
  const Index rounds = comm.max(own.size());
  for (Index round = 0; round < rounds; ++round) {
    comm::note("block of samples", round);
    std::vector<PartedWriter::SlabData> pieces;
    comm::agree(comm, [&] {
      const Index block = own.begin + round;
      if (block < own.end) pieces = stored.pieces(blocks.read(block), block * SampleBlocks::block_samples);
    });
    writer.write(pieces);
  }
  if (!form.packed) {
    std::vector<PartedWriter::SlabData> ends;
    for (std::size_t f = 0; comm.rank() == 0 && f < form.ids.size(); ++f)
      ends.push_back({form.offsets[f], {info.samples, 1}, &form.ids[f]});
    writer.write(ends);
  }
  writer.end(attributes_of(info));
  writer.prepare();
  writer.publish();
  Index ids = 0;
  for (const Index n : form.ids) ids += n;
  return ids;
}

}  // namespace tesserec::preprocess
