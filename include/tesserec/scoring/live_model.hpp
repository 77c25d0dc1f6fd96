// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec::scoring {

/// A served model whose state is replaced while other threads score with it. It has two copies, hence twice the memory.
/// Readers use the active one. A change is made in the other, which then becomes active; once the last reader has left
/// the first copy, it is changed, too. So no reader sees a part of a change, and none waits for it.
class LiveModel {
 public:
  /// Opens a checkpoint as ServedModel does, reads the vocabularies of its data (ServedModel::read_vocabularies), and
  /// copies it.
  LiveModel(const Exec& exec, const std::string& checkpoint, std::optional<ServedFormat> rows,
            const std::string& vocabulary = {});

  static constexpr int copies = 2;
  const ServedModel& copy(int c) const { return *copies_[std::size_t(c)]; }

  /// The active copy, which does not change while the object lives.
  class Reader {
   public:
    explicit Reader(LiveModel& live);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    int copy() const { return copy_; }

   private:
    LiveModel& live_;
    int copy_;
  };

  /// Returns the facts of the active copy. Only the thread that calls update() may keep the reference.
  const TrainedFacts& facts() const { return copies_[std::size_t(active_)]->facts(); }

  /// Changes the model by `change`, which is called for each copy in turn unless `replays` is false: then the second
  /// copy takes the numbers of the first. Calls `switched` once readers get the new state. Blocks until both copies
  /// have it. An exception of `change` goes on; it leaves readers the state that they have, and a copy that is behind
  /// it, which the next update makes like the active one first. For one thread alone.
  void update(const std::function<void(ServedModel&)>& change, bool replays,
              const std::function<void()>& switched = {});

 private:
  Exec exec_;
  std::array<std::unique_ptr<ServedModel>, copies> copies_;
  std::mutex mutex_;
  std::condition_variable left_;
  int active_ = 0;                     // changed by the updating thread under the mutex
  std::array<int, copies> readers_{};  // of each copy
};

}  // namespace tesserec::scoring
