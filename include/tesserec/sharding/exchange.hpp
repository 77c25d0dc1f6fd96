// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/embedding/table.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/sharding/row_fetch.hpp>

namespace tesserec::sharding {

/// A shard of this rank, and what all ranks ask of it in one step.
struct AskedShard {
  std::size_t table = 0;
  Index columns = 0;
  Index first_row = 0;
  bool fetched = false;  ///< ExchangeForm::rows: a bag is one row, asked for once by each rank

  embedding::ShardBags bags;                         ///< [run of samples][feature of the table]
  std::vector<std::vector<embedding::Nodes>> nodes;  ///< the sums returned for each
  std::vector<std::vector<Index>> rows_at;           ///< float offset of each one's sums in the rows
  std::vector<embedding::RowUse> sums;               ///< fetched: the sums of gradients that will come
};

/// Moves ids to the owners of the rows, sums of bags (or rows, as the plan's ExchangeForm says) back to the
/// samples, and gradients to the owners. One message holds everything that a rank has for another. A
/// data-parallel table is asked by its own rank alone.
class Exchange {
 public:
  /// `features` names the keys of the batches.
  Exchange(const comm::Communicator& comm, std::span<const embedding::EmbeddingBagConfig> tables,
           const planning::ShardingPlan& plan, const std::vector<std::string>& features, const Lanes& lanes);

  /// Ids to owners, in three parts between which other work may go on; all ranks in the same order. `sparse` holds this
  /// rank's samples of a global batch of `global_size`. An id outside its table is an Error that names feature, table,
  /// sample and value.
  void start_ids(const jagged::KeyedJaggedTensor& sparse, Index global_size);
  /// The numbers of ids have come, the ids leave.
  void continue_ids();
  /// What is asked of this rank: one entry a shard, in the order of the plan. It lives until the next start.
  const std::vector<AskedShard>& finish_ids();
  /// All three.
  const std::vector<AskedShard>& send_ids(const jagged::KeyedJaggedTensor& sparse, Index global_size);

  /// Where lookups write their sums.
  float* rows(const Exec& exec);

  /// Sums of bags to the samples' ranks, added by the tree of row blocks; mean pooling divides here. The pooled vectors
  /// [B, pooled_width], tables in order, in each its features in order; they stay until the next call of rows().
  const float* return_rows(const Exec& exec);

  /// Where the gradient of the pooled vectors [B, pooled_width] is to be written, after finish_ids().
  float* pooled_gradient(const Exec& exec);

  /// What was written there to the owners; Bags::gradients_at points into the result.
  const float* send_gradients(const Exec& exec);

  Index pooled_width() const { return pooled_width_; }
  /// Bytes that this rank sent to others in the last step.
  Index bytes_sent() const { return bytes_sent_; }

 private:
  /// One feature of one shard.
  struct Slot {
    std::size_t table = 0;
    Range blocks;
    Index key = 0;     // in the batches
    Index column = 0;  // of its first one, in the pooled vector
    Index dim = 0;     // columns
    // Of this rank's own shards: the sums are whole pooled vectors, the gradients are those of the pooled vectors.
    bool sums_in_place = false, gradients_in_place = false;
  };
  /// What this rank asked of a slot: its bags, and where their sums and gradients lie in the messages.
  struct Sent {
    std::vector<Index> offsets;
    embedding::Nodes nodes;
    Index rows_at = 0;
    Index gradients_at = 0;
    Index length(Index sample) const { return offsets[sample + 1] - offsets[sample]; }
    /// Bags with ids: each has a gradient.
    Index vectors() const {
      Index count = 0;
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) count += offsets[s + 1] > offsets[s];
      return count;
    }
  };
  /// Floats from the beginning of the rows and of the gradients.
  struct Place {
    Index rows_at = 0;
    Index gradients_at = 0;
  };
  /// Where the sums of some columns of a pooled vector come from, in row order.
  struct Source {
    static constexpr int fetched = -1;
    int owner = 0;  // or `fetched`: the slot is one of fetched_slots_
    std::size_t slot = 0;
  };
  /// A shard of this owner that is asked for rows.
  struct Fetch {
    RowFetch rows;
    std::size_t table = 0;
    int owner = 0;
    std::size_t first_slot = 0;  // of fetched_, one a feature
    Index rows_at = 0;           // in the messages
    Index gradients_at = 0;
  };
  struct Pooled {
    Index column = 0;
    Index dim = 0;
    bool mean = false;
    std::vector<Source> sources;
  };

  /// Slots of `owner` that rank `sender` fills: the data-parallel ones, at the end, only for itself.
  std::size_t slot_count(int sender, int owner) const;
  void add_source(const Source& source);
  const Slot& slot(const Source& source) const;
  const Sent& sent(const Source& source) const;
  void fill_slot(const jagged::KeyedJaggedTensor& sparse, const Slot& slot, Index first_sample, Sent& sent);
  void ask_for(Fetch& fetch);
  void ask();
  void ask_rows(AskedShard& shard, const Index* ids, Index rows, Index sums, Index gradients_at);
  void pool_fetched(const Exec& exec);
  void pool_samples(const Pooled& pooled, Range samples, float* out) const;
  /// Where what does not lie in the pooled vectors begins.
  Place after_pooled() const { return {samples_ * pooled_width_, samples_ * pooled_width_}; }
  Index bag_length(const Pooled& pooled, Index sample) const;
  const float* sums_of(const Source& source) const;
  float* gradients_of(const Source& source);
  void count_bytes(std::span<const Index> counts, Index element);

  const comm::Communicator& comm_;
  std::vector<embedding::EmbeddingBagConfig> tables_;
  Lanes lanes_;
  std::vector<std::vector<Slot>> slots_;  // [owner]
  std::size_t own_data_parallel_ = 0;     // slots at the end of this rank's
  Index own_fetched_ = 0;                 // shards of this rank
  std::vector<Fetch> fetches_;            // by owner
  std::vector<Slot> fetched_slots_;
  std::vector<Pooled> pooled_;
  Index pooled_width_ = 0;
  bool weighted_ = false;

  // The step at hand.
  Index samples_ = 0;
  Index global_size_ = 0;
  enum class Ids { none, numbers_sent, sent } ids_ = Ids::none;
  std::vector<std::vector<Sent>> sent_;  // [owner][slot]
  std::vector<Sent> fetched_;            // their places are in fetched_sums_ and fetched_gradients_
  std::vector<AskedShard> asked_;
  std::vector<Index> lengths_to_, lengths_from_, ids_to_, ids_from_, weights_to_, weights_from_;  // [rank]
  std::vector<std::int32_t> lengths_out_, lengths_in_;
  std::vector<Index> ids_out_, ids_in_, offsets_in_;
  std::vector<float> weights_out_, weights_in_;
  // Floats to and from each other rank. rows_out_ begins with the pooled vectors, then come sums of this rank's own
  // bags that cannot be written there, then what goes to others; gradients_in_ likewise. own_ is where others begin.
  std::vector<Index> rows_asked_, rows_sent_, gradients_asked_, gradients_sent_;
  Place own_;
  Vector<float> rows_out_, rows_in_, gradients_out_, gradients_in_;
  Vector<float> fetched_sums_, fetched_gradients_;
  Index fetched_sums_size_ = 0, fetched_gradients_size_ = 0;
  Index bytes_sent_ = 0;
  comm::Pending numbers_, id_messages_, weight_messages_;  // last: given up before their buffers go
};

}  // namespace tesserec::sharding
