// SPDX-License-Identifier: Apache-2.0
// Command `tesserec plan`: prints a sharding plan, its predicted step time, and its gap to the best possible plan.
#include <algorithm>
#include <fstream>
#include <set>
#include <tuple>
#include <utility>

#include "command.hpp"
#include "job.hpp"
#include "planned.hpp"
#include "unread_keys.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::app {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> list(1);
  for (const char c : line) {
    if (c == ',')
      list.emplace_back();
    else if (c != '\r' && !(c == ' ' && list.back().empty()))
      list.back() += c;
  }
  return list;
}

template <class T>
T number(const std::string& text, const std::string& where, const char* field, T low, T high) {
  const std::optional<T> value = parse_number<T>(text);
  if (!value || !(*value >= low && *value <= high))
    fail(where, field, " must be a number, ", low, " to ", high, ", but is \"", text, "\"");
  return *value;
}

/// Reads lines of name,rows,dim,ids_per_bag[,zipf], after an optional header. Sets each table's pooling factor and zipf
/// exponent in deck.plan unless the deck gives them. Throws Error, naming file and line.
std::vector<embedding::EmbeddingBagConfig> read_table_list(const std::string& path, deck::Deck& deck) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("--tables: cannot read \"", path, "\"; give a file with lines of name,rows,dim,ids_per_bag");
  std::vector<embedding::EmbeddingBagConfig> tables;
  std::set<std::string> names;
  std::string line;
  for (Index at = 1; std::getline(file, line); ++at) {
    const std::vector<std::string> words = fields(line);
    if (words.size() == 1 && words[0].empty()) continue;
    if (at == 1 && words[0] == "name") continue;
    const std::string where = path + ":" + std::to_string(at) + ": ";
    if (words.size() != 4 && words.size() != 5)
      fail(where, "the line has ", counted(words.size(), "field"),
           "; give name,rows,dim,ids_per_bag or name,rows,dim,ids_per_bag,zipf");
    if (words[0].empty()) fail(where, "the table's name is \"\"; give it a name");
    if (const std::string fault = name_fault(words[0]); !fault.empty())
      fail(where, "\"", printable_line(words[0]), "\" cannot be a table's name: ", fault);
    if (!names.insert(words[0]).second)
      fail(where, "table \"", words[0], "\" is listed twice; give each table one line");
    const std::string place = where + "table " + words[0] + ": ";
    embedding::EmbeddingBagConfig table;
    table.name = words[0];
    table.feature_names = {words[0]};
    table.num_embeddings = number<Index>(words[1], place, "rows", 1, Index{1} << 50);
    table.embedding_dim = number<Index>(words[2], place, "dim", 1, Index{1} << 20);
    const double ids = number<double>(words[3], place, "ids_per_bag", 1e-3, 1e6);
    planning::ParameterConstraints& constraints = deck.plan.tables[table.name];
    if (deck.lines.count("plan.tables." + table.name + ".pooling_factor") == 0) constraints.pooling_factor = ids;
    const double zipf = words.size() == 5 ? number<double>(words[4], place, "zipf", 0, 10) : 0;
    if (!constraints.zipf) constraints.zipf = zipf;
    tables.push_back(std::move(table));
  }
  if (tables.empty()) fail(path, ": the list has no table; give lines of name,rows,dim,ids_per_bag");
  return tables;
}

/// Makes the task from the deck, its data or --tables, and the options of the command line. Collective.
PlanTask task_of(const Invocation& invocation, const comm::Communicator& comm) {
  Invocation with_device = invocation;
  if (invocation.has("--device")) with_device.overrides.push_back("plan.device=" + invocation.options.at("--device"));
  PlanTask task;
  task.deck = with_device.read_deck();
  deck::Deck& deck = task.deck;
  if (invocation.has("--tables")) {
    deck.tables = read_table_list(invocation.options.at("--tables"), deck);
    task.trains = deck.lines.count("train.batch_size") > 0 || deck.lines.count("train.lanes") > 0;
  } else {
    const std::optional<data::SourceInfo> data = known_data(deck, comm);
    task = plan_task(deck, data);
    warn_of_unread_keys(comm, deck, {"plan"});
    warn_of_unread_caches(comm, deck);
  }
  complete(task);
  if (invocation.has("--evaluate")) task.evaluated = invocation.options.at("--evaluate");
  if (const int per_node = count_of(invocation, "--ranks-per-node"); per_node > 0) deck.plan.ranks_per_node = per_node;
  return task;
}

/// Describes the number of tables, the ranks of the plan, its replica groups, the batch, and the memory per rank.
std::string task_line(const deck::Deck& deck, const planning::Topology& topology, int replicas) {
  const std::string by_default = deck.lines.count("train.batch_size") == 0 ? " (the default)" : "";
  const std::string from = topology.memory_from.empty() ? "" : " (from " + topology.memory_from + ")";
  const std::string libraries =
      topology.taken > 0 ? concat(", of which CUDA, cuBLASLt and NCCL take ", bytes_text(topology.taken)) : "";
  return concat(counted(deck.tables.size(), "table"), " on ", counted(topology.ranks, topology.device + " rank"), ", ",
                topology.ranks_per_node, " a node", replicas > 1 ? concat(" in ", replicas, " replica groups") : "",
                ", batch ", deck.train.batch_size, by_default, ", ", bytes_text(topology.memory), " a rank", from,
                libraries, "\n");
}

/// Returns the rank that needs most memory, or the end.
auto fullest(const planning::PlanEstimate& estimate) {
  const auto& ranks = estimate.holds;
  return std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.sum() < b.sum(); });
}

/// Warns if tables and messages fit a host's rank, but the whole process does not.
void warn_of_full_rank(const planning::PlanEstimate& estimate, const planning::Topology& topology) {
  const auto largest = fullest(estimate);
  if (topology.device != "cpu" || largest == estimate.holds.end() || largest->program == 0) return;
  if (largest->sum() <= double(topology.memory)) return;
  log_common_warning(concat("rank ", largest - estimate.holds.begin(), " needs ", bytes_text(largest->sum()),
                            " together, but a rank has ", bytes_text(double(topology.memory)),
                            ": its tables and messages fit, the rest of the process does not; use more ranks, or ranks "
                            "with more memory, or raise plan.reserve"));
}

/// Warns of caches in which the rows of the two batches in flight do not fit, so that training would end.
void warn_of_small_caches(const deck::Deck& deck, const planning::ShardingPlan& plan,
                          const planning::Topology& topology) {
  const planning::EmbeddingShardingPlanner planner(topology, deck.plan, deck.optimizer.sparse, deck.optimizer.dense,
                                                   2 * deck.train.batch_size);
  const planning::CostModel model = planner.model().in_groups(planning::replicas(plan));
  for (std::size_t t = 0; t < plan.size(); ++t) {
    const planning::TableCosts costs = model.costs(deck.tables[t], plan[t].kernel);
    const double resident = costs.storage().resident;
    if (resident == 1) continue;
    double rows = 0, slots = 0;  // of the shard that lacks most
    for (const planning::Shard& shard : plan[t].shards) {
      const planning::Traffic traffic = costs.traffic(shard.blocks);
      const double wanted = traffic[planning::distinct_all], held = resident * traffic[planning::traffic_rows];
      if (wanted - held > rows - slots) std::tie(rows, slots) = std::pair(wanted, held);
    }
    if (rows <= 1.01 * slots) continue;  // The expected number varies.
    log_common_warning(
        concat("table ", deck.tables[t].name, ": the rows of two batches, about ", Index(rows),
               ", do not fit into its cache of ", counted(Index(slots), "row"),
               ", so training would end with an error; set a larger cache or a smaller batch (plan.tables.",
               deck.tables[t].name, ".cache or plan.cache, train.batch_size)"));
  }
}

/// Describes the memory of the rank that needs most, by its use.
std::string memory_line(const planning::PlanEstimate& estimate) {
  const auto& ranks = estimate.holds;
  const auto largest = fullest(estimate);
  if (largest == ranks.end() || largest->program == 0) return "";
  const auto beside = [](double bytes, const char* of) {
    return bytes > 0 ? concat("; ", bytes_text(bytes), of) : std::string();
  };
  return concat("memory of rank ", largest - ranks.begin(), ": rows ", bytes_text(largest->rows), ", optimizer states ",
                bytes_text(largest->states), ", messages ", bytes_text(largest->messages), ", dense network ",
                bytes_text(largest->dense), ", batches ", bytes_text(largest->batches), ", checkpoint ",
                bytes_text(largest->checkpoint), ", program and MPI ", bytes_text(largest->program), "; together ",
                bytes_text(largest->sum()), beside(largest->disk, " of its disk for rows"),
                beside(largest->host, " of host memory for rows"), "\n");
}

}  // namespace

int plan(const Invocation& invocation, const comm::Communicator& comm) {
  const std::vector<int> counts = counts_of(invocation, "--ranks");
  const PlanTask task = task_of(invocation, comm);
  const deck::Deck& deck = task.deck;
  const int ranks = counts.empty() ? comm.size() : *std::max_element(counts.begin(), counts.end());
  if (task.trains) train::lanes_for(ranks, deck.train);
  if (counts.size() > 1) {
    if (const std::string& file = task.evaluated.empty() ? deck.plan.file : task.evaluated; !file.empty())
      fail(file, " is a plan for one number of ranks, but --ranks is \"", invocation.options.at("--ranks"),
           "\"; give one number");
    if (comm.rank() == 0) print(comm, plans_of(task, counts, invocation.json));
    return 0;
  }

  const bool elsewhere = !counts.empty() || (planning::plan_device(deck.plan) == "cuda" && !built_for_gpus());
  const Planned result = planned(task, elsewhere ? planning::topology_for(ranks, deck.plan.ranks_per_node, deck.plan)
                                                 : planning::topology_of(comm, deck.plan));
  const planning::Topology& topology = result.topology;
  if (invocation.json) {
    print(comm, planning::plan_json(deck.tables, result.proven, topology, deck.train.batch_size, result.dense_seconds));
    return 0;
  }
  const double critical_path = result.proven.estimate.critical_path();
  print(comm, task_line(deck, topology, planning::replicas(result.proven.plan)) +
                  planning::popularity_text(deck.tables, deck.plan) + planning::describe(deck.tables, result.proven) +
                  memory_line(result.proven.estimate));
  if (result.dense_seconds > 0)
    print(comm, concat("predicted step ", significant(1e3 * result.step_seconds(), 4), " ms: tables ",
                       significant(1e3 * critical_path, 4), " ms, dense and fixed costs ",
                       significant(1e3 * result.dense_seconds, 4), " ms; reading batches not counted\n"));
  warn_of_full_rank(result.proven.estimate, topology);
  warn_of_small_caches(deck, result.proven.plan, topology);
  return 0;
}

}  // namespace tesserec::app
