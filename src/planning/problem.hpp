// SPDX-License-Identifier: Apache-2.0
/// The planner's problem: options load all ranks alike and put pieces on some; minimizes the largest load.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "row_partitions.hpp"
#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns 0 .. count - 1 in rising order of key(i); equal keys keep their order.
template <class Key>
std::vector<std::size_t> ordered_by(std::size_t count, const Key& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key);
  return order;
}

/// Rule for the owners of an option's pieces.
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
  std::vector<Index> borders = {};  ///< of uneven pieces of rows: the blocks where they begin, and the end; else empty
  OwnerRule owner_rule = OwnerRule::anywhere;
  Index group = 1;  ///< OwnerRule::node: pieces of a group
  std::vector<int> owners = {};
  std::vector<Load> pieces = {};  ///< by columns, then by rows; none for data_parallel
  Load each = {};                 ///< of every rank

  // Derived.
  double total = 0;        ///< seconds over all ranks
  double total_bytes = 0;  ///< over all ranks
  double biggest = 0;      ///< seconds of the largest piece
  double most_bytes = 0;   ///< of a piece
};

/// A table that may be cut at any row block, and its columns too.
class FreeTable {
 public:
  /// `costs`: by each of its kernels. `min_rows`: of a piece of cut rows. `in_one_piece`: type of the uncut table.
  FreeTable(std::vector<std::pair<ComputeKernel, TableCosts>> costs, Index most_columns, Index min_rows,
            ShardingType in_one_piece);

  /// One kernel and form, and so many pieces of the columns.
  struct Cut {
    std::size_t kernel;  ///< place in costs
    ExchangeForm form;
    Index columns;
    ShardLoad whole;  ///< of a piece with all rows, as wide as the average
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
  bool large = false;                       ///< searched at every fourth block, by few styles
  std::vector<std::deque<Option>> options;  ///< [table], none empty; the search adds uneven ones
  /// [table] that may be cut at any block between any ranks.
  std::vector<std::optional<FreeTable>> free;
};

struct Choice {
  std::size_t option = 0;
  std::vector<int> owners;  ///< [piece]
};

struct OptionShape {
  Index min_rows = 1;  ///< of a shard, where the deck lets the planner leave the table whole
  bool few = true;     ///< of tables and ranks: all numbers of pieces are tried
};

struct TableOptions {
  std::vector<Option> options;
  std::string advice;      ///< for a table of which no option fits
  Index free_columns = 1;  ///< most pieces of columns whose rows are cut too
};

/// Makes the options of a table by one kernel. Errors name the table and the contradiction.
TableOptions table_options(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& demand,
                           ComputeKernel kernel, const CostModel& model, const OptionShape& shape);

/// Makes the options of every table within the constraints: shards of at least `min_rows` rows where a table may stay
/// whole and fits so. Errors name the table: contradictory constraints, a table too large for a rank in every option.
Problem make_problem(std::span<const embedding::EmbeddingBagConfig> tables, const CostModel& model, Index min_rows);

/// Derives totals and maxima from pieces and each.
void derive(Option& option, int ranks);

/// Returns a bound: no plan has a smaller largest load.
double lower_bound(const Problem& problem);

/// A plan this share above the bound is good enough.
constexpr double close_enough = 1e-3;

/// Greedy starts and local search; stops early within `close_enough` of `bound`. May add options.
std::vector<Choice> search(Problem& problem, double bound);

/// Rule for cutting tables into the rooms that ranks have left. The cut with the least work is taken, in which the load
/// of every rank counts `each` times, and the idle rest of a room `waste` times.
struct FillStyle {
  enum class Order {
    large_first,
    small_first,
    dear_first,  ///< tables that are dear to cut, so that tables that are cheap to cut fill the gaps
    pieces       ///< tables are cut before any is placed, then the pieces of all tables are placed, large ones first
  };
  double waste = 0;
  double each = 1;
  Order order = Order::large_first;
  bool on_nodes = true;  ///< options of nodes too; else tables for which they are cheapest are cut
  bool rooms = false;    ///< filled by fill_rooms, else by fill_up
};

/// Fills the ranks up to `most` seconds, and cuts tables where a rank is full. Returns no choices if `most` is too
/// little. `reserved`: for what tables load every rank with; at first nothing, then as much as there was.
std::vector<Choice> fill_up(Problem& problem, double most, const FillStyle& style, Load& reserved);

/// Fills `room` seconds of each rank, beside the load that tables put on every rank.
std::vector<Choice> fill_rooms(Problem& problem, double room, const FillStyle& style);

/// Depth first with pruning: the best choices if better than `best`, whose worst load is `worst`. Returns
/// whether it came to an end: then nothing is better than `best`.
bool branch_and_bound(const Problem& problem, std::vector<Choice>& best, double& worst);

/// Order of choices, the best first: by missing bytes, then the worst load, then how many ranks have it.
struct Standing {
  double missing = 0;
  double worst = 0;
  int ranks = 0;
  bool operator<(const Standing& other) const;
};
/// Returns the missing bytes and the worst load of choices; it counts no ranks.
Standing standing_of(const Problem& problem, const std::vector<Choice>& choices);

/// Returns why the planner gave each table its type. `seconds`: of the slowest rank.
std::vector<std::string> reasons(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan,
                                 const CostModel& model, double seconds);

/// "1073741824 bytes (1.00 GiB)"
std::string exact_bytes_text(double bytes);

/// Names train.batch_size where most of a rank's bytes are not its own rows and states; else "".
std::string batch_advice(double bytes, double own, Index batch);

}  // namespace tesserec::planning
