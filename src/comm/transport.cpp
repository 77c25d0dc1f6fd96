// SPDX-License-Identifier: Apache-2.0
#include <tesserec/comm/transport.hpp>

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <tesserec/core/upload.hpp>

namespace tesserec::comm {
namespace {

/// Returns whether MPI reports that it can access GPU memory. MPI is queried, since a wrong guess would end the
/// program.
bool reads_devices() {
#ifdef MPIX_CUDA_AWARE_SUPPORT
  return !device_is_host && MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

Index bytes_of(const auto& messages) {
  Index bytes = 0;
  for (const auto& message : messages) bytes += message.bytes;
  return bytes;
}

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(const Communicator& ranks) : ranks_(ranks) {}

  std::string description() const override {
    return reads_devices() ? "MPI, from device memory" : "MPI, through host memory";
  }
  std::unique_ptr<Transport> of(const Communicator& ranks) const override { return mpi_transport(ranks); }

  void exchange(const Device& device, std::span<const Sent> sent, std::span<const Received> received) override {
    if (reads_devices()) {
      device.fence();
      return ranks_.start_exchange(sent, received).wait();
    }
    std::byte* outgoing = reserve_pinned(device, outgoing_, "tesserec::comm::going", bytes_of(sent));
    std::byte* incoming = reserve_pinned(device, incoming_, "tesserec::comm::coming", bytes_of(received));
    std::vector<Sent> from;
    for (const Sent& message : sent) {
      copy_to_host(device, static_cast<const std::byte*>(message.at), outgoing, message.bytes);
      from.push_back({message.to, outgoing, message.bytes});
      outgoing += message.bytes;
    }
    std::vector<Received> to;
    for (const Received& message : received) {
      to.push_back({message.from, incoming, message.bytes});
      incoming += message.bytes;
    }
    device.fence();
    ranks_.start_exchange(from, to).wait();
    for (std::size_t i = 0; i < to.size(); ++i)
      copy_to_device(device, static_cast<const std::byte*>(to[i].at), static_cast<std::byte*>(received[i].at),
                     to[i].bytes);
  }

 private:
  const Communicator& ranks_;
  PinnedVector<std::byte> outgoing_, incoming_;
};

}  // namespace

std::unique_ptr<Transport> mpi_transport(const Communicator& ranks) { return std::make_unique<MpiTransport>(ranks); }

void Transport::all_to_all(const Device& device, const void* send, std::span<const Index> send_bytes, void* recv,
                           std::span<const Index> recv_bytes) {
  const auto* from = static_cast<const std::byte*>(send);
  auto* to = static_cast<std::byte*>(recv);
  std::vector<Sent> sent;
  std::vector<Received> received;
  for (int r = 0; r < int(send_bytes.size()); from += send_bytes[r], to += recv_bytes[r], ++r) {
    if (send_bytes[r] > 0) sent.push_back({r, from, send_bytes[r]});
    if (recv_bytes[r] > 0) received.push_back({r, to, recv_bytes[r]});
  }
  exchange(device, sent, received);
}

}  // namespace tesserec::comm
