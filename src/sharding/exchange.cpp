// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <cassert>

#include <tesserec/core/error.hpp>

namespace tesserec::sharding {

Exchange::Exchange(const comm::Communicator& comm, const Routes& routes, Place place)
    : comm_(comm), routes_(routes), requests_(routes, place), asked_(routes), rows_(place), gradients_(place) {}

void Exchange::go([[maybe_unused]] Stage from, Stage to) {
  assert(stage_ == from);
  stage_ = to;
}

void Exchange::start(const jagged::KeyedJaggedTensor& sparse, BatchSplit split) {
  go(Stage::none, Stage::counts_sent);
  const int ranks = comm_.size();
  split_ = std::move(split);
  bytes_sent_ = 0;
  error_.clear();
  counts_.clear(ranks), ids_.clear(ranks), weights_.clear(ranks), rows_.clear(ranks), gradients_.clear(ranks);
  asked_.expect(split_, counts_);
  try {
    if (sparse.variable_stride())
      fail("the ids have a number of samples for each key; sharded tables need one for all keys");
    assert(sparse.stride == samples().size());
    requests_.collect(sparse, split_, counts_, ids_, weights_, rows_, gradients_);
  } catch (const Error& error) {
    error_ = error.what();
    requests_.refuse(split_, counts_);
  }
  counts_.start(comm_);
}

void Exchange::advance() {
  go(Stage::counts_sent, Stage::ids_sent);
  counts_.under_way.wait();
  bytes_sent_ += counts_.bytes(comm_.rank());
  if (const int rank = asked_.first_refused(counts_); rank >= 0) {
    stage_ = Stage::none;
    throw Error(comm_.broadcast(error_, rank));
  }
  asked_.count(counts_, ids_, weights_);
  ids_.start(comm_);
  bytes_sent_ += ids_.bytes(comm_.rank());
  if (!routes_.weighted()) return;
  weights_.start(comm_);
  bytes_sent_ += weights_.bytes(comm_.rank());
}

const std::vector<embedding::AskedShard>& Exchange::receive() {
  if (stage_ == Stage::counts_sent) advance();
  go(Stage::ids_sent, Stage::ids_here);
  ids_.under_way.wait();
  weights_.under_way.wait();
  asked_.read(split_, counts_, ids_, weights_, requests_.front(), requests_.others(), rows_, gradients_);
  return asked_.shards();
}

float* Exchange::sums(const Exec& exec) {
  assert(stage_ == Stage::ids_here);
  return rows_.out.reserve(exec, "tesserec::sharding::rows_out", requests_.others().sums + total(rows_.to));
}

const float* Exchange::return_sums(const Exec& exec) {
  go(Stage::ids_here, Stage::pooled);
  rows_.in.reserve(exec, "tesserec::sharding::rows_in", total(rows_.from));
  rows_.travel(exec, comm_, requests_.others().sums, 0);
  bytes_sent_ += rows_.bytes(comm_.rank());
  requests_.pool(exec, rows_);
  return rows_.out.data();
}

float* Exchange::gradient(const Exec& exec) {
  go(Stage::pooled, Stage::gradient_asked);
  return gradients_.in.reserve(exec, "tesserec::sharding::gradients_in",
                               requests_.others().gradients + total(gradients_.from));
}

const float* Exchange::send_gradients(const Exec& exec) {
  if (stage_ == Stage::gradients_here) return gradients_.in.data();
  go(Stage::gradient_asked, Stage::gradients_here);
  gradients_.out.reserve(exec, "tesserec::sharding::gradients_out", total(gradients_.to));
  requests_.share_gradients(exec, gradients_);
  gradients_.travel(exec, comm_, 0, requests_.others().gradients);
  bytes_sent_ += gradients_.bytes(comm_.rank());
  return gradients_.in.data();
}

void Exchange::cancel() {
  counts_.under_way = {}, ids_.under_way = {}, weights_.under_way = {};
  stage_ = Stage::none;
}

void Exchange::finish() {
  counts_.under_way.wait(), ids_.under_way.wait(), weights_.under_way.wait();
  stage_ = Stage::none;
}

}  // namespace tesserec::sharding
