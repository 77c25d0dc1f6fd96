// SPDX-License-Identifier: Apache-2.0
#include "planned.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "job.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/model/dense_cost.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/sharding/exchange_precision.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::app {
namespace {

/// Bytes of a rank with a tiny deck, bytes that MPI adds, those that its start takes for a while, and batches in memory
/// at once (runs/compare/memory.py).
constexpr double program_bytes = 42.5e6, mpi_bytes = 3e6, mpi_start_bytes = 60e6, batches_alive = 3;

/// Plan for a number of ranks, or the reason why there is none.
struct RankPlan {
  int ranks = 0;
  std::optional<Planned> plan;
  std::string reason;

  double seconds() const { return plan->step_seconds(); }
  double bytes() const {
    const std::vector<double>& all = plan->proven.estimate.bytes;
    return all.empty() ? 0 : std::ceil(*std::max_element(all.begin(), all.end()));
  }
};

RankPlan line_of(const PlanTask& task, int ranks) {
  RankPlan line{ranks, {}, ""};
  try {
    line.plan = planned(task, planning::topology_for(ranks, task.deck.plan.ranks_per_node, task.deck.plan));
  } catch (const Error& error) {
    line.reason = error.what();
  }
  return line;
}

std::string in_columns(const std::vector<std::string>& cells) {
  return "  " + join(cells, " ", [](const std::string& cell) { return right(cell, 12); });
}

/// Returns a rate as "1.235 M".
std::string rate_text(double rate) {
  for (const auto& [unit, name] : {std::pair{1e9, " G"}, {1e6, " M"}, {1e3, " k"}})
    if (rate >= unit) return significant(rate / unit, 4) + name;
  return significant(rate, 4);
}

std::string text_of(const std::vector<RankPlan>& lines, const RankPlan& best, Index batch) {
  std::string text = in_columns({"ranks", "a node", "groups", "step", "samples/s", "memory", "gap"}) + "\n";
  for (const RankPlan& line : lines) {
    if (!line.plan) {
      text += in_columns({std::to_string(line.ranks)}) + " " + line.reason + "\n";
      continue;
    }
    const planning::ProvenPlan& proven = line.plan->proven;
    text += in_columns({std::to_string(line.ranks), std::to_string(line.plan->topology.ranks_per_node),
                        std::to_string(planning::replicas(proven.plan)), significant(1e3 * line.seconds(), 4) + " ms",
                        rate_text(double(batch) / line.seconds()), bytes_text(line.bytes()),
                        proven.exact ? "exact" : fixed(100 * proven.gap(), 2) + " %"}) +
            "\n";
  }
  return text + concat("best: ", counted(best.ranks, "rank"), ", ", significant(1e3 * best.seconds(), 4),
                       " ms a step by the planner's estimate", best.plan->dense_seconds > 0 ? "" : ", tables alone",
                       "; memory is that of the fullest rank\n");
}

std::string json_of(const std::vector<RankPlan>& lines, const RankPlan& best, Index batch) {
  Json plans = Json::array(Json::Layout::lines);
  for (const RankPlan& line : lines) {
    Json json = Json::object();
    json.set("ranks", line.ranks);
    if (!line.plan) {
      plans.add(json.set("error", line.reason));
      continue;
    }
    const planning::ProvenPlan& proven = line.plan->proven;
    json.set("ranks_per_node", line.plan->topology.ranks_per_node)
        .set("replicas", planning::replicas(proven.plan))
        .set("critical_path_seconds", proven.estimate.critical_path());
    if (line.plan->dense_seconds > 0) json.set("predicted_step_seconds", line.seconds());
    plans.add(json.set("samples_per_second", double(batch) / line.seconds())
                  .set("bytes", line.bytes())
                  .set("gap", proven.gap())
                  .set("exact", proven.exact));
  }
  return Json::object(Json::Layout::lines).set("batch_size", batch).set("plans", plans).set("best", best.ranks).text() +
         "\n";
}

/// Returns the bytes of a checkpoint's state: tables and network, each with its optimizer's states, all in fp32.
double checkpoint_bytes(const deck::Deck& deck, const planning::ShardingPlan& plan, const network::Network& dense,
                        double dense_states) {
  double bytes = 4.0 * double(dense.parameters()) * (1 + dense_states);
  for (std::size_t t = 0; t < deck.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = deck.tables[t];
    const Index rows = table.rows().size(), saved = Index{sizeof(float)} - bytes_of(table.weight_format());
    const optim::Settings optimizer =
        planning::optimizer_of(table, plan[t].kernel, deck.optimizer.sparse, deck.optimizer.dense);
    bytes += double(planning::table_bytes(table, optimizer, rows)) + double(rows * table.embedding_dim * saved);
  }
  return bytes;
}

/// Adds what checkpoints keep for each row, to all groups of ranks alike: the hash and the bit of
/// checkpoint.check_memory, and the ids of growing tables at the last state with checkpoint.delta_seconds.
void add_kept_rows(std::vector<planning::RankBytes>& ranks, const deck::Deck& deck,
                   const planning::ShardingPlan& plan) {
  constexpr double checked = 4 + 1.0 / 8, id = 8;
  const std::size_t group = ranks.size() / std::size_t(planning::replicas(plan));
  for (std::size_t t = 0; t < deck.tables.size(); ++t) {
    const embedding::EmbeddingBagConfig& table = deck.tables[t];
    double row_bytes = 0;
    if (table.grows() && deck.checkpoint.delta_seconds > 0)
      row_bytes = table.growth.admit_after > 1 ? 2 * id : id;  // ids that wait are as many as rows
    else if (!table.grows() && deck.checkpoint.check_memory && plan[t].kernel == embedding::ComputeKernel::fused)
      row_bytes = checked;
    for (const planning::Shard& shard : plan[t].shards)
      for (std::size_t r = std::size_t(shard.rank); r < ranks.size(); r += group)
        ranks[r].checkpoint += row_bytes * double(table.blocks().rows(shard.blocks).size());
  }
}

/// Sets each rank's bytes outside the tables: dense network, batches, checkpoint and program.
void add_rest(std::vector<planning::RankBytes>& ranks, const deck::Deck& deck, const planning::ShardingPlan& plan,
              const network::Network& dense) {
  const Lanes lanes(deck.train.lane_count(), deck.train.accumulate);
  const Index samples = deck.train.step_samples();
  const double states = double(optim::states(deck.optimizer.dense.type).size());
  double sample = 4.0 * double(dense.dense_features() + 1);  // bytes of a sample
  for (const embedding::EmbeddingBagConfig& table : deck.tables) {
    const auto constraints = deck.plan.tables.find(table.name);
    const double ids = constraints == deck.plan.tables.end() ? 1 : constraints->second.pooling_factor;
    sample += 8 * (ids + 1) * double(table.feature_names.size());
  }
  const double checkpoint = checkpoint_bytes(deck, plan, dense, states);
  for (planning::RankBytes& rank : ranks) {
    rank.dense = model::dense_bytes(dense, lanes, int(ranks.size()), samples, Index(states));
    rank.batches = batches_alive * sample * double(samples) / double(ranks.size());
    if (deck.checkpoint.keep > 0)
      rank.checkpoint = parallel_io::bytes_of_write(checkpoint, deck.run.part_bytes, int(ranks.size()));
  }
  add_kept_rows(ranks, deck, plan);
  for (planning::RankBytes& rank : ranks)
    rank.program =
        ranks.size() == 1 ? program_bytes : std::max(program_bytes + mpi_bytes, mpi_start_bytes - rank.sum());
}

}  // namespace

PlanTask plan_task(const deck::Deck& deck, const std::optional<data::SourceInfo>& info) {
  PlanTask task;
  task.deck = deck;
  deck::Deck& known = task.deck;
  known.tables = known_tables(deck, info);
  if (info) {
    known.plan =
        train::planner_settings(deck.plan, known.tables, *info, data::id_shares(deck.data, *info, deck.run.seed));
    task.dense_features = info->dense_features;
  }
  if (known.tables.empty())
    fail(deck.file, ": the deck names no tables; give data.train, [[table]] blocks or --tables");
  for (const embedding::EmbeddingBagConfig& table : known.tables)
    if (table.num_embeddings == 0) fail("table.", table.name, ".rows must be given, because the data do not exist yet");
  deck::check_deck(known);
  return task;
}

void complete(PlanTask& task) {
  deck::Deck& deck = task.deck;
  for (const embedding::EmbeddingBagConfig& table : deck.tables)
    if (table.grows() && planning::plan_device(deck.plan) == "cuda")
      fail("table ", table.name,
           " grows, so its rows lie in memory that GPUs cannot read; plan for hosts (--device cpu), "
           "or set table.",
           table.name, ".growing = false");
  deck.plan.exchange = sharding::bytes_of(deck.model.exchange_forward, deck.model.exchange_backward);
}

Planned planned(const PlanTask& task, const planning::Topology& topology) {
  const deck::Deck& deck = task.deck;
  const planning::EmbeddingShardingPlanner planner(topology, deck.plan, deck.optimizer.sparse, deck.optimizer.dense,
                                                   deck.train.batch_size);
  Planned result{topology, {}, 0};
  if (!task.evaluated.empty())
    result.proven = planner.evaluate(
        deck.tables, planning::read_plan(task.evaluated, deck.tables, topology.ranks, planning::Borders::nearest));
  else if (!deck.plan.file.empty())
    result.proven = planner.given_plan(deck.tables);
  else
    result.proven = planner.plan(deck.tables);
  if (task.dense_features > 0) {
    const network::Network dense(deck.model, task.dense_features, network::embedded_features(deck.tables));
    result.dense_seconds = model::dense_seconds(dense, Lanes(deck.train.lane_count(), deck.train.accumulate), topology,
                                                deck.train.step_samples());
    add_rest(result.proven.estimate.holds, deck, result.proven.plan, dense);
  }
  return result;
}

std::string plans_of(const PlanTask& task, const std::vector<int>& ranks, bool json) {
  std::vector<RankPlan> lines;
  for (const int count : ranks) lines.push_back(line_of(task, count));
  const RankPlan* best = nullptr;
  for (const RankPlan& line : lines)
    if (line.plan && (best == nullptr || line.seconds() < best->seconds() ||
                      (line.seconds() == best->seconds() && line.ranks < best->ranks)))
      best = &line;
  if (best == nullptr)
    fail("--ranks: none of these numbers of ranks has a plan; ", counted(lines.back().ranks, "rank"), ": ",
         lines.back().reason);
  const Index batch = task.deck.train.batch_size;
  return json ? json_of(lines, *best, batch) : text_of(lines, *best, batch);
}

}  // namespace tesserec::app
