// SPDX-License-Identifier: Apache-2.0
#include "dataset_source.hpp"

#include <algorithm>
#include <cassert>

namespace tesserec::data {
namespace {

/// Gathers the samples `order` [n] of ids [*, features] row-major and transposes them: feature f's n ids are written at
/// values + f * stride. Takes 8 samples at a time, since 8 ids of 8 bytes fill a cache line.
void transpose(const std::int32_t* ids, const std::uint16_t* order, Index n, Index features, Index* values,
               Index stride) {
  constexpr Index tile = 8;
  Index i = 0;
  for (; i + tile <= n; i += tile) {
    const std::int32_t* row[tile];
    for (Index j = 0; j < tile; ++j) row[j] = ids + order[i + j] * features;
    for (Index f = 0; f < features; ++f)
      for (Index j = 0; j < tile; ++j) values[f * stride + i + j] = row[j][f];
  }
  for (; i < n; ++i)
    for (Index f = 0; f < features; ++f) values[f * stride + i] = ids[order[i] * features + f];
}

void gather_packed(const std::vector<WindowSlice>& segments, Index features, Batch& batch) {
  reserve_values(batch, features * batch.size, false);
  Index* offsets = batch.sparse.offsets.data();
  for (Index i = 0; i <= features * batch.size; ++i) offsets[i] = i;
  Index at = 0;
  for (const WindowSlice& segment : segments) {
    const Window& window = *segment.window;
    transpose(window.samples.ids.data(), window.order.data() + segment.first, segment.size, features,
              batch.sparse.values.data() + at, batch.size);
    at += segment.size;
  }
}

void gather_jagged(const std::vector<WindowSlice>& segments, const std::vector<bool>& weighted, Batch& batch) {
  const auto features = std::ssize(weighted);
  const bool any_weighted = std::find(weighted.begin(), weighted.end(), true) != weighted.end();
  Index* offsets = batch.sparse.offsets.data();
  Index total = 0;
  for (Index f = 0; f < features; ++f) {
    Index* to = offsets + f * batch.size;
    for (const WindowSlice& segment : segments) {
      const std::vector<Index>& from = segment.window->samples.jagged[f].offsets;
      for (Index i = 0; i < segment.size; ++i) {
        const Index sample = segment.window->order[segment.first + i];
        *to++ = total;
        total += from[sample + 1] - from[sample];
      }
    }
  }
  offsets[features * batch.size] = total;
  reserve_values(batch, total, any_weighted);

  Index* values = batch.sparse.values.data();
  float* weights = batch.sparse.weights.data();
  for (Index f = 0; f < features; ++f)
    for (const WindowSlice& segment : segments) {
      const Samples::Jagged& bags = segment.window->samples.jagged[f];
      for (Index i = 0; i < segment.size; ++i) {
        const Index sample = segment.window->order[segment.first + i];
        const Index begin = bags.offsets[sample], end = bags.offsets[sample + 1];
        values = std::copy(bags.values.data() + begin, bags.values.data() + end, values);
        if (weighted[f])
          weights = std::copy(bags.weights.data() + begin, bags.weights.data() + end, weights);
        else if (any_weighted)
          weights = std::fill_n(weights, end - begin, 1.0f);  // Weights stay parallel to values; no table reads these.
      }
    }
}

}  // namespace

DatasetSource::DatasetSource(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust,
                             const Deal& deal, const std::string& window)
    : dataset_(patterns, key, trust),
      info_(dataset_.info()),
      deal_(deal),
      window_(window),
      rows_(info_.rows),
      order_(info_.samples, deal),
      newest_windows_(order_.streams()) {
  dataset_.verify(deal.rank, deal.ranks);
}

void DatasetSource::seek(Index epoch, Index batch) {
  drop_windows();
  epoch_ = info_.windows.empty() ? epoch : epoch % std::ssize(info_.windows);
  if (!info_.windows.empty()) order_ = SampleOrder(info_.windows[epoch_].samples, deal_);
  order_.start(epoch);
  batch_ = batch * order_.micro_batches();
}

void DatasetSource::drop_windows() {
  reader_.reset();
  std::fill(newest_windows_.begin(), newest_windows_.end(), nullptr);
}

std::string DatasetSource::find_windows() {
  if (window_.empty()) return {};
  windows_ = TimeWindows(dataset_, window_);
  info_.windows = windows_.all();
  seek(0, 0);
  return windows_.description(deal_.batch_size);
}

void DatasetSource::limit_rows(const std::vector<Index>& rows) {
  assert(rows.size() == rows_.size());
  drop_windows();
  rows_ = rows;
}

std::vector<Index> DatasetSource::limit_labels(const LabelRange& labels) {
  drop_windows();
  return dataset_.limit_labels(labels, deal_.rank, deal_.ranks);
}

OddValues DatasetSource::check_samples() { return dataset_.check_samples(rows_, deal_.rank, deal_.ranks); }

std::optional<Window> DatasetSource::read_next(Cursor& cursor) {
  for (; cursor.batch < order_.batches(); ++cursor.batch, cursor.stream = 0)
    for (; cursor.stream < order_.streams(); ++cursor.stream) {
      const Range own = order_.positions(cursor.stream, cursor.batch);
      if (own.size() == 0) continue;
      Index& newest = cursor.window[cursor.stream];
      if (newest >= (own.end - 1) / order_window) continue;
      newest = std::max(newest + 1, own.begin / order_window);
      Window window{cursor.stream, newest, order_.permutation(cursor.stream, newest), pool_.acquire()};
      const std::vector<Range> runs = order_.runs(cursor.stream, newest);
      dataset_.read(info_.windows.empty() ? runs : windows_.runs(epoch_, runs), rows_, window.samples);
      return window;
    }
  return std::nullopt;
}

const std::shared_ptr<const Window>& DatasetSource::window(int stream, Index number) {
  std::shared_ptr<const Window>& newest = newest_windows_[stream];
  if (newest == nullptr || newest->number != number) {
    newest = nullptr;
    std::optional<Window> read = reader_->next();
    assert(read && read->stream == stream && read->number == number);
    newest = std::shared_ptr<const Window>(new Window(std::move(*read)), [this](Window* window) {
      pool_.release(std::move(window->samples));
      delete window;
    });
  }
  return newest;
}

bool DatasetSource::next(Batch& batch) {
  if (batch_ >= order_.batches()) return false;
  if (reader_ == nullptr) {
    Cursor cursor{batch_, 0, std::vector<Index>(newest_windows_.size(), -1)};
    reader_ = std::make_unique<ReadAhead<Window>>(newest_windows_.size() + 1,
                                                  [this, cursor]() mutable { return read_next(cursor); });
  }
  segments_.clear();
  for (int stream = 0; stream < order_.streams(); ++stream) {
    const Range own = order_.positions(stream, batch_);
    for (Index at = own.begin; at < own.end;) {
      const Index number = at / order_window;
      const Range whole = order_.window(stream, number);
      const Index end = std::min(own.end, whole.end);
      segments_.push_back({window(stream, number), at - whole.begin, end - at});
      at = end;
    }
  }
  reserve_batch(batch, order_.local_samples(batch_), order_.batch_samples(batch_), info().dense_features,
                info().features, info().label_count());
  gather(segments_, info(), dataset_.packed(), batch);
  segments_.clear();
  batch.micro_batch = order_.micro_batch(batch_);
  ++batch_;
  return true;
}

void gather(const std::vector<WindowSlice>& segments, const SourceInfo& info, bool packed, Batch& batch) {
  const Index columns = info.dense_features, tasks = info.label_count();
  float* labels = batch.labels.data();
  float* dense = batch.dense.data();
  if (info.sample_weights)
    reserve(batch.exec, batch.weights, "tesserec::data::sample_weights", std::max<Index>(batch.size, 1));
  float* weights = batch.weights.data();
  for (const WindowSlice& segment : segments) {
    const Samples& samples = segment.window->samples;
    for (Index i = 0; i < segment.size; ++i) {
      const Index sample = segment.window->order[segment.first + i];
      labels = std::copy_n(samples.labels.data() + sample * tasks, tasks, labels);
      if (info.sample_weights) *weights++ = samples.weights[sample];
      dense = std::copy_n(samples.dense.data() + sample * columns, columns, dense);
    }
  }
  if (packed)
    gather_packed(segments, std::ssize(info.features), batch);
  else
    gather_jagged(segments, info.weighted, batch);
}

}  // namespace tesserec::data
