// SPDX-License-Identifier: Apache-2.0
// NCCL's calls over MPI and copies through the host, for machines without GPUs and for ranks that share one.
// group_end() sends the data. Only before() delivers it, so a caller that forgets to wait reads old numbers. Sending
// without after() throws.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include <tesserec/comm/nccl.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/upload.hpp>

/// The failures planted on a rank.
struct PlantedNccl {
  std::string version = "2.28.9";
  tesserec::Index fails_at = -1, dies_at = -1;  ///< index of the group, over all communicators; -1 = none
};

/// A stream of its own on the emulated device. On other devices, calls return after completion.
class Stream {
 public:
  const tesserec::Device& device() const { return device_; }
  void fence() const { device_.fence(); }
#ifdef TESSEREC_EMULATED
  void after(const tesserec::Device& device) { ready_.record(device), ready_.hold(device_); }
  void before(const tesserec::Device& device) { moved_.record(device_), moved_.hold(device); }
  void call(std::function<void()> function) const { call_host(device_, "HostNccl", std::move(function)); }

 private:
  tesserec::Device device_ = tesserec::emulated::Device::another("HostNccl");
  tesserec::emulated::Event ready_, moved_;
#else
  void after(const tesserec::Device& device) const { device.fence(); }
  void before(const tesserec::Device& device) const { device_.fence(), device.fence(); }
  void call(const std::function<void()>& function) const { function(); }

 private:
  tesserec::Device device_;
#endif
};

class HostNccl : public tesserec::comm::Nccl {
 public:
  using Index = tesserec::Index;

  inline static PlantedNccl planted;
  inline static Index groups = 0;

  static std::unique_ptr<Nccl> make() { return std::make_unique<HostNccl>(); }

  ~HostNccl() override {
    stream_.fence();
    for (Message& message : *group_)
      if (message.request != MPI_REQUEST_NULL) MPI_Cancel(&message.request), MPI_Request_free(&message.request);
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  std::unique_ptr<Nccl> another() const override { return make(); }
  std::string version() const override { return planted.version; }

  Id unique_id() const override {
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    Id id(sizeof(now));
    std::memcpy(id.data(), &now, sizeof(now));
    return id;
  }
  void init(const Id& id, const tesserec::comm::Communicator& ranks) override {
    const std::vector<char> all = ranks.all_gather_equal(std::span<const char>(id));
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != id[i % id.size()]) tesserec::fail("ncclCommInitRank failed: ranks have several ids");
    MPI_Comm_dup(ranks.mpi(), &comm_);
  }

  void after(const tesserec::Device& device) override {
    stream_.after(device);
    device_here_ = true;
  }
  void group_start() override {
    if (!device_here_) tesserec::fail("the device has not come to what is sent");
    before_ = std::exchange(group_, std::make_shared<std::vector<Message>>());
  }
  void send(const void* from, Index bytes, int peer) override {
    Message& message = add({peer, nullptr, bytes});
    tesserec::copy_to_host(stream_.device(), static_cast<const std::byte*>(from), message.bytes.data(), bytes);
  }
  void receive(void* to, Index bytes, int peer) override { add({peer, static_cast<std::byte*>(to), bytes}); }
  void group_end() override {
    stream_.fence();
    const Index group = groups++;
    if (group == planted.dies_at) std::raise(SIGKILL);
    if (planted.fails_at >= 0 && group >= planted.fails_at) {
      failed_ = true;
      return;
    }
    for (Message& m : *group_)
      m.to != nullptr ? MPI_Irecv(m.bytes.data(), int(m.size), MPI_BYTE, m.peer, 2, comm_, &m.request)
                      : MPI_Isend(m.bytes.data(), int(m.size), MPI_BYTE, m.peer, 2, comm_, &m.request);
  }
  void before(const tesserec::Device& device) override {
    device_here_ = false;
    stream_.call([this, group = group_] {
      while (!aborted_ && !(all_here(*group) && !failed_)) std::this_thread::sleep_for(std::chrono::microseconds(20));
    });
    for (const Message& m : *group_)
      if (m.to != nullptr && !aborted_)
        tesserec::copy_to_device(stream_.device(), std::as_const(m.bytes).data(), m.to, m.size);
    stream_.before(device);
  }

  std::string async_error() const override {
    return failed_ ? "remote process exited or there was a network error" : "";
  }
  void abort() override { aborted_ = true; }
  void destroy() override {}

 private:
  struct Message {
    int peer;
    std::byte* to;  // null if the message is sent
    Index size;     // bytes
    tesserec::PinnedVector<std::byte> bytes = {};
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Message& add(const Message& message) {
    Message& added = group_->emplace_back(message);
    tesserec::reserve_pinned(stream_.device(), added.bytes, "HostNccl", added.size);
    return added;
  }
  static bool all_here(std::vector<Message>& group) {
    for (Message& m : group) {
      int here = 0;
      MPI_Test(&m.request, &here, MPI_STATUS_IGNORE);
      if (!here) return false;
    }
    return true;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool device_here_ = false;
  Stream stream_;
  std::shared_ptr<std::vector<Message>> group_ = std::make_shared<std::vector<Message>>();
  std::shared_ptr<std::vector<Message>> before_;  // the group before, whose numbers may still be copied to the device
  std::atomic<bool> failed_ = false, aborted_ = false;
};
