// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <vector>

#include "batch_checks.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/network/predictor.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec::scoring {

/// Lookup of a feature in a table.
struct ContextLookup {
  const ServedTable* table = nullptr;
  std::size_t feature = 0;  // in ServedModel::features()
  Index column = 0;         // first column of the pooled vector
  bool pools = true;
  std::vector<float> vectors = {};  // [ids of a chunk, dim] if the feature is un-pooled
  std::vector<Index> offsets = std::vector<Index>(chunk_samples + 1);  // of the chunk's bags, from 0
  Index without_row = 0;  // ids but 0 of a batch that a growing table has no row for
};

namespace {

constexpr Index line_bytes = 64, most_fetched = 16384;  // bytes: a third to a half of L1
constexpr Index most_copied = 1 << 24;  // numbers of un-pooled vectors that samples share, in all copies of a chunk

NumberType type_of_rows(ServedFormat format) {
  if (format == ServedFormat::fp16) return NumberType::fp16;
  return format == ServedFormat::bf16 ? NumberType::bf16 : NumberType::fp32;
}

/// Returns the samples of chunks that cover a batch nearly evenly, since a small last chunk would read all weights for
/// few samples.
Index equal_chunk(Index samples, Index most) {
  constexpr Index whole = 16;  // samples that the dot interaction takes at once
  const Index chunks = (samples + most - 1) / most, even = (samples + chunks - 1) / chunks;
  return std::min(most, (even + whole - 1) / whole * whole);
}

/// Grows a buffer to `size` elements, and never shrinks it.
template <class T>
T* reserve(std::vector<T>& buffer, Index size) {
  if (std::ssize(buffer) < size) buffer.resize(std::size_t(size + size / 8));
  return buffer.data();
}

/// Prefetches rows of the bags of a chunk's samples, the first that fit in L1 beside those that are pooled. Rows found
/// by a growing table's ids are left out. Inlined, because GCC takes a function that only prefetches for one without
/// effect.
TESSEREC_HOST_FUNCTION void fetch_rows(const ScoredBags& bags, Range samples, const ServedTable& table) {
  if (bags.offsets == nullptr || table.ids != nullptr) return;
  const Index bytes = row_bytes(table.format, table.config.embedding_dim);
  const Index begin = bags.offsets[samples.begin], most = std::max<Index>(1, most_fetched / bytes);
  const Index end = std::min(bags.offsets[samples.end], begin + most);
  for (Index i = begin; i < end; ++i) {
    const std::byte* const row = table.rows + table.config.row(bags.ids[i]) * bytes;
    for (Index b = 0; b < bytes; b += line_bytes) __builtin_prefetch(row + b);
  }
}

}  // namespace

struct ScoringContext::Parts {
  explicit Parts(const ServedModel& served);

  void check(const ScoringBatch& batch) const;
  /// Looks up the bags of a chunk's samples.
  void look_up(const ScoringBatch& batch, Range samples, ContextLookup& lookup);
  /// Looks up all bags of a chunk's samples.
  void look_up(const ScoringBatch& batch, Range samples);
  /// Looks up the bag that all samples share, for `count` samples.
  void look_up_shared(const ScoringBatch& batch, Index count, ContextLookup& lookup);
  /// Returns the most samples of a chunk: fewer if they share long un-pooled vectors, since each has a copy.
  Index most_of_chunk(const ScoringBatch& batch) const;
  /// Finds the columns of pooled vectors that samples share.
  void find_same(const ScoringBatch& batch);
  /// Returns the dense features of a chunk's samples.
  const float* dense_of(const ScoringBatch& batch, Range samples);
  void pool(const embedding::Bags& bags, ContextLookup& lookup, float* out, Index stride);
  /// Returns the rows of n ids one after the other, which pool() cannot read where they are. Counts ids without a row.
  const float* gather(ContextLookup& lookup, const Index* ids, Index n);

  const ServedModel& model;
  std::unique_ptr<network::Predictor> predictor;
  std::vector<ContextLookup> lookups;
  Index width = 0;                               // of all pooled vectors of a sample
  std::vector<float> pooled;                     // [chunk_samples, width]
  std::vector<network::ChunkVectors> sequences;  // of a chunk
  std::vector<Index> rows;                       // rows of ids in half a table or a growing one
  std::vector<float> widened;                    // rows of a chunk's ids, coded or of a growing table
  std::vector<Index> slots;                      // 0, 1, 2, ...
  std::vector<Range> same;                       // columns of `pooled` that samples share
  std::vector<float> dense;                      // [chunk_samples, dense features] of a row that samples share
  embedding::PoolBuffers buffers;
};

ScoringContext::Parts::Parts(const ServedModel& served) : model(served), predictor(served.network().predictor()) {
  for (const ServedTable& table : model.tables())
    for (std::size_t f = 0; f < table.config.feature_names.size(); ++f) {
      const auto& all = model.features();
      const auto feature = std::size_t(std::ranges::find(all, table.config.feature_names[f]) - all.begin());
      const bool pools = table.config.pools(f);
      lookups.push_back({.table = &table, .feature = feature, .column = pools ? width : 0, .pools = pools});
      if (pools) width += table.config.embedding_dim;
    }
  pooled.resize(std::size_t(chunk_samples * width));
}

void ScoringContext::Parts::check(const ScoringBatch& batch) const {
  if (batch.sparse.size() != model.features().size())
    fail("the batch has ids of ", counted(std::ssize(batch.sparse), "feature"), ", but the model takes ",
         model.features().size());
  check_dense(batch, model.facts().dense_features);
  for (const ContextLookup& lookup : lookups)
    check_bags(batch, lookup.feature, lookup.table->config, model.features()[lookup.feature]);
}

const float* ScoringContext::Parts::gather(ContextLookup& lookup, const Index* ids, Index n) {
  const ServedTable& table = *lookup.table;
  const Index dim = table.config.embedding_dim;
  float* const numbers = reserve(widened, n * dim);
  if (table.ids == nullptr) {
    gather_rows(table.format, ids, n, dim, table.rows, numbers);
    return numbers;
  }
  Index* const found = reserve(rows, n);
  table.ids->find({ids, std::size_t(n)}, found);
  gather_rows(table.format, found, n, dim, table.rows, numbers);
  for (Index i = 0; i < n; ++i) {
    if (found[i] != IdRows::none) continue;
    lookup.without_row += ids[i] != 0 ? 1 : 0;
    const DrawnRow row{ids[i], numbers + i * dim};
    if (table.unknown)
      table.unknown->rows({&row, 1}, {0, dim});
    else
      std::fill_n(row.out, dim, 0.0f);
  }
  return numbers;
}

void ScoringContext::Parts::pool(const embedding::Bags& bags, ContextLookup& lookup, float* out, Index stride) {
  const ServedTable& table = *lookup.table;
  const Index dim = table.config.embedding_dim, ids = bags.offsets[bags.count];
  embedding::ShardRows source{.block_of = table.config.block_of(),
                              .blocks = {0, embedding::block_count},
                              .data = table.rows,
                              .first_row = 0,
                              .dim = dim,
                              .format = type_of_rows(table.format)};
  embedding::Bags read = bags;
  if (is_coded(table.format) || table.ids != nullptr) {
    source.data = gather(lookup, bags.ids, ids);
    source.format = NumberType::fp32;
    if (const Index known = std::ssize(slots); known < ids) {
      reserve(slots, ids);
      std::iota(slots.begin() + known, slots.end(), known);
    }
    read.slots = slots.data();
  }
  read.sums_stride = stride;
  embedding::pool(source, read, {}, {0, bags.count}, out, buffers);
}

void ScoringContext::Parts::look_up(const ScoringBatch& batch, Range samples, ContextLookup& lookup) {
  const ScoredBags& given = batch.sparse[lookup.feature];
  const embedding::EmbeddingBagConfig& table = lookup.table->config;
  const Index dim = table.embedding_dim, count = samples.size();
  const Index begin = given.offsets == nullptr ? 0 : given.offsets[samples.begin];
  for (Index s = 0; s <= count; ++s)
    lookup.offsets[s] = given.offsets == nullptr ? 0 : given.offsets[samples.begin + s] - begin;
  const Index ids = lookup.offsets[count];
  embedding::Bags bags{.count = count, .offsets = lookup.offsets.data(), .ids = given.ids + begin};
  if (table.weighted && given.weights != nullptr) bags.weights = given.weights + begin;
  if (table.half) {
    Index* const halves = reserve(rows, ids);
    for (Index i = 0; i < ids; ++i) halves[i] = table.row(bags.ids[i]);
    bags.ids = halves;
  }
  if (!lookup.pools) {
    bags.unpooled = true;
    float* const out = reserve(lookup.vectors, ids * dim);
    pool(bags, lookup, out, dim);
    round_to(model.vectors(), ids * dim, out);
    sequences.push_back({out, dim, lookup.offsets.data()});
    return;
  }
  float* const out = pooled.data() + lookup.column;
  pool(bags, lookup, out, width);
  const bool is_mean = table.pooling == embedding::PoolingType::mean;
  if (model.vectors() == NumberType::fp32 && !is_mean) return;
  for (Index s = 0; s < count; ++s) {
    round_to(model.vectors(), dim, out + s * width);
    if (is_mean && bags.length(s) > 0)
      for (Index c = 0; c < dim; ++c) out[s * width + c] /= float(bags.length(s));
  }
}

void ScoringContext::Parts::look_up_shared(const ScoringBatch& batch, Index count, ContextLookup& lookup) {
  lookup.without_row = 0;  // The chunk before had the same ids.
  look_up(batch, {0, 1}, lookup);
  const Index dim = lookup.table->config.embedding_dim;
  if (lookup.pools) {
    float* const first = pooled.data() + lookup.column;
    for (Index s = 1; s < count; ++s) std::copy_n(first, dim, first + s * width);
    return;
  }
  const Index size = lookup.offsets[1] * dim;
  float* const first = reserve(lookup.vectors, count * size);
  for (Index s = 1; s < count; ++s) {
    std::copy_n(first, size, first + s * size);
    lookup.offsets[s + 1] = (s + 1) * lookup.offsets[1];
  }
  sequences.back().values = first;
}

Index ScoringContext::Parts::most_of_chunk(const ScoringBatch& batch) const {
  Index copied = 0;  // by each sample
  for (const ContextLookup& lookup : lookups)
    if (const ScoredBags& bags = batch.sparse[lookup.feature]; !lookup.pools && bags.shared && bags.offsets != nullptr)
      copied += (bags.offsets[1] - bags.offsets[0]) * lookup.table->config.embedding_dim;
  return std::clamp<Index>(most_copied / std::max<Index>(copied, 1), 1, predictor->best_chunk());
}

void ScoringContext::Parts::find_same(const ScoringBatch& batch) {
  same.clear();
  for (const ContextLookup& lookup : lookups) {
    if (!lookup.pools || !batch.sparse[lookup.feature].shared) continue;
    const Index end = lookup.column + lookup.table->config.embedding_dim;
    if (!same.empty() && same.back().end == lookup.column)
      same.back().end = end;
    else
      same.push_back({lookup.column, end});
  }
}

const float* ScoringContext::Parts::dense_of(const ScoringBatch& batch, Range samples) {
  const Index columns = model.facts().dense_features;
  if (columns == 0) return nullptr;
  if (!batch.shared_dense) return batch.dense + samples.begin * columns;
  float* const rows = reserve(dense, chunk_samples * columns);
  for (Index s = 0; s < samples.size(); ++s) std::copy_n(batch.dense, columns, rows + s * columns);
  return rows;
}

ScoringContext::ScoringContext(const ServedModel& model) : parts_(std::make_unique<Parts>(model)) {}
ScoringContext::ScoringContext(ScoringContext&&) noexcept = default;
ScoringContext::~ScoringContext() = default;

void ScoringContext::Parts::look_up(const ScoringBatch& batch, Range samples) {
  sequences.clear();
  for (std::size_t l = 0, fetched = 0; l < lookups.size(); ++l) {
    for (; fetched < std::min(l + 2, lookups.size()); ++fetched)
      if (const ScoredBags& bags = batch.sparse[lookups[fetched].feature]; !bags.shared)
        fetch_rows(bags, samples, *lookups[fetched].table);
    if (batch.sparse[lookups[l].feature].shared)
      look_up_shared(batch, samples.size(), lookups[l]);
    else
      look_up(batch, samples, lookups[l]);
  }
}

void ScoringContext::score(const ScoringBatch& batch, float* probabilities) {
  const Index labels = parts_->model.label_count();
  parts_->check(batch);
  parts_->find_same(batch);
  for (ContextLookup& lookup : parts_->lookups) lookup.without_row = 0;
  if (batch.samples == 0) return;
  const Index chunk = equal_chunk(batch.samples, parts_->most_of_chunk(batch));
  for (Index first = 0; first < batch.samples; first += chunk) {
    const Range samples{first, std::min(batch.samples, first + chunk)};
    parts_->look_up(batch, samples);
    parts_->predictor->predict({.samples = samples.size(),
                                .dense = parts_->dense_of(batch, samples),
                                .pooled = parts_->pooled.data(),
                                .unpooled = parts_->sequences,
                                .same_dense = batch.shared_dense,
                                .same_pooled = parts_->same},
                               probabilities + first * labels);
  }
}

Index ScoringContext::without_row(std::size_t feature) const {
  Index most = 0;
  for (const ContextLookup& lookup : parts_->lookups)
    if (lookup.feature == feature) most = std::max(most, lookup.without_row);
  return most;
}

}  // namespace tesserec::scoring
