// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <tesserec/emulated/fault.hpp>

namespace tesserec::emulated {
namespace {

Block* running_block = nullptr;

std::string hex(unsigned mask) {
  static const char* const digits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[mask >> shift & 15];
  return text;
}
std::string text_of(Site site) { return std::string(site.file) + ":" + std::to_string(site.line); }

}  // namespace

Block* Block::running() { return running_block; }

Block::Block(const Kernel& kernel, std::int64_t number, Workers& workers, void* begun, void* ended)
    : kernel_(kernel), number_(number), workers_(workers), begun_(begun), ended_(ended), threads_(kernel.threads) {
  const SanitizerIgnoreScope
      unseen;  // ThreadSanitizer must see the block's threads as the first users of the scratch memory.
  if (kernel.scratch > 0) {
    scratch_.reset(new std::byte[kernel.scratch]);
    std::memset(scratch_.get(), 0xff, kernel.scratch);
  }
  if (sees_threads) tokens_.reset(new char[1 + max_threads * 6]);
  for (int t = 0; t < kernel.threads; ++t) can_run_.push_back(t);
  running_block = this;
  watched.scratch = {reinterpret_cast<std::uintptr_t>(scratch_.get()), kernel.scratch};
  watched.body = {reinterpret_cast<std::uintptr_t>(kernel.body.get()), kernel.body_bytes};
}

Block::~Block() {
  const SanitizerIgnoreScope unseen;
  scratch_.reset();
  running_block = nullptr;
}

void Block::run() {
  while (!can_run_.empty()) {
    std::swap(can_run_[draw_below(can_run_.size())], can_run_.back());
    const int thread = can_run_.back();
    can_run_.pop_back();
    run_thread(thread);
  }
  if (ended_threads_ < std::ssize(threads_)) report_stuck();
}

void Block::run_thread(int thread) {
  Thread& context = threads_[thread];
  current_ = thread;
  if (context.state == State::unstarted) {
    context.state = State::ready;
    context.worker = workers_.take(draw());
    context.worker->name(kernel_.label);
    context.job = [this, thread] {
      acquire(begun_);
      watched.in_kernel = true;
      kernel_.call(kernel_.body.get(), number_, thread, scratch_.get());
      watched.in_kernel = false;
      release(ended_);
    };
    watched.stack = context.worker->stack();
    context.worker->start(context.job);
  } else {
    context.state = State::ready;
    watched.stack = context.worker->stack();
    context.worker->resume();
  }
  if (context.worker->ended()) {
    workers_.give(context.worker);
    context.worker = nullptr;
    context.state = State::ended;
    ++ended_threads_;
    if (at_barrier_ > 0) check_barrier();
  } else if (context.state == State::waits_for_block) {
    check_barrier();
  } else {
    check_warp(thread);
  }
  current_ = -1;
}

void Block::wait(State state) {
  Thread& me = threads_[current_];
  me.state = state;
  me.worker->stop();
}

void Block::sync_block(Site site) {
  threads_[current_].site = site;
  ++at_barrier_;
  release(tokens_.get());
  wait(State::waits_for_block);
  acquire(tokens_.get());
}

/// Ends the barrier once all threads that have not ended wait. Reports threads that wait at different barriers, and a
/// barrier that a thread missed because it has ended.
void Block::check_barrier() {
  const auto count = std::ssize(threads_);
  if (at_barrier_ + ended_threads_ < count) return;
  int first = 0;
  while (threads_[first].state != State::waits_for_block) ++first;
  for (int t = 0; t < count; ++t) {
    if (threads_[t].state == State::ended)
      fault("threads wait at different barriers: thread " + std::to_string(first) + " waits at " +
            text_of(threads_[first].site) + ", and thread " + std::to_string(t) + " has ended");
    if (!(threads_[t].site == threads_[first].site))
      fault("threads wait at different barriers: thread " + std::to_string(first) + " waits at " +
            text_of(threads_[first].site) + ", thread " + std::to_string(t) + " at " + text_of(threads_[t].site));
  }
  at_barrier_ = 0;
  for (int t = 0; t < count; ++t) {
    threads_[t].state = State::ready;
    can_run_.push_back(t);
  }
}

char* Block::token(int warp, unsigned mask) {
  if (!sees_threads) return nullptr;
  return tokens_.get() + 1 + (warp * warp_size + std::countr_zero(mask)) * 6 +
         std::bit_width(unsigned(std::popcount(mask))) - 1;
}

std::uint64_t Block::sync_warp(unsigned mask, Site site, std::uint64_t number, int other) {
  const int me = current_, warp = me / warp_size, lane = me % warp_size;
  if ((mask >> lane & 1) == 0)
    fault("lane " + std::to_string(lane) + " synchronizes with the mask " + hex(mask) +
          ", which does not contain it, at " + text_of(site));
  if (other >= warp_size || (mask >> (lane ^ other) & 1) == 0)
    fault("lane " + std::to_string(lane) + " shuffles with lane " + std::to_string(lane ^ other) +
          ", outside the mask " + hex(mask) + ", at " + text_of(site));
  Thread& context = threads_[me];
  context.mask = mask;
  context.site = site;
  context.number = number;
  context.other = other;
  release(token(warp, mask));
  wait(State::waits_for_warp);
  acquire(token(warp, mask));
  return context.number;
}

/// Shuffles the lanes' values and ends their wait, once all lanes of the thread's mask wait with one mask and site.
/// Reports a lane of the mask that has ended or does not exist.
void Block::check_warp(int thread) {
  const int first = thread / warp_size * warp_size;
  const Thread& caller = threads_[thread];
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((caller.mask >> lane & 1) == 0) continue;
    const int t = first + lane;
    if (t >= std::ssize(threads_) || threads_[t].state == State::ended)
      fault("thread " + std::to_string(thread) + " waits for lane " + std::to_string(lane) + ", which " +
            (t >= std::ssize(threads_) ? "the block does not have" : "has ended") + ", at " + text_of(caller.site));
    if (threads_[t].state != State::waits_for_warp) return;
    if (threads_[t].mask != caller.mask || !(threads_[t].site == caller.site)) return;
  }
  std::uint64_t numbers[warp_size];
  for (int lane = 0; lane < warp_size; ++lane)
    if (caller.mask >> lane & 1) numbers[lane] = threads_[first + lane].number;
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((caller.mask >> lane & 1) == 0) continue;
    Thread& receiver = threads_[first + lane];
    receiver.number = numbers[lane ^ receiver.other];
    receiver.state = State::ready;
    can_run_.push_back(first + lane);
  }
}

std::string Block::waits_text(int thread) const {
  const Thread& context = threads_[thread];
  const std::string name = "thread " + std::to_string(thread);
  switch (context.state) {
    case State::waits_for_block:
      return name + " waits for its block at " + text_of(context.site);
    case State::waits_for_warp:
      return name + " waits for the lanes " + hex(context.mask) + " at " + text_of(context.site);
    default:
      return name + " has ended";
  }
}

void Block::report_stuck() const {
  std::string text = "no thread can continue:";
  std::vector<std::string> reported;
  for (int t = 0; t < std::ssize(threads_); ++t) {
    const std::string waits = waits_text(t), state = waits.substr(waits.find(' ', 7));
    if (std::ranges::find(reported, state) != reported.end()) continue;
    reported.push_back(state);
    text += (reported.size() > 1 ? "; " : " ") + waits;
    if (reported.size() == 6) break;
  }
  fault(text);
}

std::string Block::place() const {
  std::string text = "kernel " + kernel_.label + ", block " + std::to_string(number_);
  if (current_ >= 0) text += ", thread " + std::to_string(current_);
  return text;
}

}  // namespace tesserec::emulated
