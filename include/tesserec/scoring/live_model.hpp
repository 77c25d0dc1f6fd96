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
  /// Opens a checkpoint twice, as ServedModel does.
  LiveModel(const Exec& exec, const std::string& checkpoint, std::optional<ServedFormat> rows);

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

  /// Returns step and seal of the active copy. Only the thread that calls update() may keep the reference.
  const TrainedFacts& facts() const { return copies_[std::size_t(active_)]->facts(); }

  /// Changes the model by `change`, which is called for each copy in turn unless `replays` is false: then the second
  /// copy takes the numbers of the first. Blocks until both have the new state. If `change` throws, the copy is made
  /// like the active one, and the Error goes on. For one thread alone.
  void update(const std::function<void(ServedModel&)>& change, bool replays);

 private:
  Exec exec_;
  std::array<std::unique_ptr<ServedModel>, copies> copies_;
  std::mutex mutex_;
  std::condition_variable left_;
  int active_ = 0;                     // changed by the updating thread under the mutex
  std::array<int, copies> readers_{};  // of each copy
};

}  // namespace tesserec::scoring
