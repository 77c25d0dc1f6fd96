// SPDX-License-Identifier: Apache-2.0
// NCCL's calls over MPI and copies through the host, for machines without GPUs, and for ranks that share one. What is
// sent leaves at group_end; it arrives in before() and nowhere else, so that whoever forgets to wait reads old numbers.
// Without after() nothing may be sent.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <tesserec/comm/nccl.hpp>
#include <tesserec/core/error.hpp>

/// What goes wrong on a rank.
struct PlantedNccl {
  std::string version = "2.28.9";
  tesserec::Index fails_at = -1, dies_at = -1;  ///< which of its groups, of all communicators; -1 = none
};

class HostNccl : public tesserec::comm::Nccl {
 public:
  using Index = tesserec::Index;

  inline static PlantedNccl planted;
  inline static Index groups = 0;

  static std::unique_ptr<Nccl> make() { return std::make_unique<HostNccl>(); }

  ~HostNccl() override {
    for (Message& message : messages_)
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
    device.fence();
    device_here_ = true;
  }
  void group_start() override {
    if (!device_here_) tesserec::fail("the device has not come to what is sent");
  }
  void send(const void* from, Index bytes, int peer) override {
    Message& message = messages_.emplace_back(Message{peer, nullptr, std::vector<std::byte>(bytes)});
    tesserec::copy_to_host(tesserec::Device(), static_cast<const std::byte*>(from), message.bytes.data(), bytes);
  }
  void receive(void* to, Index bytes, int peer) override {
    messages_.push_back({peer, static_cast<std::byte*>(to), std::vector<std::byte>(bytes)});
  }
  void group_end() override {
    const Index group = groups++;
    if (group == planted.dies_at) std::raise(SIGKILL);
    if (planted.fails_at >= 0 && group >= planted.fails_at) {
      failed_ = true;
      return;
    }
    for (Message& m : messages_)
      m.to != nullptr ? MPI_Irecv(m.bytes.data(), int(m.bytes.size()), MPI_BYTE, m.peer, 2, comm_, &m.request)
                      : MPI_Isend(m.bytes.data(), int(m.bytes.size()), MPI_BYTE, m.peer, 2, comm_, &m.request);
  }
  void before(const tesserec::Device& device) override {
    device_here_ = false;
    while (!aborted_ && !(all_here() && !failed_)) std::this_thread::yield();
    if (aborted_) return;
    for (Message& m : messages_)
      if (m.to != nullptr) tesserec::copy_to_device(device, m.bytes.data(), m.to, std::ssize(m.bytes));
    device.fence();
    messages_.clear();
  }

  std::string async_error() const override {
    return failed_ ? "remote process exited or there was a network error" : "";
  }
  void abort() override { aborted_ = true; }
  void destroy() override {}

 private:
  struct Message {
    int peer;
    std::byte* to;  // none: it is sent
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  bool all_here() {
    for (Message& m : messages_) {
      int here = 0;
      MPI_Test(&m.request, &here, MPI_STATUS_IGNORE);
      if (!here) return false;
    }
    return true;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool device_here_ = false;
  std::vector<Message> messages_;
  std::atomic<bool> failed_ = false, aborted_ = false;
};
