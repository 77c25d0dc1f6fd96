// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <algorithm>
#include <cassert>

#include "relay.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::sharding {

Exchange::Exchange(const comm::Communicator& comm, const comm::Communicator* node, const Routes& routes, Place place,
                   const ExchangePrecision& precision)
    : comm_(comm),
      routes_(routes),
      requests_(routes, place),
      asked_(routes),
      rows_(place, {precision.forward, 1.0f}),
      gradients_(place, {precision.backward, precision.gradient_scale}),
      relay_(routes.inside() ? std::make_unique<Relay>(*node, routes, place, precision) : nullptr) {}

Exchange::~Exchange() = default;

void Exchange::go([[maybe_unused]] Stage from, Stage to) {
  assert(stage_ == from);
  stage_ = to;
}

template <class Sent>
void Exchange::count(const Sent& sent) {
  const Index me = comm_.rank();
  bytes_.sent += sent.bytes({me, me + 1});
  bytes_.between_nodes += sent.bytes(routes_.node());
}

Exchange::Bytes Exchange::bytes() const {
  Bytes all = bytes_;
  if (relay_) all.sent += relay_->inside().bytes_.sent;
  return all;
}

void Exchange::wait(comm::Pending& message) {
  const Timer timer;
  message.wait();
  waited_ += timer.seconds();
}

double Exchange::waited() const { return waited_ + (relay_ ? relay_->inside().waited_ : 0.0); }

Offsets Exchange::ends() const {
  return {requests_.others().sums + total(rows_.to), requests_.others().gradients + total(gradients_.from)};
}

void Exchange::start(const jagged::KeyedJaggedTensor& sparse, BatchSplit split, Index front) {
  go(Stage::none, Stage::counts_sent);
  const int ranks = comm_.size();
  split_ = std::move(split);
  bytes_ = {};
  waited_ = 0;
  arrived_ = false;
  error_.clear();
  counts_.clear(ranks);
  ids_.clear(ranks);
  weights_.clear(ranks);
  rows_.clear(ranks);
  gradients_.clear(ranks);
  asked_.expect(split_, counts_);
  try {
    if (sparse.variable_stride())
      fail("the ids have a number of samples for each key; sharded tables need one for all keys");
    if (const Index dealt = routes_.samples(split_, comm_.rank()); sparse.stride != dealt)
      fail("rank ", comm_.rank(), " brings ", counted(sparse.stride, "sample"), " of a batch of ", split_.global_size(),
           ", and its lanes have ", dealt, " of them; deal a source's samples by the model's lanes (train::deal_of)");
    requests_.collect(sparse, split_, counts_, ids_, weights_, rows_, gradients_, front);
  } catch (const Error& error) {
    error_ = error.what();
    requests_.refuse(split_, counts_);
  }
  counts_.start(comm_);
}

void Exchange::advance() {
  go(Stage::counts_sent, Stage::ids_sent);
  wait(counts_.under_way);
  count(counts_);
  if (const int rank = asked_.first_refused(counts_); rank >= 0) {
    stage_ = Stage::none;
    throw Error(comm_.broadcast(error_, rank));
  }
  asked_.count(counts_, ids_, weights_);
  ids_.start(comm_);
  count(ids_);
  if (!routes_.weighted()) return;
  weights_.start(comm_);
  count(weights_);
}

void Exchange::arrive() {
  advance();
  wait(ids_.under_way);
  wait(weights_.under_way);
  arrived_ = true;
}

const std::vector<embedding::AskedShard>& Exchange::receive(const Exec& exec) {
  if (stage_ == Stage::counts_sent) advance();
  go(Stage::ids_sent, Stage::ids_here);
  wait(ids_.under_way);
  wait(weights_.under_way);
  asked_.read(split_, counts_, ids_, weights_, requests_.front(), requests_.others(), rows_, gradients_);
  if (relay_) {
    relay_->ask(exec, asked_.relays(), split_, std::max(ends().sums, ends().gradients));
    asked_.take_relayed(relay_->inside().asked_);
  }
  return asked_.shards();
}

float* Exchange::sums(const Exec& exec) {
  assert(stage_ == Stage::ids_here);
  float* const sums =
      rows_.out.reserve(exec, "tesserec::sharding::rows_out", (relay_ ? relay_->inside() : *this).ends().sums);
  if (relay_) relay_->inside().rows_.out = rows_.out;
  return sums;
}

const float* Exchange::return_sums(const Exec& exec) {
  go(Stage::ids_here, Stage::pooled);
  if (relay_) relay_->return_sums(exec, rows_);
  rows_.in.reserve(exec, "tesserec::sharding::rows_in", total(rows_.from));
  rows_.travel(exec, comm_, requests_.others().sums, 0);
  count(rows_);
  requests_.pool(exec, rows_);
  return rows_.out.data();
}

float* Exchange::gradient(const Exec& exec) {
  go(Stage::pooled, Stage::gradient_asked);
  float* const gradients = gradients_.in.reserve(exec, "tesserec::sharding::gradients_in",
                                                 (relay_ ? relay_->inside() : *this).ends().gradients);
  if (relay_) {
    relay_->inside().go(Stage::pooled, Stage::gradient_asked);
    relay_->inside().gradients_.in = gradients_.in;
  }
  return gradients;
}

const float* Exchange::send_gradients(const Exec& exec) {
  if (stage_ == Stage::gradients_here) return gradients_.in.data();
  go(Stage::gradient_asked, Stage::gradients_here);
  gradients_.out.reserve(exec, "tesserec::sharding::gradients_out", total(gradients_.to));
  requests_.share_gradients(exec, gradients_);
  gradients_.travel(exec, comm_, 0, requests_.others().gradients);
  count(gradients_);
  if (relay_) relay_->send_gradients(exec, gradients_);
  return gradients_.in.data();
}

void Exchange::cancel() {
  if (relay_) relay_->inside().cancel();
  counts_.under_way = {};
  ids_.under_way = {};
  weights_.under_way = {};
  stage_ = Stage::none;
}

void Exchange::finish() {
  counts_.under_way.wait();
  ids_.under_way.wait();
  weights_.under_way.wait();
  stage_ = Stage::none;
}

}  // namespace tesserec::sharding
