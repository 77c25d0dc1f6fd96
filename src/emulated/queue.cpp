// SPDX-License-Identifier: Apache-2.0
#include "queue.hpp"

#include <optional>

#include "blocks.hpp"
#include <tesserec/emulated/fault.hpp>

namespace tesserec::emulated {
namespace {

bool runs = false;  // true while a command runs

}  // namespace

std::vector<Queue*>& Queue::all() {
  static auto* const queues = new std::vector<Queue*>;
  return *queues;
}

Queue::Queue(std::string name) : name_(std::move(name)) {
  engine_.name(name_.c_str());
  all().push_back(this);
}
Queue::~Queue() { std::erase(all(), this); }

void Queue::push(Command command) {
  if (record_ != nullptr) {
    record_->push_back(std::move(command));
    return;
  }
  command.queued = token();
  release(command.queued.get());
  commands_.push_back(std::move(command));
  switch (settings().order) {
    case Order::eager:
      return finish();
    case Order::lazy:
      return;
    case Order::random:
      return run_some();
  }
}

void Queue::run_first() {
  if (runs) fault("a running command queues another command or waits for one");
  std::optional<const Command> first(std::move(commands_.front()));
  commands_.pop_front();
  runs = true;
  const SanitizerFiber host = SanitizerFiber::current();
  engine_.enter();
  acquire(first->queued.get());
  acquire(done_.get());
  if (first->holds) acquire(first->holds->token.get());
  if (first->on_host) {
    first->run(*this);
  } else {
    const OnDevice scope;
    first->run(*this);
  }
  {
    const SanitizerIgnoreScope unseen;
    first.reset();
  }
  release(done_.get());
  host.enter();
  runs = false;
}

void Queue::finish() {
  if (settings().order == Order::random) return run_any([this] { return commands_.empty(); });
  while (!commands_.empty()) {
    if (!can_run()) commands_.front().holds->queue->finish_until(*commands_.front().holds);
    run_first();
  }
}

void Queue::finish_until(const EventPoint& ticket) {
  if (settings().order == Order::random) return run_any([&] { return ticket.reached; });
  while (!ticket.reached) {
    if (commands_.empty()) fault("the awaited event is in no queue and will never be reached");
    if (!can_run()) commands_.front().holds->queue->finish_until(*commands_.front().holds);
    run_first();
  }
}

bool Queue::run_one() {
  std::vector<Queue*> ready;
  std::ranges::copy_if(all(), std::back_inserter(ready), &Queue::can_run);
  if (ready.empty()) return false;
  ready[draw_below(ready.size())]->run_first();
  return true;
}

void Queue::run_any(const std::function<bool()>& until) {
  while (!until())
    if (!run_one()) fault("the queues of the device wait for each other");
}

/// Runs 0 to 5 commands, as the seed draws. 7 of 12 calls run none.
void Queue::run_some() {
  for (std::uint64_t remaining = draw_below(2) * draw_below(6); remaining > 0 && run_one(); --remaining) continue;
}

void Queue::seen_by_host() { acquire(done_.get()); }

void fault_where_pending(const Allocation& freed) {
  for (const Queue* queue : Queue::all())
    for (const Command& command : queue->commands())
      for (const Span& span : {command.from, command.to})
        if (span.overlaps(freed.begin, freed.bytes))
          fault("free of " + freed.label + " while " + command.label + " on the instance \"" + queue->name() +
                "\" has not run");
}

}  // namespace tesserec::emulated
