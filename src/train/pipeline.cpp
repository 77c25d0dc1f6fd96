// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <tesserec/comm/same.hpp>
#include <tesserec/train/pipeline.hpp>

namespace tesserec::train {

TrainPipelineSparseDist::TrainPipelineSparseDist(const Exec& exec, Step step,
                                                 sharding::ShardedEmbeddingBagCollection& tables, data::Source& source,
                                                 bool ahead)
    : step_(std::move(step)),
      tables_(tables),
      source_(source),
      ahead_(ahead),
      batches_{{data::Batch(exec), {}}, {data::Batch(exec), {}}} {
  comm::require_same(tables.groups().all(), comm::NamedValues().add("ahead", ahead).list(),
                     "give all ranks the same pipeline");
}

void TrainPipelineSparseDist::seek(Index epoch, Index batch) {
  assert(!next_is_read_);
  source_.seek(epoch_ = epoch, batch);
}

void TrainPipelineSparseDist::begin(Index epoch) {
  if (!next_is_read_) source_.seek(epoch_ = epoch, 0);
}

void TrainPipelineSparseDist::read(data::Batch& batch) {
  tables_.phases().time("next batch", [&] {
    while (!source_.next(batch)) source_.seek(++epoch_, 0);
  });
}

double TrainPipelineSparseDist::operator()(Index step, Index last) {
  current_ = 1 - current_;
  PipelinedBatch &now = batches_[current_], &next = batches_[1 - current_];
  if (!next_is_read_) read(now.batch);
  next_is_read_ = ahead_ && step < last;
  if (next_is_read_) read(next.batch);
  return step_(now, next_is_read_ ? &next : nullptr, step);
}

void TrainPipelineSparseDist::drop() {
  batches_[1 - current_].ids.finish();
  next_is_read_ = false;
}

}  // namespace tesserec::train
