// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <cassert>

#include "relay.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::sharding {

Exchange::Exchange(const comm::Communicator& comm, const comm::Communicator* node, const Routes& routes,
                   const ExchangePrecision& precision, std::shared_ptr<BatchBuffers> buffers,
                   const comm::Communicator* copies)
    : comm_(comm),
      copies_(copies),
      routes_(routes),
      requests_(routes),
      answers_(buffers->sums.place() == Place::device ? answers_on_device(routes, requests_)
                                                      : answers_on_host(routes, requests_)),
      lookups_(routes),
      messages_(std::move(buffers), {precision.forward, 1.0f}, {precision.backward, precision.gradient_scale}),
      relay_(routes.relays().routes ? std::make_unique<Relay>(*node, routes, precision, messages_.buffers) : nullptr) {}

Exchange::~Exchange() = default;

void Exchange::enter([[maybe_unused]] Stage from, Stage to) {
  assert(stage_ == from);
  stage_ = to;
}

template <class Sent>
void Exchange::count(const Sent& sent) {
  const Index own_rank = comm_.rank();
  bytes_.all += sent.bytes({own_rank, own_rank + 1});
  bytes_.between_nodes += sent.bytes(routes_.node());
}

BytesSent Exchange::bytes() const {
  BytesSent sum = bytes_;
  if (relay_) sum.all += relay_->inside().bytes_.all;
  return sum;
}

Offsets Exchange::ends() const {
  return {requests_.others().sums + total(messages_.rows.to),
          requests_.others().gradients + total(messages_.gradients.from)};
}

void Exchange::start(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, BatchSplit split, bool gradients,
                     Index front) {
  enter(Stage::none, Stage::counts_sent);
  const int ranks = comm_.size();
  split_ = std::move(split);
  gradients_ = gradients;
  bytes_ = {};
  error_.clear();
  messages_.clear(ranks);
  lookups_.expect(messages_.counts);
  try {
    if (sparse.variable_stride())
      fail("the features of the batch differ in their number of samples; give each feature the same number");
    if (const Index expected = routes_.samples(split_, comm_.rank()); sparse.stride != expected)
      fail("rank ", (copies_ ? copies_->rank() * ranks : 0) + comm_.rank(), " has ", counted(sparse.stride, "sample"),
           " of a batch of ", split_.global_size(), ", but its lanes have ", expected,
           "; deal the source's samples by the model's lanes (train::deal_of)");
    requests_.collect(exec, sparse, split_, messages_, front);
  } catch (const Error& error) {
    error_ = error.what();
    requests_.report_error(messages_.counts);
  }
  messages_.counts.start(comm_);
}

void Exchange::advance() {
  enter(Stage::counts_sent, Stage::ids_sent);
  messages_.counts.pending.wait();
  count(messages_.counts);
  check_counts();
  lookups_.count(split_, messages_);
  messages_.ids.start(comm_);
  count(messages_.ids);
  if (!routes_.weighted()) return;
  messages_.weights.start(comm_);
  count(messages_.weights);
}

/// Throws the error of the first rank whose counts report one. Every group learns the rank from its counts, and the
/// other groups from the ranks with the same place.
void Exchange::check_counts() {
  const int refused = lookups_.first_refused(messages_.counts);
  const std::vector<int> of_groups = copies_ ? copies_->all_gather(refused) : std::vector<int>{refused};
  const auto first = std::ranges::find_if(of_groups, [](int rank) { return rank >= 0; });
  if (first == of_groups.end()) return;
  stage_ = Stage::none;
  const int group = int(first - of_groups.begin());
  std::string error;
  if (!copies_ || copies_->rank() == group) error = comm_.broadcast(error_, *first);
  throw Error(copies_ ? copies_->broadcast(error, group) : error);
}

void Exchange::receive(const Exec& exec) {
  if (stage_ == Stage::counts_sent) advance();
  enter(Stage::ids_sent, Stage::ids_received);
  messages_.ids.pending.wait();
  messages_.weights.pending.wait();
  lookups_.read(exec, split_, requests_.front(), requests_.others(), messages_);
  if (relay_) {
    relay_->request(exec, lookups_.relays(), split_, std::max(ends().sums, ends().gradients));
    lookups_.take_relayed(relay_->inside().lookups_);
  }
}

float* Exchange::sums(const Exec& exec) {
  assert(stage_ == Stage::ids_received);
  return messages_.buffers->sums.reserve(exec, "tesserec::sharding::sums",
                                         (relay_ ? relay_->inside() : *this).ends().sums);
}

float* Exchange::return_sums(const Exec& exec) {
  enter(Stage::ids_received, Stage::pooled);
  if (relay_) relay_->return_sums(exec);
  messages_.rows.in.reserve(exec, "tesserec::sharding::rows_in", total(messages_.rows.from));
  messages_.rows.transfer(exec, comm_, requests_.others().sums, 0);
  count(messages_.rows);
  answers_->pool(exec, messages_.rows);
  return messages_.buffers->sums.data();
}

float* Exchange::gradient(const Exec& exec) {
  enter(Stage::pooled, Stage::gradient_buffer_returned);
  if (relay_) relay_->inside().enter(Stage::pooled, Stage::gradient_buffer_returned);
  return messages_.buffers->gradients.reserve(exec, "tesserec::sharding::gradients",
                                              (relay_ ? relay_->inside() : *this).ends().gradients);
}

const float* Exchange::send_gradients(const Exec& exec) {
  if (stage_ == Stage::gradients_received) return messages_.buffers->gradients.data();
  enter(Stage::gradient_buffer_returned, Stage::gradients_received);
  messages_.gradients.out.reserve(exec, "tesserec::sharding::gradients_out", total(messages_.gradients.to));
  answers_->share_gradients(exec, messages_.gradients);
  messages_.gradients.transfer(exec, comm_, 0, requests_.others().gradients);
  count(messages_.gradients);
  if (relay_) relay_->send_gradients(exec);
  return messages_.buffers->gradients.data();
}

void Exchange::finish(bool wait) {
  if (relay_) relay_->inside().finish(wait);
  for (comm::Pending* message : {&messages_.counts.pending, &messages_.ids.pending, &messages_.weights.pending}) {
    if (wait) message->wait();
    *message = {};
  }
  for (embedding::ShardLookups& shard : lookups()) shard.pinned = {};
  stage_ = Stage::none;
}

InFlight::InFlight() = default;
InFlight::InFlight(InFlight&& other) noexcept = default;
InFlight::InFlight(std::unique_ptr<Exchange> exchange, std::shared_ptr<SpareExchanges> spare)
    : exchange_(std::move(exchange)), spare_(std::move(spare)) {}

InFlight::~InFlight() {
  if (exchange_ == nullptr) return;
  exchange_->finish(false);
  spare_->put_back(std::move(exchange_));
}

InFlight& InFlight::operator=(InFlight&& other) noexcept {
  std::swap(exchange_, other.exchange_);
  std::swap(spare_, other.spare_);
  return *this;
}

Index InFlight::samples() const { return exchange_->samples().size(); }
Index InFlight::global_size() const { return exchange_->split().global_size(); }
BytesSent InFlight::bytes() const { return exchange_->bytes(); }
const std::vector<embedding::ShardLookups>& InFlight::lookups() const { return exchange_->lookups(); }

void InFlight::finish() {
  if (exchange_ != nullptr) exchange_->finish(true);
  *this = {};
}

}  // namespace tesserec::sharding
