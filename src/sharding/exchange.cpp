// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <cassert>

#include "relay.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::sharding {

Exchange::Exchange(const ExchangeRanks& ranks, const comm::Communicator* node, const Routes& routes,
                   const ExchangePrecision& precision, std::shared_ptr<BatchBuffers> buffers)
    : ranks_(ranks),
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
  const Index own_rank = ranks_.group.rank();
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
  const int ranks = ranks_.group.size();
  split_ = std::move(split);
  gradients_ = gradients;
  bytes_ = {};
  error_.clear();
  messages_.clear(ranks);
  lookups_.expect(messages_.counts);
  try {
    if (sparse.variable_stride())
      fail("the features of the batch differ in their number of samples; give each feature the same number");
    if (const Index expected = routes_.samples(split_, ranks_.group.rank()); sparse.stride != expected)
      fail("rank ", ranks_.rank(), " has ", counted(sparse.stride, "sample"), " of a batch of ", split_.global_size(),
           ", but its lanes have ", expected, "; deal the source's samples by the model's lanes (train::deal_of)");
    requests_.collect(exec, sparse, split_, messages_, front);
  } catch (const Error& error) {
    error_ = error.what();
    requests_.report_error(messages_.counts);
  }
  messages_.counts.start(ranks_.group);
}

void Exchange::advance() {
  enter(Stage::counts_sent, Stage::ids_sent);
  messages_.counts.pending.wait();
  count(messages_.counts);
  if (const std::string error = ranks_.first_error(lookups_.first_refused(messages_.counts), error_); !error.empty()) {
    stage_ = Stage::none;
    throw Error(error);
  }
  lookups_.count(split_, messages_);
  messages_.ids.start(ranks_.group);
  count(messages_.ids);
  if (!routes_.weighted()) return;
  messages_.weights.start(ranks_.group);
  count(messages_.weights);
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
  messages_.rows.transfer(exec, ranks_.group, requests_.others().sums, 0);
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
  messages_.gradients.transfer(exec, ranks_.group, 0, requests_.others().gradients);
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
  std::swap(pin_error_, other.pin_error_);
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
