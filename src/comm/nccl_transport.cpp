// SPDX-License-Identifier: Apache-2.0
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include <unistd.h>

#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/nccl.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::comm {
namespace {

std::string explained(const std::string& error, int rank) {
  return concat("NCCL: ", error, " (rank ", rank, "); a rank, a GPU or a link may have failed. ",
                "Set NCCL_DEBUG=WARN to see more, or run.communicator = \"mpi\" to avoid NCCL");
}

/// Thread that polls NCCL for errors. At an error it aborts NCCL, so that devices stop waiting and check() throws. If
/// the rank does not end within `patience`, since it waits for a message of a stuck rank, the thread ends all ranks.
class Watch {
 public:
  Watch(Nccl& nccl, const Communicator& ranks) : thread_([this, &nccl, &ranks] { poll(nccl, ranks); }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  /// Returns NCCL's error; empty if there is none.
  std::string error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  // Other ranks wait longer than the first one, which writes its last files meanwhile.
  static constexpr std::chrono::milliseconds interval{100}, patience{2000}, first_rank{500}, next_rank{20};

  bool ends_within(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds time) {
    return wake_.wait_for(lock, time, [this] { return ended_; });
  }
  void poll(Nccl& nccl, const Communicator& ranks) {
    std::unique_lock lock(mutex_);
    do
      if (ends_within(lock, interval)) return;
    while ((error_ = nccl.async_error()).empty());
    nccl.abort();
    const int rank = ranks.rank();
    if (ends_within(lock, patience + (rank > 0 ? first_rank + rank * next_rank : std::chrono::milliseconds{}))) return;
    comm::abort(ranks, 2, explained(error_, rank));
  }

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  std::string error_;
  std::thread thread_;  // last member, so that the thread starts after all others are initialized
};

class NcclTransport : public Transport {
 public:
  NcclTransport(const Communicator& ranks, std::unique_ptr<Nccl> calls) : ranks_(ranks), nccl_(std::move(calls)) {}

  ~NcclTransport() override {
    if (!watch_) return;
    const bool failed = !watch_->error().empty();
    watch_.reset();
    if (failed) return;
    const bool unwinds = std::uncaught_exceptions() > 0;  // Other ranks may then never call destroy().
    try {
      unwinds ? nccl_->abort() : nccl_->destroy();
    } catch (const Error& error) {  // All messages have arrived, so a warning is enough.
      log_warning(error.what());
    }
  }

  std::string description() const override {
    std::vector<std::string> settings;
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (const std::string setting = *variable; setting.starts_with("NCCL_") && !setting.starts_with("NCCL_VERSION="))
        settings.push_back(setting);  // Containers set NCCL_VERSION; NCCL does not read it.
    return concat("NCCL ", nccl_->version(), settings.empty() ? "" : " with " + join(settings, ", "));
  }

  std::unique_ptr<Transport> of(const Communicator& ranks) const override {
    return std::make_unique<NcclTransport>(ranks, nccl_->another());
  }

  void exchange(const Device& device, std::span<const Sent> sent, std::span<const Received> received) override {
    begin();
    check();
    nccl_->after(device);
    nccl_->group_start();
    for (const Sent& message : sent) nccl_->send(message.at, message.bytes, message.to);
    for (const Received& message : received) nccl_->receive(message.at, message.bytes, message.from);
    nccl_->group_end();
    nccl_->before(device);
  }

  void check() const override {
    if (!watch_) return;
    if (const std::string error = watch_->error(); !error.empty()) throw Error(explained(error, ranks_.rank()));
  }

  /// Makes NCCL's communicator on the first call, since it costs device memory. Collective.
  void begin() {
    if (watch_) return;
    Nccl::Id id;
    if (ranks_.rank() == 0) id = nccl_->unique_id();
    ranks_.broadcast(id, 0);
    nccl_->init(id, ranks_);
    watch_.emplace(*nccl_, ranks_);
  }

 private:
  const Communicator& ranks_;
  std::unique_ptr<Nccl> nccl_;
  std::optional<Watch> watch_;  // set by begin()
};

void require_one_version(const Communicator& ranks, const Nccl& calls) {
  const std::string own = calls.version();
  std::vector<Index> sizes;
  const std::vector<char> all = ranks.all_gather(std::span<const char>(own), &sizes);
  std::string first(all.data(), sizes[0]);
  Index at = 0;
  for (int r = 0; r < ranks.size(); at += sizes[r++])
    if (const std::string other(all.data() + at, sizes[r]); other != first)
      fail("NCCL is ", first, " on rank 0 and ", other, " on rank ", r,
           "; install one version on all nodes, or set run.communicator = \"mpi\"");
}

#ifdef TESSEREC_NCCL
std::unique_ptr<Nccl> (*maker)() = nccl_library;
#else
std::unique_ptr<Nccl> (*maker)() = nullptr;
#endif

}  // namespace

std::unique_ptr<Nccl> make_nccl() { return maker == nullptr ? nullptr : maker(); }
void provide_nccl(std::unique_ptr<Nccl> (*make)()) { maker = make; }

std::unique_ptr<Transport> nccl_transport(const Communicator& ranks, std::unique_ptr<Nccl> calls) {
  require_one_version(ranks, *calls);
  auto transport = std::make_unique<NcclTransport>(ranks, std::move(calls));
  transport->begin();
  return transport;
}

}  // namespace tesserec::comm
