// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"
#include "queue.hpp"
#include <tesserec/emulated/device.hpp>
#include <tesserec/emulated/fault.hpp>
#include <tesserec/emulated/settings.hpp>

namespace tesserec::emulated {
namespace {

/// Reports `call` while a graph is being recorded.
void refuse_recording(const Queue& queue, const std::string& call) {
  if (queue.recording()) fault(call + " on the instance \"" + queue.name() + "\" cannot be recorded into a graph");
}

/// Returns the FNV-1a checksum of the bytes, by which a later change is detected.
std::uint64_t sum_of(const void* at, std::size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(at);
  std::uint64_t sum = 14695981039346656037u;
  for (std::size_t i = 0; i < bytes; ++i) sum = (sum ^ from[i]) * 1099511628211u;
  return sum;
}

/// Source or target of a copy.
struct End {
  Allocation* allocation;  // null for pageable host memory
  Span span;

  End(const void* at, std::size_t bytes) : allocation(allocation_at(reinterpret_cast<std::uintptr_t>(at))) {
    span = {reinterpret_cast<std::uintptr_t>(at), bytes};
    if (allocation != nullptr && (allocation->freed || span.begin + bytes > allocation->begin + allocation->bytes))
      fault("a copy of " + std::to_string(bytes) + " bytes at " + place_text(*allocation, span.begin + bytes));
  }
  bool on_device() const { return allocation != nullptr && allocation->kind == Kind::device; }
  std::string text() const {
    if (allocation == nullptr) return "pageable memory";
    return allocation->label + " + " + std::to_string(span.begin - allocation->begin);
  }
};

/// Copies bytes, and tells ThreadSanitizer what it reads and writes, since this folder is compiled without it.
void move_bytes(const End& from, const End& to, std::size_t bytes) {
  for (const End* end : {&from, &to})
    if (end->allocation != nullptr && end->allocation->freed)
      fault("a copy of " + std::to_string(bytes) + " bytes at " + place_text(*end->allocation, end->span.begin));
  seen_read(reinterpret_cast<const void*>(from.span.begin), bytes);
  seen_write(reinterpret_cast<void*>(to.span.begin), bytes);
  const auto* in = reinterpret_cast<const volatile unsigned char*>(from.span.begin);
  auto* out = reinterpret_cast<volatile unsigned char*>(to.span.begin);
  std::size_t i = 0;
  if (from.span.begin % 8 == 0 && to.span.begin % 8 == 0)
    for (; i + 8 <= bytes; i += 8)
      *reinterpret_cast<volatile std::uint64_t*>(out + i) = *reinterpret_cast<const volatile std::uint64_t*>(in + i);
  for (; i < bytes; ++i) out[i] = in[i];
}

/// Calls `function` on a stack of its own, so that ThreadSanitizer distinguishes it from the thread that waits.
void on_own_thread(Queue& queue, const std::function<void()>& function) {
  const Token begun = token(), ended = token();
  const std::function<void()> job = [&] {
    acquire(begun.get());
    function();
    release(ended.get());
  };
  Worker* const worker = queue.workers().take(draw());
  release(begun.get());
  worker->start(job);
  acquire(ended.get());
  queue.workers().give(worker);
}

std::shared_ptr<Queue> default_queue() {
  static auto* const queue = new std::shared_ptr<Queue>(std::make_shared<Queue>("default"));
  return *queue;
}

}  // namespace

Device::Device() : queue_(default_queue()) {}
Device Device::another(const std::string& name) { return Device(std::make_shared<Queue>(name)); }

void Device::fence() const {
  refuse_recording(*queue_, "a fence");
  queue_->finish();
  queue_->seen_by_host();
}
void Event::record(const Device& device) {
  refuse_recording(device.queue(), "an event");
  ticket_ = std::make_shared<EventPoint>(&device.queue());
  device.queue().push({"an event", [ticket = ticket_](Queue&) {
                         release(ticket->token.get());
                         ticket->reached = true;
                       }});
}
void Event::wait() const {
  if (!ticket_) return;
  refuse_recording(*ticket_->queue, "a wait for an event");
  ticket_->queue->finish_until(*ticket_);
  acquire(ticket_->token.get());
}
void Event::hold(const Device& device) const {
  if (!ticket_) return;
  refuse_recording(device.queue(), "a wait for an event from outside");
  device.queue().push({"a wait for an event", [](Queue&) {}, ticket_});
}

void copy(const Device& device, const void* from, void* to, std::size_t bytes) {
  if (bytes == 0) return;
  const End source(from, bytes), target(to, bytes);
  if (source.span.overlaps(target.span.begin, bytes))
    fault("a copy of " + std::to_string(bytes) + " bytes from " + source.text() + " to " + target.text() + " overlaps");
  Command command{"the copy from " + source.text() + " to " + target.text(), {}};
  command.from = source.span;
  command.to = target.span;
  if (source.allocation == nullptr && settings().staged_copies && !device.queue().recording()) {
    const std::shared_ptr<void> staged = allocate(Kind::pinned, "a staged copy", bytes);
    const End buffer(staged.get(), bytes);
    move_bytes(source, buffer, bytes);
    command.from = {};
    command.run = [staged, buffer, target, bytes](Queue&) { move_bytes(buffer, target, bytes); };
  } else if (source.on_device() || device.queue().recording() || device.queue().calls_host()) {
    command.run = [source, target, bytes](Queue&) { move_bytes(source, target, bytes); };
  } else {
    command.run = [source, target, bytes, label = command.label, was = sum_of(from, bytes)](Queue&) {
      if (sum_of(reinterpret_cast<const void*>(source.span.begin), bytes) != was)
        fault("the host wrote to the source of " + label + " (" + std::to_string(bytes) + " bytes) before it ran");
      move_bytes(source, target, bytes);
    };
  }
  device.queue().push(std::move(command));
}

void call_host(const Device& device, const std::string& label, std::function<void()> function) {
  Command command{label, [function = std::move(function)](Queue& queue) { on_own_thread(queue, function); }};
  command.on_host = true;
  device.queue().push(std::move(command));
}

Graph::Graph(const Device& device, const std::function<void()>& calls) {
  Queue& queue = device.queue();
  refuse_recording(queue, "another graph");
  queue.record_to(&commands_);
  const struct Recording {
    Queue& queue;
    ~Recording() { queue.record_to(nullptr); }
  } recording{queue};
  calls();
}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

void Graph::launch(const Device& device) const {
  for (const Command& command : commands_) device.queue().push(command);
}

}  // namespace tesserec::emulated
