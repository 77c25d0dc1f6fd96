// SPDX-License-Identifier: Apache-2.0
#include "device_reduce.hpp"

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/tree_sum.hpp>

namespace tesserec::comm {
namespace {

constexpr int levels = 16;  // heights of the tree: up to 2^16 lanes

/// Kernel that adds element i of all sources by the tree: to[i] = sum.
struct AddSums {
  const DeviceReduce::Source* sources;
  Index count;
  float* to;
  TESSEREC_FUNCTION void operator()(Index i) const {
    TreeSum<float, levels> tree;
    float sum = 0.0f;
    for (Index k = 0; k < count; ++k) {
      sum = sources[k].at[i];
      tree.climb(sum, int(sources[k].height));
    }
    to[i] = sum;
  }
};

}  // namespace

DeviceReduce::DeviceReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length)
    : exec_(exec),
      comm_(comm),
      micro_batches_(lanes.micro_batches()),
      length_(length),
      lanes_(lanes.of_micro_batch(0)),
      received_(Place::device),
      total_(exec, Place::device, "tesserec::comm::total", length),
      of_micro_batches_(exec, share_of(comm.rank()).size(), Place::device) {
  for (int r = 0; r < comm.size(); ++r) leaves_.push_back(leaves_of(lanes.of_rank(r, comm.size())));
}

Range DeviceReduce::share_of(int rank) const {
  return {length_ * rank / comm_.size(), length_ * (rank + 1) / comm_.size()};
}

PlacedVector<float> DeviceReduce::operator()(const LaneSums& sums, int micro_batch) {
  const Range own = share_of(comm_.rank());
  float* const whole = total_.data() + own.begin;
  if (micro_batches_ == 1) {
    add(sums, whole);
  } else {
    if (micro_batch == 0) of_micro_batches_.start({0, micro_batches_});
    add(sums, of_micro_batches_.next(micro_batch).data());
    if (micro_batch + 1 < micro_batches_) return {};
    of_micro_batches_.finish();
    copy_on_device(device_of(exec_), std::as_const(of_micro_batches_).sum(0).data(), whole, own.size());
  }
  gather();
  return total_;
}

void DeviceReduce::add(const LaneSums& sums, float* to) {
  const int me = comm_.rank();
  const Range own = share_of(me);
  Index others = 0;
  for (const auto& leaves : leaves_) others += std::ssize(leaves);
  float* next = received_.reserve(exec_, "tesserec::comm::received", (others - sums.count()) * own.size());
  std::vector<Sent> sent;
  std::vector<Received> received;
  std::vector<Source> sources;
  std::vector<Index> leaves;
  for (int r = 0; r < comm_.size(); ++r)
    for (std::size_t i = 0; i < leaves_[r].size(); ++i) {
      leaves.push_back(leaves_[r][i]);
      sources.push_back({r == me ? sums.sum(int(i)).data() + own.begin : next, 0});
      if (r == me) continue;
      received.push_back({r, next, own.size() * Index{sizeof(float)}});
      next += own.size();
    }
  for (int r = 0; r < comm_.size(); ++r)
    for (int i = 0; r != me && i < sums.count(); ++i)
      sent.push_back({r, sums.sum(i).data() + share_of(r).begin, share_of(r).size() * Index{sizeof(float)}});
  for (std::size_t i = 0; i < leaves.size(); ++i)
    sources[i].height =
        i + 1 < leaves.size() ? next_height(leaves[i], leaves[i + 1], lanes_.begin, lanes_.end) : last_leaf;

  const Device device = device_of(exec_);
  comm_.transport().exchange(device, sent, received);
  const Source* uploaded = sources_.upload(device, sources);
  over_numbers(device, "tesserec::comm::add_sums", own.size(), AddSums{uploaded, std::ssize(sources), to});
}

void DeviceReduce::gather() {
  const int me = comm_.rank();
  std::vector<Sent> sent;
  std::vector<Received> received;
  const auto bytes = [&](int r) { return share_of(r).size() * Index{sizeof(float)}; };
  for (int r = 0; r < comm_.size(); ++r) {
    if (r == me) continue;
    sent.push_back({r, total_.data() + share_of(me).begin, bytes(me)});
    received.push_back({r, total_.data() + share_of(r).begin, bytes(r)});
  }
  comm_.transport().exchange(device_of(exec_), sent, received);
}

}  // namespace tesserec::comm
