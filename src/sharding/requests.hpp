// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "message.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/sharding/routes.hpp>
#include <tesserec/sharding/row_fetch.hpp>

namespace tesserec::sharding {

/// The samples' side of one batch: the ids that this rank asks of every shard, and where the answers will lie.
class Requests {
 public:
  /// The bags of a route, and where their sums and gradients lie.
  struct Request {
    std::vector<Index> offsets;  // [samples + 1]
    embedding::Nodes nodes;
    std::vector<Index> places;  // un-pooled: of each id, among those of its sequence
    Offsets at;
    Index length(Index sample) const { return offsets[sample + 1] - offsets[sample]; }
    /// Returns the number of gradients: of bags with ids, or of ids.
    Index vectors(bool unpooled) const;
  };
  struct Fetch {
    RowFetch rows;
    Offsets at;  // in the messages
  };

  explicit Requests(const Routes& routes);

  /// Cuts out each owner's ids, counts first. Says what comes back in the message of rows and goes in that of
  /// gradients. The front, and what is this rank's own behind it, begin at `front`. An id outside its table is an Error
  /// that names feature, table, sample and value.
  void collect(const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages, Index front = 0);

  /// In place of that, for a rank with an error: counts of no ids, which begin with 1.
  void refuse(const BatchSplit& split, Message<std::int32_t>& counts) const;

  Front& front() { return front_; }
  const Front& front() const { return front_; }
  /// Where what other ranks sent, or get, begins: behind the front and this rank's own.
  Offsets others() const { return own_end_; }
  Index samples() const { return samples_; }
  /// One a route; sums and gradients of a fetched route lie in buffers of their own, which end at fetched_end().
  const std::vector<Request>& all() const { return requests_; }
  /// One for each of Routes::fetches.
  const std::vector<Fetch>& fetches() const { return fetches_; }
  Offsets fetched_end() const { return fetched_end_; }
  /// Returns the number of ids in a sample's bag, over all owners.
  Index bag_length(const VectorLayout::Segment& segment, Index sample) const;

 private:
  void lay_out(const jagged::KeyedJaggedTensor& sparse);
  void find_places(std::size_t route, const jagged::KeyedJaggedTensor& sparse);
  void cut_out(std::size_t route, const jagged::KeyedJaggedTensor& sparse, Messages& messages, Offsets& at);
  void fetch(std::size_t i, const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages,
             Offsets& at);

  const Routes& routes_;
  Index samples_ = 0, first_sample_ = 0;
  Front front_;
  std::vector<Request> requests_;
  std::vector<Fetch> fetches_;
  Offsets own_end_;
  Offsets fetched_end_;
};

}  // namespace tesserec::sharding
