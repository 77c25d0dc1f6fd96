// SPDX-License-Identifier: Apache-2.0
#include "dataset_source.hpp"

#include <algorithm>
#include <cassert>

namespace tesserec::data {

DatasetSource::DatasetSource(const std::vector<std::string>& patterns, const std::string& key, store::Trust trust,
                             const Deal& deal)
    : dataset_(patterns, key, trust),
      rank_(deal.rank),
      ranks_(deal.ranks),
      rows_(dataset_.info().rows),
      order_(dataset_.info().samples, deal),
      at_hand_(order_.streams()) {
  dataset_.verify(deal.rank, deal.ranks);
}

void DatasetSource::seek(Index epoch, Index batch) {
  drop_windows();
  order_.start(epoch);
  batch_ = batch * order_.micro_batches();
}

void DatasetSource::drop_windows() {
  reader_.reset();
  std::fill(at_hand_.begin(), at_hand_.end(), nullptr);
}

void DatasetSource::limit_rows(const std::vector<Index>& rows) {
  assert(rows.size() == rows_.size());
  drop_windows();
  rows_ = rows;
}

void DatasetSource::limit_labels(const LabelRange& labels) {
  drop_windows();
  dataset_.limit_labels(labels, rank_, ranks_);
}

OddValues DatasetSource::look_through() { return dataset_.look_through(rows_, rank_, ranks_); }

std::optional<Window> DatasetSource::read_next(Walk& walk) {
  for (; walk.batch < order_.batches(); ++walk.batch, walk.stream = 0)
    for (; walk.stream < order_.streams(); ++walk.stream) {
      const Range mine = order_.positions(walk.stream, walk.batch);
      if (mine.size() == 0) continue;
      Index& newest = walk.window[walk.stream];
      if (newest >= (mine.end - 1) / order_window) continue;
      newest = std::max(newest + 1, mine.begin / order_window);
      Window window{walk.stream, newest, order_.permutation(walk.stream, newest), spare_.take()};
      dataset_.read(order_.runs(walk.stream, newest), rows_, window.samples);
      return window;
    }
  return std::nullopt;
}

const std::shared_ptr<const Window>& DatasetSource::window(int stream, Index number) {
  std::shared_ptr<const Window>& newest = at_hand_[stream];
  if (newest == nullptr || newest->number != number) {
    newest = nullptr;
    std::optional<Window> read = reader_->next();
    assert(read && read->stream == stream && read->number == number);
    newest = std::shared_ptr<const Window>(new Window(std::move(*read)), [this](Window* window) {
      spare_.give(std::move(window->samples));
      delete window;
    });
  }
  return newest;
}

bool DatasetSource::next(Batch& batch) {
  if (batch_ >= order_.batches()) return false;
  if (reader_ == nullptr) {
    Walk walk{batch_, 0, std::vector<Index>(at_hand_.size(), -1)};
    reader_ =
        std::make_unique<ReadAhead<Window>>(at_hand_.size() + 1, [this, walk]() mutable { return read_next(walk); });
  }
  segments_.clear();
  for (int stream = 0; stream < order_.streams(); ++stream) {
    const Range mine = order_.positions(stream, batch_);
    for (Index at = mine.begin; at < mine.end;) {
      const Index number = at / order_window;
      const Range whole = order_.window(stream, number);
      const Index end = std::min(mine.end, whole.end);
      segments_.push_back({window(stream, number), at - whole.begin, end - at});
      at = end;
    }
  }
  reserve_batch(batch, order_.local_samples(batch_), order_.batch_samples(batch_), info().dense_features,
                info().features);
  gather(segments_, info(), dataset_.packed(), batch);
  segments_.clear();
  batch.micro_batch = order_.micro_batch(batch_);
  ++batch_;
  return true;
}

}  // namespace tesserec::data
