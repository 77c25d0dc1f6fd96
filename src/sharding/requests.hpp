// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "message.hpp"
#include "owner_buckets.hpp"
#include "row_fetch.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// The samples' side of one batch: the ids that this rank asks of every shard, and where the answers will lie.
class Requests {
 public:
  /// The bags of a route, and where their sums and gradients lie.
  struct Request {
    OwnerBags bags;
    embedding::Nodes nodes;
    Offsets at;
    /// Returns the number of gradients: of bags, or of ids.
    Index vectors(bool unpooled) const { return unpooled ? bags.ids() : bags.count(); }
  };
  /// A part of a sample's bag.
  struct BagPart {
    std::int32_t route;
    std::int32_t bag;  ///< of the route's
  };
  /// The parts of each sample's bag, in row order.
  struct BagParts {
    std::vector<Index> offsets;  // [samples + 1]
    std::vector<BagPart> parts;
    std::span<const BagPart> of(Index sample) const {
      return {parts.data() + offsets[sample], std::size_t(offsets[sample + 1] - offsets[sample])};
    }
  };
  struct Fetch {
    RowFetch rows;
    Offsets at;  // in the messages
  };

  explicit Requests(const Routes& routes);

  /// Cuts out each owner's ids, counts first, and sets what rows and gradients will travel. The front, then this rank's
  /// own, begin at `front`. An id outside its table is an Error that names feature, table, sample and value.
  void collect(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages,
               Index front = 0);

  /// Writes the counts of a rank with an error instead: no ids, first number 1.
  void refuse(Message<std::int32_t>& counts) const;

  Front& front() { return front_; }
  const Front& front() const { return front_; }
  /// Returns where vectors of other ranks begin: behind the front and this rank's own.
  Offsets others() const { return own_end_; }
  Index samples() const { return samples_; }
  /// One a route; sums and gradients of a fetched route lie in buffers of their own, which end at fetched_end().
  const std::vector<Request>& all() const { return requests_; }
  /// One for each of Routes::fetches.
  const std::vector<Fetch>& fetches() const { return fetches_; }
  Offsets fetched_end() const { return fetched_end_; }
  /// Returns the parts of the bags of a segment that is pooled from what routes return.
  const BagParts& parts(std::size_t segment) const { return parts_[segment]; }
  /// [samples + 1] of a segment that is a mean: the ids of bags, over all owners.
  const Index* mean_offsets(std::size_t segment) const { return mean_offsets_[segment].data(); }
  Index bag_length(std::size_t segment, Index sample) const {
    return mean_offsets_[segment][sample + 1] - mean_offsets_[segment][sample];
  }

 private:
  void lay_out(const jagged::KeyedJaggedTensor& sparse);
  void cut(const Exec& exec, const jagged::KeyedJaggedTensor& sparse);
  void cut_segment(std::size_t segment, const jagged::KeyedJaggedTensor& sparse);
  void find_parts(std::size_t segment);
  void write_bags(Index first_route, Messages& messages) const;
  void write_fetch(std::size_t fetch, Messages& messages, Offsets& at);

  const Routes& routes_;
  Index samples_ = 0, first_sample_ = 0;
  Front front_;
  std::vector<OwnerBuckets> buckets_;             // [segments]
  std::vector<BagParts> parts_;                   // [segments]
  std::vector<std::vector<Index>> mean_offsets_;  // [segments][samples + 1] of means
  std::vector<Request> requests_;
  std::vector<Fetch> fetches_;
  Offsets own_end_;
  Offsets fetched_end_;
};

}  // namespace tesserec::sharding
