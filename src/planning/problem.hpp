// SPDX-License-Identifier: Apache-2.0
/// The planner's problem without tables: each has options, each option loads all ranks alike and puts pieces
/// on some. The largest load of a rank is to be small.
#pragma once

#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mixture.hpp"
#include "row_partitions.hpp"
#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where the pieces of an option may go.
enum class OwnerRule {
  anywhere,  ///< each on a rank of its own
  node,      ///< groups of pieces, each on the ranks of one node, a piece a rank
  fixed      ///< `owners`
};

struct Option {
  ShardingType type = ShardingType::table_wise;
  ComputeKernel kernel = ComputeKernel::fused;
  ExchangeForm form = ExchangeForm::pooled;
  Index row_cuts = 1, column_cuts = 1;
  std::vector<Index> borders;  ///< of uneven pieces of rows: the blocks where they begin, and the end; else empty
  OwnerRule owner_rule = OwnerRule::anywhere;
  Index group = 1;  ///< OwnerRule::node: pieces of a group
  std::vector<int> owners;
  std::vector<Load> pieces;  ///< by columns, then by rows; none for data_parallel
  Load each;                 ///< of every rank

  // Derived.
  double total = 0;        ///< seconds over all ranks
  double total_bytes = 0;  ///< over all ranks
  double biggest = 0;      ///< seconds of the largest piece
  double most_bytes = 0;   ///< of a piece
};

/// A table that may be cut at any row block, and its columns too.
class FreeTable {
 public:
  /// What it costs by each of its kernels; `in_one_piece`: the type of a cut that cuts nothing.
  FreeTable(std::vector<std::pair<ComputeKernel, TableCosts>> costs, Index most_columns, ShardingType in_one_piece);

  /// One kernel and form, and so many pieces of the columns.
  struct Cut {
    std::size_t kernel;  ///< place in costs
    ExchangeForm form;
    Index columns;
    ShardLoad whole;   ///< of a piece with all rows, as wide as the average
    double narrowest;  ///< piece beside the average
    RowPartitions partitions;
  };
  ComputeKernel kernel(const Cut& cut) const { return costs_[cut.kernel].first; }
  const TableCosts& costs(const Cut& cut) const { return costs_[cut.kernel].second; }
  const std::vector<Cut>& cuts() const { return cuts_; }
  Index most_columns() const { return cuts_.back().columns; }
  /// Blocks between the borders that a search tries which may not try all.
  Index step() const { return step_; }
  Range columns(Index piece, Index pieces) const;
  /// Rows cut at `borders`, owned by nobody.
  Option option(const Cut& cut, std::vector<Index> borders, int ranks) const;

 private:
  std::vector<std::pair<ComputeKernel, TableCosts>> costs_;
  ShardingType in_one_piece_;
  std::shared_ptr<const RowShares> rows_;
  std::vector<Cut> cuts_;
  Index step_ = 4;
};

struct Problem {
  int ranks = 1;
  int ranks_per_node = 1;
  double memory = 0;                        ///< bytes of a rank
  double base = 0;                          ///< seconds of every rank
  bool large = false;                       ///< bounded by the best length a block
  std::vector<std::deque<Option>> options;  ///< [table], none empty; the search adds uneven ones
  /// [table] that may be cut at any block between any ranks.
  std::vector<std::optional<FreeTable>> free;
};

struct Choice {
  std::size_t option = 0;
  std::vector<int> owners;  ///< [piece]
};

/// The options of every table within the constraints. Errors name the table: constraints that contradict each
/// other or the machine, a table too large for a rank in every option.
Problem make_problem(std::span<const embedding::EmbeddingBagConfig> tables, const CostModel& model);

/// With more, counts of large pieces are mixed with work.
constexpr std::size_t few_tables = 8;

/// Fills in what follows from pieces and each.
void derive(Option& option, int ranks);

/// The mixture that came the closest to refuting a load, and the seconds that each rank had there beside what tables
/// cost every rank.
struct Prices {
  static constexpr std::size_t places = Mixture::places + 1;

  Mixture mixture;
  double room = 0;
  /// The first place is the room.
  Prices moved(std::size_t place, double step) const {
    constexpr double room_scale = 0.3;
    if (place > 0) return {mixture.moved(place - 1, step), room};
    return {mixture, room * (1 + room_scale * step)};
  }
};

/// No plan has a smaller largest load. `known`: such a bound already; `target`: the best load found, 0 = none
/// yet, and a first bound will do. `prices`: of loads that were not refuted, the bound's last.
double lower_bound(const Problem& problem, double known, double target, std::vector<Prices>* prices = nullptr);

/// A plan this share above the bound is good enough.
constexpr double close_enough = 1e-3;

/// A gap that is not worth the time of a finer bound: predictions err by more.
constexpr double proven_enough = 5e-3;

/// Greedy starts and local search; stops early within `close_enough` of `bound`. May add options.
std::vector<Choice> search(Problem& problem, double bound);

/// Better choices where tables are cut as is the cheapest at prices near the last of these.
void search_by_prices(Problem& problem, double bound, std::span<const Prices> prices, std::vector<Choice>& choices);

/// How tables are cut into the rooms that ranks have left: by least work, of which the load of all ranks
/// counts `each` times, and what a room has left afterwards `waste` times.
struct FillStyle {
  enum class Order { large_first, small_first, dear_first };
  double waste = 0;
  double each = 1;
  Order order = Order::large_first;  ///< dear: to cut, so that what fills gaps is cheap to cut
  bool on_nodes = true;              ///< options of nodes too; else tables for which they are cheapest are cut
  bool rooms = false;                ///< filled by fill_rooms, else by fill_up
};

/// Choices whose ranks are filled up to `most` seconds, tables cut where a rank is full; empty when that is
/// too little. `reserved`: for what tables load every rank with; at first nothing, then as much as there was.
std::vector<Choice> fill_up(Problem& problem, double most, const FillStyle& style, Load& reserved);

/// The same with `room` seconds of each rank beside what tables load every rank with, however much that is.
std::vector<Choice> fill_rooms(Problem& problem, double room, const FillStyle& style);

/// The same with each table cut as is the cheapest at these prices, and pieces in falling order on the fullest rank
/// that holds them. `above`: a piece that none holds goes to the rank with the least load; else its table is cut into
/// the rooms that are left.
std::vector<Choice> fill_by_prices(Problem& problem, const Prices& prices, bool above);

/// Depth first with pruning: the best choices if better than `best`, whose worst load is `worst`. Returns
/// whether it came to an end: then nothing is better than `best`.
bool branch_and_bound(const Problem& problem, std::vector<Choice>& best, double& worst);

/// The largest load, and bytes missing, of choices.
struct Outcome {
  double worst = 0;
  double missing = 0;
};
Outcome outcome(const Problem& problem, const std::vector<Choice>& choices);

/// "1073741824 bytes (1.00 GiB)"
std::string exact_bytes_text(double bytes);

/// Names train.batch_size where most of a rank's bytes are not its own rows and states; else "".
std::string batch_advice(double bytes, double own, Index batch);

}  // namespace tesserec::planning
