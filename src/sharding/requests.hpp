// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "device_vectors.hpp"
#include "message.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/sharding/routes.hpp>
#include <tesserec/sharding/row_fetch.hpp>

namespace tesserec::sharding {

/// The samples' side of one batch: what this rank asks of every shard, and what it makes of the answers.
class Requests {
 public:
  Requests(const Routes& routes, Place place);

  /// Cuts out each owner's ids, counts first. Says what comes back in the message of rows and goes in that of
  /// gradients. The front, and what is this rank's own behind it, begin at `front`. An id outside its table is an Error
  /// that names feature, table, sample and value.
  void collect(const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages, Index front = 0);

  /// In place of that, for a rank with an error: counts of no ids, which begin with 1.
  void refuse(const BatchSplit& split, Message<std::int32_t>& counts) const;

  Front& front() { return front_; }
  /// Where what other ranks sent, or get, begins: behind the front and this rank's own.
  Offsets others() const { return own_end_; }

  /// Sums of bags -> pooled vectors and sequences at the front of rows.out; mean pooling divides here.
  void pool(const Exec& exec, const VectorMessage& rows);

  /// Gradients of these, at the front of gradients.in -> those of bags, in gradients.out, or behind the front for this
  /// rank's own shards.
  void share_gradients(const Exec& exec, const VectorMessage& gradients);

 private:
  /// Bags of a route, and where their sums and gradients lie.
  struct Request {
    std::vector<Index> offsets;  // [samples + 1]
    embedding::Nodes nodes;
    std::vector<Index> places;  // un-pooled: of each id, among those of its sequence
    Offsets at;
    Index length(Index sample) const { return offsets[sample + 1] - offsets[sample]; }
    /// Gradients: of bags with ids, or of ids.
    Index vectors(bool unpooled) const;
  };
  struct Fetch {
    RowFetch rows;
    Offsets at;  // in the messages
  };

  void lay_out(const jagged::KeyedJaggedTensor& sparse);
  void find_places(std::size_t route, const jagged::KeyedJaggedTensor& sparse);
  void cut_out(std::size_t route, const jagged::KeyedJaggedTensor& sparse, Messages& messages, Offsets& at);
  void fetch(std::size_t i, const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages,
             Offsets& at);
  void pool_fetched(const Exec& exec, const VectorMessage& rows);
  void pool_samples(const Routes::Segment& segment, Range samples, const VectorMessage& rows) const;
  void pool_on_host(const Exec& exec, const VectorMessage& rows);
  void pool_on_device(const Exec& exec, const VectorMessage& rows);
  void divide(const Exec& exec, const VectorMessage& rows);
  void divide_on_device(const Exec& exec, const VectorMessage& rows);
  void share_on_host(const Exec& exec, const VectorMessage& gradients);
  void share_on_device(const Exec& exec, const VectorMessage& gradients);
  void pool_fetched_on_device(const Exec& exec, const VectorMessage& rows);
  void sum_fetched_on_host(const Exec& exec, const VectorMessage& gradients);
  void sum_fetched_on_device(const Exec& exec, const VectorMessage& gradients);
  std::vector<Index> fetched_gradients_at(std::size_t fetch) const;
  void place_vectors(const Routes::Segment& segment, Range samples, const VectorMessage& rows) const;
  void gather_vectors(const Routes::Segment& segment, const VectorMessage& gradients) const;
  Index bag_length(const Routes::Segment& segment, Index sample) const;
  const float* sums_of(std::size_t route, const VectorMessage& rows) const;
  float* gradients_of(std::size_t route, const VectorMessage& gradients) const;

  const Routes& routes_;
  Place place_;
  Index samples_ = 0, first_sample_ = 0;
  Front front_;
  std::vector<Request> requests_;  // of each route; a fetched one's places are in the two vectors below
  std::vector<Fetch> fetches_;     // of Routes::fetches
  Offsets own_end_;
  Offsets fetched_end_;
  bool pooled_rounded_ = false;  // sums are rounded before means are divided
  PlacedVector<float> fetched_sums_, fetched_gradients_;
  DeviceVectors device_;
};

}  // namespace tesserec::sharding
