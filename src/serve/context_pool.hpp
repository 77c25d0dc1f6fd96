// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include <tesserec/scoring/live_model.hpp>
#include <tesserec/scoring/scoring_context.hpp>

namespace tesserec::serve {

/// Model that a service scores with: one that stays as it is, or one that follows a run.
struct ModelInUse {
  const scoring::ServedModel* fixed = nullptr;
  scoring::LiveModel* live = nullptr;  // set without `fixed`
};

/// A model as it is while the object lives.
class ModelView {
 public:
  explicit ModelView(const ModelInUse& model) : in_use_(model) {
    if (model.live != nullptr) reading_.emplace(*model.live);
  }
  const scoring::ServedModel& model() const { return reading_ ? in_use_.live->copy(copy()) : *in_use_.fixed; }
  /// Returns the number of the copy, 0 for a model without copies.
  int copy() const { return reading_ ? reading_->copy() : 0; }

 private:
  const ModelInUse& in_use_;
  std::optional<scoring::LiveModel::Reader> reading_;
};

/// Contexts of a service, each lent to one thread at a time, with the state of the model at that moment.
class ContextPool {
 public:
  /// Makes contexts for `threads` threads. The model must outlive them.
  ContextPool(const ModelInUse& model, int threads);

  /// A context that this thread has alone while the object lives. The model does not change meanwhile.
  class Lease {
   public:
    /// Takes the next free context. Blocks until there is one.
    explicit Lease(ContextPool& pool);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    scoring::ScoringContext& context() const { return (*contexts_)[std::size_t(view_->copy())]; }
    const scoring::ServedModel& model() const { return view_->model(); }

   private:
    ContextPool& pool_;
    std::deque<scoring::ScoringContext>* contexts_;
    std::optional<ModelView> view_;
  };

 private:
  const ModelInUse& model_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::deque<std::deque<scoring::ScoringContext>> all_;  // [thread][copy of the model]
  std::vector<std::deque<scoring::ScoringContext>*> free_;
};

}  // namespace tesserec::serve
