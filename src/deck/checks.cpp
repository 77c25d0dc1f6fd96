// SPDX-License-Identifier: Apache-2.0
// Checks of keys against each other.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "section.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/data/synthetic.hpp>
#include <tesserec/data/window_width.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/model/sharded_model.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/preprocess/block_fault.hpp>

namespace tesserec::deck {
namespace {

void check_data(const Deck& deck) {
  const data::SyntheticSettings& synthetic = deck.data.synthetic;
  const bool generates = synthetic.kind != data::SyntheticKind::none;
  if (deck.lines.count("data.synthetic") != 0 && deck.lines.count("data.synthetic.kind") == 0)
    fail(deck.at("data.synthetic.kind"), " is missing; set it to planted, reference or none");
  const data::Settings& data = deck.data;
  if (generates && !data.source.empty())
    fail(deck.at("data.source"), " and data.synthetic are both given; keep one, or set data.synthetic.kind = \"none\"");
  const std::pair<const char*, const std::vector<std::string>&> named[] = {
      {"data.train", data.train}, {"data.evaluate", data.evaluate}, {"data.predict", data.predict}};
  for (const auto& [key, files] : named)
    if (!files.empty() && !data.source.empty()) fail(deck.at("data.source"), " and ", key, " are both given; keep one");
  if (!data.window.empty()) {
    if (!data::window_width(data.window))
      fail(deck.at("data.window"), " is \"", data.window, "\"; give ", data::window_forms);
    if (generates || !data.source.empty())
      fail(deck.at("data.window"), " divides HDF5 files, but the samples are made on the fly; remove it");
    if (deck.train.epochs != 1)
      fail(deck.at("train.epochs"), " is ", deck.train.epochs, ", but data.window goes through time once; set it to 1");
  }
  if (!generates) return;
  for (const auto& [key, files] : named)
    if (!files.empty())
      fail(deck.at("data.synthetic"), " and ", key, " are both given; keep one, or set data.synthetic.kind = \"none\"");
  if (synthetic.samples == 0) fail(deck.at("data.synthetic.samples"), " is 0; give at least 1 sample");
  if (synthetic.rows.empty()) fail(deck.at("data.synthetic.rows"), " is empty; give the number of rows of each table");
  if (const auto fault = data::fault(synthetic)) fail(deck.at("data.synthetic." + fault->key), " ", fault->text);
  const bool twister = synthetic.bit_generator == data::BitGenerator::mt19937;
  if (!data::draws_in_order(synthetic)) return;
  if (twister && synthetic.kind != data::SyntheticKind::reference)
    fail(deck.at("data.synthetic.bit_generator"), " is mt19937, which requires kind = \"reference\"");
  if (!twister && deck.train.shuffle)
    fail(deck.at("data.synthetic.ids"), " is trace, which draws the samples in order; set train.shuffle = false");
  if (!twister) return;
  if (deck.train.shuffle)
    fail(deck.at("data.synthetic.bit_generator"),
         " is mt19937, which draws the samples in order; set train.shuffle = false");
  if (deck.run.seed > std::numeric_limits<std::uint32_t>::max())
    fail(deck.at("run.seed"), " is ", deck.run.seed, ", but mt19937 takes seeds below 2^32; lower it");
}

void check_column(const Deck& deck, std::size_t i, int& labels, int& weights) {
  const preprocess::Column& column = deck.preprocess.columns[i];
  const std::string path = "preprocess.column." + std::to_string(i);
  const std::string subject = " of column \"" + column.name + "\" ";
  labels += column.kind == preprocess::ColumnKind::label && !column.optional;
  if (column.kind == preprocess::ColumnKind::weight && ++weights > 1)
    fail(deck.at(path + ".kind"), subject, "is weight, but another column is the weight already; keep one");
  if (const auto wrong = raw::fault(column, deck.preprocess))
    fail(deck.at(path + "." + wrong->key), subject, wrong->text);
}

void check_preprocess(const Deck& deck) {
  const preprocess::Settings& preprocess = deck.preprocess;
  if (preprocess.extend && preprocess.vocabulary.empty())
    fail(deck.at("preprocess.extend"), " needs an existing vocabulary; name its data set in preprocess.vocabulary");
  if (preprocess.sequences.empty() && !preprocess.history.empty())
    fail(deck.at("preprocess.history"), " is read for [[preprocess.sequence]], but there is none; remove it");
  for (std::size_t i = 0; i < preprocess.joins.size(); ++i)
    if (const auto wrong = preprocess::fault(preprocess.joins[i], preprocess))
      fail(deck.at("preprocess.join." + std::to_string(i) + "." + wrong->key), " ", wrong->text);
  if (const auto wrong = preprocess::fault(preprocess.split, preprocess))
    fail(deck.at("preprocess.split." + wrong->key), " ", wrong->text);
  if (preprocess.format == preprocess::RawFormat::criteo) {
    if (!preprocess.sequences.empty())
      fail(deck.at("preprocess.sequence"), " applies only to preprocess.format = \"table\"; remove it");
    if (!preprocess.joins.empty())
      fail(deck.at("preprocess.join"), " applies only to preprocess.format = \"table\"; remove it");
    if (!preprocess.columns.empty())
      fail(deck.at("preprocess.column"), " is given, but preprocess.format is criteo; set it to \"table\"");
    if (preprocess.skip_other_columns)
      fail(deck.at("preprocess.skip_other_columns"), " applies only to preprocess.format = \"table\"; remove it");
    return;
  }
  if (preprocess.quoted_newlines && !preprocess.quotes)
    fail(deck.at("preprocess.quoted_newlines"), " needs quotes; set preprocess.quotes = true");
  if (preprocess.skip_other_columns && !preprocess.header)
    fail(deck.at("preprocess.skip_other_columns"), " requires a header; set preprocess.header = true");
  if (preprocess.columns.empty())
    fail(deck.at("preprocess.format"), " is table, but there is no [[preprocess.column]]; describe each column");
  int labels = 0, weights = 0, stored = 0;  // labels that all rows have
  bool categories = false, optional = false;
  std::set<std::string> names;
  for (std::size_t i = 0; i < preprocess.columns.size(); ++i) {
    check_column(deck, i, labels, weights);
    const preprocess::ColumnKind kind = preprocess.columns[i].kind;
    optional = optional || preprocess.columns[i].optional;
    categories = categories || kind == preprocess::ColumnKind::category || kind == preprocess::ColumnKind::time;
    if (preprocess.columns[i].stored && ++stored > 1)
      fail(deck.at("preprocess.column." + std::to_string(i) + ".stored"),
           " is true, but another time is stored already; keep one");
    const std::string& name = preprocess.columns[i].name;
    if (name.find('*') != std::string::npos && !preprocess.header)
      fail(deck.at("preprocess.column." + std::to_string(i) + ".name"), " \"", name,
           "\" matches names in a header; set preprocess.header = true");
    if (!names.insert(name).second)
      fail(deck.at("preprocess.column." + std::to_string(i) + ".name"), " \"", name,
           "\" is used twice; rename one column");
  }
  if (labels == 0)
    fail(deck.at("preprocess.column"), optional ? ": rows could lack all labels; set optional = false for one"
                                                : ": no column has kind = \"label\"; give one");
  if (!categories)
    fail(deck.at("preprocess.column"),
         ": no column has kind = \"category\", so there would be no table; give at least one");
}

void check_schedule(const Deck& deck) {
  const optim::ScheduleSettings& schedule = deck.schedule;
  if (const auto fault = optim::fault(schedule)) fail(deck.at("schedule." + fault->key), " ", fault->text);
  if (schedule.decay_start_step > 0 && schedule.decay_steps == 0)
    fail(deck.at("schedule.decay_start_step"), " is ", schedule.decay_start_step,
         ", but schedule.decay_steps is 0, so no rate decays; set decay_steps, or omit both");
}

/// Returns whether a step subtracts lr * weight_decay * w, unscaled by a trust ratio or a divisor.
bool takes_from_weights(const optim::Settings& o) {
  using optim::Type;
  if (o.decay == optim::Decay::decoupled) return o.type != Type::lamb && o.type != Type::partial_rowwise_lamb;
  return o.type == Type::sgd || o.type == Type::momentum_sgd || o.type == Type::nesterov_sgd;
}

/// Checks the rates that [schedule] derives from the base rate, and the weight decay at the highest of them.
void check_rates(const Deck& deck, const std::string& path, const optim::Settings& o) {
  const Index last = deck.train.steps > 0 ? deck.train.steps : step_limit;
  const optim::GreatestRate greatest = optim::greatest_rate(deck.schedule, o.lr, last);
  const std::string lr = concat(path, ".lr = ", shortest(o.lr));
  if (!(greatest.rate <= std::numeric_limits<float>::max()))
    fail(deck.at(concat("schedule.stages.", greatest.stage)), " raises ", lr, " to a learning rate of ",
         significant(greatest.rate, 4), ", more than a float holds; lower its value or scale, or end it earlier");
  if (deck.schedule.decay_steps > 0 && o.lr < optim::least_decayed_rate)
    fail(deck.at("schedule.decay_steps"), " decays rates to ", shortest(optim::least_decayed_rate), " at least, so ",
         lr, " would rise; raise it, or let [[schedule.stages]] decay it");
  if (const double taken = greatest.rate * o.weight_decay; takes_from_weights(o) && taken > 1)
    fail(deck.at(path + ".weight_decay"), " is ", shortest(o.weight_decay), "; times the largest learning rate ",
         significant(greatest.rate, 4), " (", lr, ") it is ", significant(taken, 4),
         ", so a step would subtract more than the whole weight; lower one of them");
}

void check_optimizer(const Deck& deck, const std::string& path, const optim::Settings& o) {
  check_rates(deck, path, o);
  const optim::TypeInfo& type = optim::info(o.type);
  if (!type.reads("eps") || float(o.eps) != 0.0f) return;
  const bool sums = type.reads("initial_accumulator");
  if (!sums || float(o.initial_accumulator) == 0.0f)
    fail(deck.at(path + ".eps"), sums ? " and initial_accumulator are both 0" : " is 0",
         ", so a gradient of 0 would divide 0 by 0; give a positive eps");
}

void check_table_optimizer(const Deck& deck, const embedding::EmbeddingBagConfig& table) {
  const std::string path = "table." + table.name;
  if (!table.optimizer) return;
  check_optimizer(deck, path + ".optimizer", *table.optimizer);
  const auto plan = deck.plan.tables.find(table.name);
  const bool own = plan != deck.plan.tables.end() && plan->second.kernel;
  const planning::ComputeKernels& kernels = own ? plan->second.kernel : deck.plan.kernel;
  if (kernels.has(planning::ComputeKernel::dense) && !optim::info(table.optimizer->type).elementwise())
    fail(deck.at(own ? "plan.tables." + table.name + ".kernel" : "plan.kernel"),
         " is dense, but the table's optimizer ", optim::info(table.optimizer->type).name,
         " has no dense form; use kernel \"fused\", or one of ",
         join(optim::elementwise_types(), ", ", &optim::TypeInfo::name));
}

void check_plan(const Deck& deck) {
  std::vector<std::string> names;
  for (const auto& table : deck.tables) {
    names.push_back(table.name);
    if (table.half || table.qr_collisions.value_or(deck.model.smaller.qr_collisions) == 0) continue;
    for (const char* half : {"_quotient", "_remainder"})
      names.push_back(table.name + half);  // The halves exist if the table is cut.
  }
  for (const auto& [name, plan] : deck.plan.tables) {
    const std::string path = "plan.tables." + name;
    if (!names.empty() && std::count(names.begin(), names.end(), name) == 0)
      fail(deck.at(path), ": there is no table \"", name, "\"; the tables are ", join(names));
    std::set<int> owners(plan.ranks.begin(), plan.ranks.end());
    if (owners.size() != plan.ranks.size()) fail(deck.at(path + ".ranks"), " names a rank twice; name each owner once");
    if (plan.ranks.empty()) continue;
    if (!plan.sharding.forced())
      fail(deck.at(path + ".ranks"), " is set, so the sharding of the table must name exactly one type");
    if (plan.sharding.has(planning::ShardingType::table_wise) && plan.ranks.size() > 1)
      fail(deck.at(path + ".ranks"), " has ", plan.ranks.size(),
           " ranks, but a table_wise table has one owner; name one");
    if (plan.sharding.has(planning::ShardingType::data_parallel))
      fail(deck.at(path + ".ranks"), " is set, but a data_parallel table is on every rank; remove it");
  }
}

void check_metrics(const Deck& deck) {
  const std::vector<std::string>& names = deck.evaluate.metrics;
  if (const std::string twice = repeated_text(names); !twice.empty())
    fail(deck.at("evaluate.metrics"), " has ", quoted(twice), " twice");
  if (const std::string twice = repeated_text(deck.train.metrics); !twice.empty())
    fail(deck.at("train.metrics"), " has ", quoted(twice), " twice");
  for (const auto& [key, is_set] :
       {std::pair("stop_at_auc", deck.evaluate.stop_at_auc > 0), std::pair("patience", deck.evaluate.patience > 0)})
    if (is_set && deck.evaluate.every_steps == 0)
      fail(deck.at(std::string("evaluate.") + key), " needs evaluations during training; set evaluate.every_steps");
  const bool monitors = deck.evaluate.patience > 0 || deck.checkpoint.keep_best;
  if (monitors && std::find(names.begin(), names.end(), deck.evaluate.monitor) == names.end())
    fail(deck.at("evaluate.monitor"), " is ", quoted(deck.evaluate.monitor), ", which evaluate.metrics lacks; it has ",
         join(names));
  if (deck.checkpoint.keep_best && deck.checkpoint.keep == 0)
    fail(deck.at("checkpoint.keep_best"), " is true, but checkpoint.keep = 0 writes no checkpoint; keep at least 1");
  const auto group_metric = std::find_if(names.begin(), names.end(), metrics::needs_groups);
  if (group_metric == names.end() || !deck.evaluate.group.empty()) return;
  std::vector<std::string> features;
  for (const auto& table : deck.tables)
    for (const std::string& feature : table.feature_names) features.push_back(quoted(feature));
  fail(deck.at("evaluate.metrics"), " has ", quoted(*group_metric),
       ", which needs groups; set evaluate.group to the feature that holds a sample's user or session",
       features.empty() ? "" : ", one of " + join(features));
}

/// Throws Error if checkpoint.delta_seconds is set and there can be no deltas.
void check_deltas(const Deck& deck) {
  if (deck.checkpoint.keep_deltas && deck.checkpoint.delta_seconds == 0)
    fail(deck.at("checkpoint.keep_deltas"), " is true, but there are no deltas; set checkpoint.delta_seconds");
  if (deck.checkpoint.delta_seconds == 0) return;
  if (deck.checkpoint.keep == 0)
    fail(deck.at("checkpoint.delta_seconds"),
         " is set, but checkpoint.keep = 0 writes no checkpoint, which deltas need; keep at least 1");
}

}  // namespace

void check_deck(const Deck& deck) {
  check_data(deck);
  check_preprocess(deck);
  check_model(deck, deck.model);
  check_schedule(deck);
  check_optimizer(deck, "optimizer.dense", deck.optimizer.dense);
  check_optimizer(deck, "optimizer.sparse", deck.optimizer.sparse);
  check_tables(deck, deck.tables);
  for (const auto& table : deck.tables) check_table_optimizer(deck, table);
  check_plan(deck);
  if (const int lanes = deck.train.lanes; (lanes & (lanes - 1)) != 0)
    fail(deck.at("train.lanes"), " must be a power of two or 0, but is ", lanes);
  if (const int k = deck.train.accumulate, lanes = deck.train.lane_count(); (k & (k - 1)) != 0)
    fail(deck.at("train.accumulate"), " must be a power of two, but is ", k);
  else if (k > lanes)
    fail(deck.at("train.accumulate"), " is ", k, " and needs as many lanes, but train.lanes is ", lanes,
         deck.train.lanes == 0 ? " (from train.batch_size)" : "", "; set train.lanes = ", k,
         " or more, or train.accumulate = ", lanes, " or less");
  check_metrics(deck);
  check_labels(deck);
  check_deltas(deck);
  check_accept(deck);
}

void check_network(const Deck& deck, Index dense_features) {
  model::Settings model = deck.model;
  model.kernels = deck.run.kernels;
  model.graphs = deck.run.graphs;
  with_lines(deck, [&] { network::Network(model, dense_features, network::embedded_features(deck.tables)); });
}

}  // namespace tesserec::deck
