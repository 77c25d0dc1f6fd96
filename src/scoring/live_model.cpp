// SPDX-License-Identifier: Apache-2.0
#include <tesserec/scoring/live_model.hpp>

namespace tesserec::scoring {

LiveModel::LiveModel(const Exec& exec, const std::string& checkpoint, std::optional<ServedFormat> rows,
                     const std::string& vocabulary)
    : exec_(exec) {
  copies_[0] = std::make_unique<ServedModel>(exec, checkpoint, rows);
  copies_[0]->read_vocabularies(vocabulary);
  copies_[1] = std::make_unique<ServedModel>(exec, *copies_[0]);
}

LiveModel::Reader::Reader(LiveModel& live) : live_(live) {
  const std::lock_guard lock(live_.mutex_);
  copy_ = live_.active_;
  ++live_.readers_[std::size_t(copy_)];
}

LiveModel::Reader::~Reader() {
  const std::lock_guard lock(live_.mutex_);
  if (--live_.readers_[std::size_t(copy_)] == 0) live_.left_.notify_one();
}

void LiveModel::update(const std::function<void(ServedModel&)>& change, bool replays,
                       const std::function<void()>& switched) {
  const auto before = std::size_t(active_), after = 1 - before;
  if (!copies_[after]->has_state_of(*copies_[before])) copies_[after]->copy(exec_, *copies_[before]);
  change(*copies_[after]);
  {
    const std::lock_guard lock(mutex_);
    active_ = int(after);
  }
  if (switched) switched();
  {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return readers_[before] == 0; });
  }
  if (replays)
    change(*copies_[before]);
  else
    copies_[before]->copy(exec_, *copies_[after]);
}

}  // namespace tesserec::scoring
