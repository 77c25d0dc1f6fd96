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

/// Samples' side of one batch: the ids that this rank asks of every shard, and the offsets of the answers.
class Requests {
 public:
  /// Bags of a route, with the offsets of their sums and gradients.
  struct Request {
    OwnerBags bags;
    embedding::Nodes nodes;
    Offsets at;
    /// Returns the number of gradients: one per bag, or per id if un-pooled.
    Index vectors(bool unpooled) const { return unpooled ? bags.ids() : bags.count(); }
  };
  /// Bag of one route, with some ids of a sample's bag.
  struct BagPiece {
    std::int32_t route;
    std::int32_t bag;  ///< index among the route's bags
  };
  /// Bags that make up each sample's bag, in row order.
  struct BagPieces {
    std::vector<Index> begins, ends;  // [samples]
    std::vector<BagPiece> pieces;     // a sample has room for the most that it may have
    std::span<const BagPiece> of(Index sample) const {
      return {pieces.data() + begins[sample], std::size_t(ends[sample] - begins[sample])};
    }
  };
  struct Fetch {
    RowFetch rows;
    Offsets at;  // offsets in the messages
  };

  explicit Requests(const Routes& routes);

  /// Bucketizes the ids by owner, writes the counts and ids, and sets the sizes of the messages of rows and of
  /// gradients. Vectors begin at float offset `front`. Throws Error, naming feature, table, sample and value, if an id
  /// is outside its table.
  void collect(const Exec& exec, const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, Messages& messages,
               Index front = 0);

  /// Writes counts that report an error of this rank: an error flag of 1, and no ids.
  void report_error(Message<std::int32_t>& counts) const;

  Front& front() { return front_; }
  const Front& front() const { return front_; }
  /// Returns the offsets of other ranks' vectors, which follow the front and this rank's own.
  Offsets others() const { return own_end_; }
  Index samples() const { return samples_; }
  /// Returns one request per route. Sums and gradients of fetched routes lie in separate buffers, which end at
  /// fetched_end().
  const std::vector<Request>& all() const { return requests_; }
  /// Returns one fetch for each of Routes::fetches.
  const std::vector<Fetch>& fetches() const { return fetches_; }
  Offsets fetched_end() const { return fetched_end_; }
  /// Returns the bags of a segment that is pooled from the sums of routes.
  const BagPieces& pieces(std::size_t segment) const { return pieces_[segment]; }
  /// Returns the offsets [samples + 1] of whole bags, over all owners, for a segment of means.
  const Index* mean_offsets(std::size_t segment) const { return mean_offsets_[segment].data(); }
  Index bag_length(std::size_t segment, Index sample) const {
    return mean_offsets_[segment][sample + 1] - mean_offsets_[segment][sample];
  }

 private:
  void lay_out(const jagged::KeyedJaggedTensor& sparse);
  void bucketize(const Exec& exec, const jagged::KeyedJaggedTensor& sparse);
  void bucketize_segment(std::size_t segment, const jagged::KeyedJaggedTensor& sparse);
  void find_pieces(std::size_t segment, const jagged::KeyedJaggedTensor& sparse);
  void write_bags(Index first_route, Messages& messages) const;
  void write_fetch(std::size_t fetch, Messages& messages, Offsets& at);

  const Routes& routes_;
  Index samples_ = 0, first_sample_ = 0;
  Front front_;
  std::vector<OwnerBuckets> buckets_;             // [segments]
  std::vector<BagPieces> pieces_;                 // [segments]
  std::vector<std::vector<Index>> mean_offsets_;  // [segments][samples + 1], for segments of means
  std::vector<Request> requests_;
  std::vector<Fetch> fetches_;
  Offsets own_end_;
  Offsets fetched_end_;
};

}  // namespace tesserec::sharding
