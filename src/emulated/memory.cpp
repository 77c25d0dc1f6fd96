// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include "blocks.hpp"
#include "sanitizers.hpp"
#include "watched.hpp"
#include <tesserec/emulated/fault.hpp>

namespace tesserec::emulated {
namespace {

constexpr std::size_t page = 4096;

/// A range of addresses, each of which is handed out once. A guard page follows each allocation.
class Arena {
 public:
  static constexpr std::size_t size = std::size_t{1} << 37;  // bytes of address space, not of memory

  bool has(std::uintptr_t address) const { return address - base_ < size; }
  Allocation* at(std::uintptr_t address) const { return owner_[(address - base_) / page]; }
  std::uintptr_t take(Allocation* owner, std::size_t bytes) {
    const std::size_t pages = (bytes + page - 1) / page;
    const std::size_t first = next_;
    next_ += pages + 1;
    if (next_ * page > size)
      fault("the emulated device has no addresses left for " + std::to_string(bytes) + " more bytes");
    for (std::size_t i = first; i < next_; ++i) owner_[i] = owner;
    return base_ + first * page;
  }

 private:
  static void* reserve(std::size_t bytes, int protection) {
    void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) fault(std::string("mmap failed: ") + std::strerror(errno));
    return at;
  }
  std::uintptr_t base_ = reinterpret_cast<std::uintptr_t>(reserve(size, PROT_NONE));
  Allocation** owner_ = static_cast<Allocation**>(reserve(size / page * sizeof(Allocation*), PROT_READ | PROT_WRITE));
  std::size_t next_ = 0;  // next free page
};

void protect(const Allocation& allocation, int protection) {
  const std::size_t bytes = (allocation.bytes + page - 1) / page * page;
  if (mprotect(reinterpret_cast<void*>(allocation.begin), bytes, protection) != 0)
    fault("mprotect failed: " + std::string(std::strerror(errno)));
}

struct State {
  Arena arena;
  Allocation* open = nullptr;  // head of a list, since a signal handler may not allocate
  int on_device = 0;
  std::mutex mutex;                                // guards arena and taken
  std::vector<std::unique_ptr<Allocation>> taken;  // freed allocations too, for reports
};
/// Returns the state of the process. It is never destroyed, so that static objects may free arrays at exit.
State& state() {
  static State* const instance = new State;
  return *instance;
}

void open(Allocation& allocation) {
  if (allocation.open) return;
  protect(allocation, PROT_READ | PROT_WRITE);
  allocation.open = true;
  allocation.next_open = state().open;
  state().open = &allocation;
}

/// Handles SIGSEGV: opens device memory that the device accesses, and reports other accesses to the arena.
void on_access(int signal, siginfo_t* info, void*) {
  const UncheckedScope unchecked;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  Allocation* const allocation = allocation_at(address);
  if (allocation == nullptr && OnDevice::now())
    fault("a kernel or a copy touches unallocated memory, " +
          std::string(address < page ? "at or near null" : "which is not the device's"));
  if (allocation == nullptr) {
    std::signal(signal, SIG_DFL);  // The address is not the device's. The access repeats, with the default action.
    return;
  }
  const bool inside = !allocation->freed && address < allocation->begin + allocation->bytes;
  if (inside && allocation->kind == Kind::device && OnDevice::now()) return open(*allocation);
  fault((OnDevice::now() ? "a kernel or a copy touches " : "the host touches ") + place_text(*allocation, address));
}

void catch_accesses() {
  static const bool installed = [] {
    static char stack[1 << 16];
    const stack_t own{stack, 0, sizeof stack};
    sigaltstack(&own, nullptr);
    struct sigaction action {};
    action.sa_sigaction = on_access;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    return true;
  }();
  (void)installed;
}

}  // namespace

std::shared_ptr<void> allocate(Kind kind, const std::string& label, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  catch_accesses();
  Allocation* allocation = nullptr;
  {
    const std::lock_guard lock(state().mutex);
    allocation = state().taken.emplace_back(new Allocation{kind, label, 0, bytes}).get();
    allocation->begin = state().arena.take(allocation, bytes);
  }
  void* const at = reinterpret_cast<void*>(allocation->begin);
  protect(*allocation, PROT_READ | PROT_WRITE);
  std::memset(at, 0xff, bytes);
  const std::size_t whole = (bytes + page - 1) / page * page + page;
  poison(static_cast<char*>(at) + bytes, whole - bytes);
  if (kind == Kind::device) protect(*allocation, PROT_NONE);
  return {at, [allocation](void*) {
            fault_where_pending(*allocation);
            allocation->freed = true;
            protect(*allocation, PROT_NONE);
            madvise(reinterpret_cast<void*>(allocation->begin), allocation->bytes, MADV_DONTNEED);
            poison(reinterpret_cast<void*>(allocation->begin), allocation->bytes);
          }};
}

Allocation* allocation_at(std::uintptr_t address) {
  return state().arena.has(address) ? state().arena.at(address) : nullptr;
}

std::string place_text(const Allocation& allocation, std::uintptr_t address) {
  std::string text = allocation.label + " + " + std::to_string(address - allocation.begin) + " bytes";
  if (allocation.freed) return text + ", which is freed";
  if (address >= allocation.begin + allocation.bytes) text += ", beyond its end at " + std::to_string(allocation.bytes);
  return text;
}

OnDevice::OnDevice() { ++state().on_device; }
OnDevice::~OnDevice() {
  if (--state().on_device > 0) return;
  for (; state().open != nullptr; state().open = state().open->next_open) {
    state().open->open = false;
    protect(*state().open, PROT_NONE);
  }
}
bool OnDevice::now() { return state().on_device > 0; }

}  // namespace tesserec::emulated
