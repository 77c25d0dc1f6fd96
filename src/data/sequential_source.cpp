// SPDX-License-Identifier: Apache-2.0
#include "sequential_source.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tesserec::data {
namespace {

/// Copies the given samples of `whole` into `batch`.
void gather_samples(const Batch& whole, std::span<const Index> samples, Batch& batch) {
  const jagged::KeyedJaggedTensor& from = whole.sparse;
  const Index size = std::ssize(samples), columns = whole.dense.extent(1);
  reserve_batch(batch, size, whole.global_size, columns, from.keys);
  Index bag = 0;
  batch.sparse.offsets(0) = 0;
  for (Index f = 0; f < from.features(); ++f)
    for (const Index sample : samples) {
      batch.sparse.offsets(bag + 1) = batch.sparse.offsets(bag) + from.length(f, sample);
      ++bag;
    }
  reserve_values(batch, batch.sparse.total(), false);
  Index* to = batch.sparse.values.data();
  for (Index f = 0; f < from.features(); ++f)
    for (const Index sample : samples)
      to = std::copy_n(from.values.data() + from.begin(f, sample), from.length(f, sample), to);
  for (Index b = 0; b < size; ++b) {
    std::copy_n(&whole.dense(samples[b], 0), columns, &batch.dense(b, 0));
    batch.labels(b) = whole.labels(samples[b]);
  }
}

}  // namespace

SequentialSource::SequentialSource(SourceInfo info, const Deal& deal, Restart restart)
    : info_(std::move(info)),
      restart_(std::move(restart)),
      fill_(restart_()),
      deal_(deal),
      order_(info_.samples, deal) {
  assert(!deal.shuffle);
}

void SequentialSource::draw() {
  const Index first = drawn_ * deal_.batch_size, count = deal_.batch_samples(info_.samples, drawn_);
  std::vector<Index> samples(count);
  std::iota(samples.begin(), samples.end(), first);
  fill_(samples, count, *whole_);
  ++drawn_;
}

bool SequentialSource::next(Batch& batch) {
  if (batch_ >= order_.batches()) return false;
  if (!whole_) whole_.emplace(batch.exec);
  const Index number = batch_ / order_.micro_batches();
  while (drawn_ <= number) draw();  // Batches that a seek skipped are drawn, too.
  std::vector<Index> own_samples = order_.batch(batch_);
  for (Index& sample : own_samples) sample -= number * deal_.batch_size;
  gather_samples(*whole_, own_samples, batch);
  batch.micro_batch = order_.micro_batch(batch_);
  ++batch_;
  return true;
}

void SequentialSource::seek(Index epoch, Index batch) {
  order_.start(epoch);
  batch_ = batch * order_.micro_batches();
  if (batch + 1 >= drawn_) return;  // Epochs are alike, so the generator goes on from its place.
  fill_ = restart_();
  drawn_ = 0;
}

}  // namespace tesserec::data
