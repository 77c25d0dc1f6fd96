// SPDX-License-Identifier: Apache-2.0
/// Problem of the planner. An option loads all ranks alike and puts pieces on some of them. The largest load is to be
/// minimized.
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

/// Returns 0 .. count - 1, sorted by key(i) with a stable sort.
template <class Key>
std::vector<std::size_t> ordered_by(std::size_t count, const Key& key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key);
  return order;
}

/// Rule for the owners of an option's pieces.
enum class OwnerRule {
  anywhere,  ///< each piece on a different rank
  node,      ///< groups of pieces, each group on one node, with one piece per rank
  fixed      ///< ranks of Option::owners
};

struct Option {
  ShardingType type = ShardingType::table_wise;
  ComputeKernel kernel = ComputeKernel::fused;
  ExchangeForm form = ExchangeForm::pooled;
  Index row_cuts = 1, column_cuts = 1;
  std::vector<Index> borders = {};  ///< if row pieces are uneven: their first blocks, then block_count; else empty
  OwnerRule owner_rule = OwnerRule::anywhere;
  Index group = 1;  ///< pieces of a group under OwnerRule::node
  std::vector<int> owners = {};
  std::vector<Load> pieces = {};  ///< by columns, then by rows; empty for data_parallel
  Load common = {};               ///< load of every rank

  // Values that derive() computes:
  double total = 0;        ///< seconds over all ranks
  double total_bytes = 0;  ///< bytes over all ranks
  double max_seconds = 0;  ///< seconds of the largest piece
  double max_bytes = 0;    ///< bytes of the largest piece
};

/// Table whose rows may be cut at any row block, and whose columns may be cut, too.
class FreeTable {
 public:
  /// Takes the costs by each allowed kernel, the least rows of a piece of cut rows, and the type of the uncut table.
  FreeTable(std::vector<std::pair<ComputeKernel, TableCosts>> costs, Index max_columns, Index min_rows,
            ShardingType in_one_piece);

  /// All cuts of rows with one kernel, form and number of column pieces.
  struct Cut {
    std::size_t kernel;  ///< index in costs_
    ExchangeForm form;
    Index columns;
    ShardLoad whole;  ///< load of a piece with all rows and the average width
    RowPartitions partitions;
  };
  ComputeKernel kernel(const Cut& cut) const { return costs_[cut.kernel].first; }
  const TableCosts& costs(const Cut& cut) const { return costs_[cut.kernel].second; }
  const std::vector<Cut>& cuts() const { return cuts_; }
  Index max_columns() const { return cuts_.back().columns; }
  /// Returns the blocks between tried borders, for searches that do not try all borders.
  Index step() const { return step_; }
  Range columns(Index piece, Index pieces) const;
  /// Returns the option with rows cut at `borders`, without owners.
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
  double memory = 0;                        ///< bytes per rank
  double base = 0;                          ///< seconds of every rank in any plan: latency of messages
  bool large = false;                       ///< searched at every fourth block, with few styles
  std::vector<std::deque<Option>> options;  ///< [table], none empty; searches add uneven ones
  /// [table] Set if the table may be cut at any block, with any owners.
  std::vector<std::optional<FreeTable>> free;
};

struct Choice {
  std::size_t option = 0;
  std::vector<int> owners;  ///< [piece]
};

struct OptionShape {
  Index min_rows = 1;  ///< least rows of a shard, if the constraints allow the whole table
  bool few = true;     ///< few tables x ranks: every number of pieces is tried
};

struct TableOptions {
  std::vector<Option> options;
  std::string advice;      ///< advice if no option fits
  Index free_columns = 1;  ///< most column pieces of a cut that also cuts rows
};

/// Makes the options of a table by one kernel. Throws Error, naming the table, if its constraints contradict each
/// other.
TableOptions table_options(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& demand,
                           ComputeKernel kernel, const CostModel& model, const OptionShape& shape);

/// Makes the options of every table within the constraints. Shards have at least `min_rows` rows if a table may stay
/// whole and then fits. Throws Error, naming the table, if constraints contradict each other, or if no option fits a
/// rank.
Problem make_problem(std::span<const embedding::EmbeddingBagConfig> tables, const CostModel& model, Index min_rows);

/// Computes totals and maxima from pieces and `common`.
void derive(Option& option, int ranks);

/// Returns a lower bound of the largest load of any plan.
double lower_bound(const Problem& problem);

/// Distance above the bound at which a plan is good enough, as a fraction.
constexpr double close_enough = 1e-3;

/// Searches by greedy starts and local search. Stops early within `close_enough` of `bound`. May add options.
std::vector<Choice> search(Problem& problem, double bound);

/// Rule for cutting tables into the capacities that ranks have left. It takes the cut with the least work. The load of
/// every rank counts `common` times, and the idle rest of a used capacity `waste` times.
struct FillStyle {
  enum class Order {
    large_first,
    small_first,
    expensive_first,  ///< tables that are expensive to cut first, so that cheap ones fill the gaps
    pieces            ///< all tables are cut before placement, and pieces are placed largest first
  };
  double waste = 0;
  double common = 1;
  Order order = Order::large_first;
  bool on_nodes = true;     ///< also places options of nodes; else cuts the tables for which they are cheapest
  bool capacities = false;  ///< filled by fill_capacities, else by fill_to_level
};

/// Fills ranks up to `level` seconds, and cuts a table if no rank can hold it. Returns no choices if `level` is too
/// small. `reserved`: capacity for the load of every rank. It starts empty, and passes raise it.
std::vector<Choice> fill_to_level(Problem& problem, double level, const FillStyle& style, Load& reserved);

/// Fills `capacity` seconds of each rank, not counting the load that tables put on every rank.
std::vector<Choice> fill_capacities(Problem& problem, double capacity, const FillStyle& style);

/// Searches depth-first with pruning, and replaces `best` by better choices. `worst`: largest load of `best`. Returns
/// whether the search was exhaustive, so that no choices are better.
bool branch_and_bound(const Problem& problem, std::vector<Choice>& best, double& worst);

/// Rank of choices, best first: by missing bytes, then worst load, then the number of ranks with that load.
struct Score {
  double missing = 0;
  double worst = 0;
  int ranks = 0;
  bool operator<(const Score& other) const;
};
/// Returns the missing bytes and the worst load of choices. Leaves Score::ranks at 0.
Score score_of(const Problem& problem, const std::vector<Choice>& choices);

/// Returns the reason for each table's type. `seconds`: load of the slowest rank.
std::vector<std::string> reasons(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan,
                                 const CostModel& model, double seconds);

/// Formats bytes as "1073741824 bytes (1.00 GiB)".
std::string exact_bytes_text(double bytes);

/// Advises a lower train.batch_size if most of a rank's bytes are not its own rows and states; else returns "".
std::string batch_advice(double bytes, double own, Index batch);

}  // namespace tesserec::planning
