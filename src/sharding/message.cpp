// SPDX-License-Identifier: Apache-2.0
#include "message.hpp"

namespace tesserec::sharding {
namespace {

template <class T>
void exchange(const Exec& exec, const comm::Communicator& comm, Place place, const T* send,
              std::span<const Index> send_counts, T* receive, std::span<const Index> receive_counts) {
  if (place == Place::host) return comm.all_to_all(send, send_counts, receive, receive_counts);
  const auto bytes = [](std::span<const Index> counts) {
    std::vector<Index> sizes(counts.begin(), counts.end());
    for (Index& count : sizes) count *= sizeof(T);
    return sizes;
  };
  comm.transport().all_to_all(device_of(exec), send, bytes(send_counts), receive, bytes(receive_counts));
}

}  // namespace

void VectorMessage::clear(int ranks) {
  Counts<float>::clear(ranks);
  for (Runs* runs : {&send_runs_, &receive_runs_}) runs->assign(ranks, {});
}

void VectorMessage::add(std::vector<Index>& counts, Runs& runs, int rank, Index numbers, bool finished) {
  if (numbers == 0) return;
  counts[rank] += numbers;
  std::vector<Run>& own = runs[rank];
  if (own.empty() || own.back().finished != finished) own.push_back({0, finished});
  own.back().numbers += numbers;
}

/// Returns the 32-bit words of a run. Every run begins at a new word.
Index VectorMessage::words(const Run& run) { return run.finished ? (run.numbers + 1) / 2 : run.numbers; }

std::vector<Index> VectorMessage::words(const Runs& runs) {
  std::vector<Index> sums;
  for (const auto& of_rank : runs) {
    sums.push_back(0);
    for (const Run& run : of_rank) sums.back() += words(run);
  }
  return sums;
}

Index VectorMessage::bytes(Range ranks) const {
  if (!rounding_) return Counts<float>::bytes(ranks);
  Counts<std::uint32_t> packed;
  packed.to = words(send_runs_);
  return packed.bytes(ranks);
}

template <class Visit>
void VectorMessage::visit_runs(const Runs& runs, const Visit& visit) {
  Index at = 0, word = 0;
  for (const auto& of_rank : runs)
    for (const Run& run : of_rank) {
      visit(run, at, word);
      at += run.numbers;
      word += words(run);
    }
}

void VectorMessage::transfer(const Exec& exec, const comm::Communicator& comm, Index out_at, Index in_at) {
  const Place place = out.place();
  if (!rounding_) return exchange<float>(exec, comm, place, out.data() + out_at, to, in.data() + in_at, from);
  const std::vector<Index> send = words(send_runs_), receive = words(receive_runs_);
  std::uint32_t* const send_words = words_[0].reserve(exec, "tesserec::sharding::going", total(send));
  std::uint32_t* const receive_words = words_[1].reserve(exec, "tesserec::sharding::coming", total(receive));
  visit_runs(send_runs_, [&](const Run& run, Index at, Index word) {
    const float* const numbers = out.data() + out_at + at;
    if (run.finished)
      rounding_.pack(exec, place, numbers, reinterpret_cast<std::uint16_t*>(send_words + word), run.numbers);
    else
      copy(exec, place, numbers, place, reinterpret_cast<float*>(send_words + word), run.numbers);
  });
  exchange<std::uint32_t>(exec, comm, place, send_words, send, receive_words, receive);
  visit_runs(receive_runs_, [&](const Run& run, Index at, Index word) {
    float* const numbers = in.data() + in_at + at;
    if (run.finished)
      rounding_.unpack(exec, place, reinterpret_cast<const std::uint16_t*>(receive_words + word), numbers, run.numbers);
    else
      copy(exec, place, reinterpret_cast<const float*>(receive_words + word), place, numbers, run.numbers);
  });
}

}  // namespace tesserec::sharding
