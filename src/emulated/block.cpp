// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <tesserec/emulated/fault.hpp>

namespace tesserec::emulated {
namespace {

Block* the_running = nullptr;

std::string hex(unsigned mask) {
  static const char* const digits = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[mask >> shift & 15];
  return text;
}
std::string text_of(Site site) { return std::string(site.file) + ":" + std::to_string(site.line); }

}  // namespace

Block* Block::running() { return the_running; }

Block::Block(const Kernel& kernel, std::int64_t number, Workers& workers, void* begun, void* ended)
    : kernel_(kernel), number_(number), workers_(workers), begun_(begun), ended_(ended), threads_(kernel.threads) {
  const SanitizerIgnoreScope
      unseen;  // ThreadSanitizer must see the block's threads as the first users of the scratch memory.
  if (kernel.scratch > 0) {
    scratch_.reset(new std::byte[kernel.scratch]);
    std::memset(scratch_.get(), 0xff, kernel.scratch);
  }
  if (sees_threads) tokens_.reset(new char[1 + most_threads * 6]);
  for (int t = 0; t < kernel.threads; ++t) can_run_.push_back(t);
  the_running = this;
  watched.scratch = {reinterpret_cast<std::uintptr_t>(scratch_.get()), kernel.scratch};
  watched.body = {reinterpret_cast<std::uintptr_t>(kernel.body.get()), kernel.body_bytes};
}

Block::~Block() {
  const SanitizerIgnoreScope unseen;
  scratch_.reset();
  the_running = nullptr;
}

void Block::run() {
  while (!can_run_.empty()) {
    std::swap(can_run_[draw_below(can_run_.size())], can_run_.back());
    const int thread = can_run_.back();
    can_run_.pop_back();
    go_on(thread);
  }
  if (ended_threads_ < std::ssize(threads_)) report_stuck();
}

void Block::go_on(int thread) {
  Thread& one = threads_[thread];
  now_ = thread;
  if (one.state == State::unstarted) {
    one.state = State::ready;
    one.worker = workers_.take(draw());
    one.worker->name(kernel_.label);
    one.job = [this, thread] {
      acquire(begun_);
      watched.in_kernel = true;
      kernel_.call(kernel_.body.get(), number_, thread, scratch_.get());
      watched.in_kernel = false;
      release(ended_);
    };
    watched.stack = one.worker->stack();
    one.worker->start(one.job);
  } else {
    one.state = State::ready;
    watched.stack = one.worker->stack();
    one.worker->resume();
  }
  if (one.worker->ended()) {
    workers_.give(one.worker);
    one.worker = nullptr;
    one.state = State::ended;
    ++ended_threads_;
    if (at_barrier_ > 0) look_at_barrier();
  } else if (one.state == State::waits_for_block) {
    look_at_barrier();
  } else {
    look_at_warp(thread);
  }
  now_ = -1;
}

void Block::wait(State state) {
  Thread& me = threads_[now_];
  me.state = state;
  me.worker->stop();
}

void Block::sync_block(Site site) {
  threads_[now_].site = site;
  ++at_barrier_;
  release(tokens_.get());
  wait(State::waits_for_block);
  acquire(tokens_.get());
}

/// Ends the barrier once all threads that have not ended wait. Reports threads that wait at different barriers, and a
/// barrier that a thread missed because it has ended.
void Block::look_at_barrier() {
  const auto count = std::ssize(threads_);
  if (at_barrier_ + ended_threads_ < count) return;
  int first = 0;
  while (threads_[first].state != State::waits_for_block) ++first;
  for (int t = 0; t < count; ++t) {
    if (threads_[t].state == State::ended)
      fault("threads at different barriers: thread " + std::to_string(first) + " waits at " +
            text_of(threads_[first].site) + ", and thread " + std::to_string(t) + " has ended");
    if (!(threads_[t].site == threads_[first].site))
      fault("threads at different barriers: thread " + std::to_string(first) + " waits at " +
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
  const int me = now_, warp = me / warp_size, lane = me % warp_size;
  if ((mask >> lane & 1) == 0)
    fault("lane " + std::to_string(lane) + " asks for the lanes " + hex(mask) + ", which lack it, at " + text_of(site));
  if (other >= warp_size || (mask >> (lane ^ other) & 1) == 0)
    fault("lane " + std::to_string(lane) + " shuffles with lane " + std::to_string(lane ^ other) +
          ", outside the mask " + hex(mask) + ", at " + text_of(site));
  Thread& one = threads_[me];
  one.mask = mask;
  one.site = site;
  one.number = number;
  one.other = other;
  release(token(warp, mask));
  wait(State::waits_for_warp);
  acquire(token(warp, mask));
  return one.number;
}

/// Shuffles the lanes' values and ends their wait, once all lanes of the thread's mask wait with one mask and site.
/// Reports a lane of the mask that has ended or does not exist.
void Block::look_at_warp(int thread) {
  const int first = thread / warp_size * warp_size;
  const Thread& one = threads_[thread];
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((one.mask >> lane & 1) == 0) continue;
    const int t = first + lane;
    if (t >= std::ssize(threads_) || threads_[t].state == State::ended)
      fault("thread " + std::to_string(thread) + " asks lane " + std::to_string(lane) + ", which " +
            (t >= std::ssize(threads_) ? "the block does not have" : "has ended") + ", at " + text_of(one.site));
    if (threads_[t].state != State::waits_for_warp) return;
    if (threads_[t].mask != one.mask || !(threads_[t].site == one.site)) return;
  }
  std::uint64_t numbers[warp_size];
  for (int lane = 0; lane < warp_size; ++lane)
    if (one.mask >> lane & 1) numbers[lane] = threads_[first + lane].number;
  for (int lane = 0; lane < warp_size; ++lane) {
    if ((one.mask >> lane & 1) == 0) continue;
    Thread& there = threads_[first + lane];
    there.number = numbers[lane ^ there.other];
    there.state = State::ready;
    can_run_.push_back(first + lane);
  }
}

std::string Block::waits_text(int thread) const {
  const Thread& one = threads_[thread];
  const std::string name = "thread " + std::to_string(thread);
  switch (one.state) {
    case State::waits_for_block:
      return name + " waits for its block at " + text_of(one.site);
    case State::waits_for_warp:
      return name + " waits for the lanes " + hex(one.mask) + " at " + text_of(one.site);
    default:
      return name + " has ended";
  }
}

void Block::report_stuck() const {
  std::string text = "no thread can go on:";
  std::vector<std::string> said;
  for (int t = 0; t < std::ssize(threads_); ++t) {
    const std::string waits = waits_text(t), what = waits.substr(waits.find(' ', 7));
    if (std::ranges::find(said, what) != said.end()) continue;
    said.push_back(what);
    text += (said.size() > 1 ? "; " : " ") + waits;
    if (said.size() == 6) break;
  }
  fault(text);
}

std::string Block::place() const {
  std::string text = "kernel " + kernel_.label + ", block " + std::to_string(number_);
  if (now_ >= 0) text += ", thread " + std::to_string(now_);
  return text;
}

}  // namespace tesserec::emulated
