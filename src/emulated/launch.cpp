// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>

#include <unistd.h>

#include "block.hpp"
#include "blocks.hpp"
#include "queue.hpp"
#include "watched.hpp"
#include <tesserec/emulated/fault.hpp>
#include <tesserec/emulated/launch.hpp>

namespace tesserec::emulated {
namespace {

/// Numbers of launched kernels and threads by label, printed at exit if TESSEREC_EMULATED_COUNT is set.
class RunCounts {
 public:
  ~RunCounts() {
    if (std::getenv("TESSEREC_EMULATED_COUNT") == nullptr) return;
    Totals total;
    for (const auto& [label, entry] : by_label_) {
      print(label.c_str(), entry);
      total.kernels += entry.kernels;
      total.threads += entry.threads;
    }
    print("in all", total);
  }
  void add(const Kernel& kernel) {
    Totals& entry = by_label_[kernel.label];
    ++entry.kernels;
    entry.threads += kernel.blocks * kernel.threads;
  }

 private:
  struct Totals {
    std::int64_t kernels = 0, threads = 0;
  };
  static void print(const char* label, const Totals& entry) {
    std::fprintf(stderr, "emulated device: %8lld kernels %10lld threads  %s\n", static_cast<long long>(entry.kernels),
                 static_cast<long long>(entry.threads), label);
  }
  std::map<std::string, Totals> by_label_;
} count;

/// Runs all blocks in an order drawn from the seed: from a random start, in a stride that is coprime to their number.
void run_blocks(const Kernel& kernel, Queue& queue) {
  const auto n = std::uint64_t(kernel.blocks);
  std::uint64_t block = draw_below(n), step = 1 + draw_below(n);
  while (std::gcd(step, n) != 1) ++step;
  const Token begun = token(), ended = token();
  release(begun.get());
  for (std::uint64_t i = 0; i < n; ++i, block = (block + step) % n)
    Block(kernel, std::int64_t(block), queue.workers(), begun.get(), ended.get()).run();
  acquire(ended.get());
  count.add(kernel);
}

}  // namespace

void launch(const Device& device, Kernel kernel) {
  if (kernel.blocks == 0) return;
  const auto refuse = [&](const std::string& demand) { fault("kernel " + kernel.label + " requests " + demand); };
  if (kernel.threads < 1 || kernel.threads > max_threads)
    refuse(std::to_string(kernel.threads) + " threads per block; use 1 to " + std::to_string(max_threads));
  if (kernel.scratch > max_scratch)
    refuse(std::to_string(kernel.scratch) + " bytes of scratch memory per block; use at most " +
           std::to_string(max_scratch) + ", the limit without opt-in");
  if (kernel.blocks >= std::int64_t{1} << 31) refuse(std::to_string(kernel.blocks) + " blocks; use at most 2^31 - 1");
  const std::string label = "kernel " + kernel.label;
  device.queue().push({label, [kernel = std::move(kernel)](Queue& queue) { run_blocks(kernel, queue); }});
}

int any_block_size() { return warp_size << draw_below(4); }

int thread_in_block() { return Block::running()->thread(); }
void sync_block(Site site) {
  const UncheckedScope unchecked;
  Block::running()->sync_block(site);
}
void sync_warp(unsigned mask, Site site) {
  const UncheckedScope unchecked;
  Block::running()->sync_warp(mask, site, 0, 0);
}
std::uint64_t shuffle_xor(unsigned mask, std::uint64_t number, int other, Site site) {
  const UncheckedScope unchecked;
  return Block::running()->sync_warp(mask, site, number, other);
}

void* Team::get_shmem_aligned(std::ptrdiff_t bytes, std::ptrdiff_t border) const {
  const UncheckedScope unchecked;
  const auto at = reinterpret_cast<std::uintptr_t>(scratch_) + taken_;
  taken_ += (border - at % border) % border;
  if (taken_ + bytes > bytes_)
    fault("a team takes " + std::to_string(taken_ + bytes) + " bytes of scratch memory, more than its " +
          std::to_string(bytes_));
  void* const taken = scratch_ + taken_;
  taken_ += bytes;
  return taken;
}

void fault(const std::string& text) {
  const UncheckedScope unchecked;
  std::string message = "emulated device: " + text;
  if (const Block* const block = Block::running(); block != nullptr) message += " (" + block->place() + ")";
  message += "\n";
  if (write(STDERR_FILENO, message.data(), message.size()) < 0) _exit(fault_code + 1);
  _exit(fault_code);
}

}  // namespace tesserec::emulated
