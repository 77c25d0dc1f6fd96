// SPDX-License-Identifier: Apache-2.0
#include "context_pool.hpp"

namespace tesserec::serve {

ContextPool::ContextPool(const ModelInUse& model, int threads) : model_(model) {
  for (int t = 0; t < threads; ++t) {
    std::deque<scoring::ScoringContext>& contexts = all_.emplace_back();
    if (model.fixed != nullptr)
      contexts.emplace_back(*model.fixed);
    else
      for (int copy = 0; copy < scoring::LiveModel::copies; ++copy) contexts.emplace_back(model.live->copy(copy));
    free_.push_back(&contexts);
  }
}

ContextPool::Lease::Lease(ContextPool& pool) : pool_(pool) {
  std::unique_lock lock(pool.mutex_);
  pool.freed_.wait(lock, [&] { return !pool.free_.empty(); });
  contexts_ = pool.free_.back();
  pool.free_.pop_back();
  lock.unlock();
  view_.emplace(pool.model_);  // not before, so that a request that waits keeps no change from the model
}

ContextPool::Lease::~Lease() {
  view_.reset();
  {
    const std::lock_guard lock(pool_.mutex_);
    pool_.free_.push_back(contexts_);
  }
  pool_.freed_.notify_one();
}

}  // namespace tesserec::serve
