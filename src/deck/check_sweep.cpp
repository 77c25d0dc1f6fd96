// SPDX-License-Identifier: Apache-2.0
// Checks of [sweep] against the other blocks.
#include "section.hpp"
#include <tesserec/data/make_source.hpp>
#include <tesserec/sweep/metric.hpp>
#include <tesserec/sweep/points.hpp>

namespace tesserec::deck {
namespace {

bool in_block(const std::string& key, const std::string& block) {
  return key == block || key.rfind(block + ".", 0) == 0;
}

/// Throws Error for keys by which the points of a sweep would share a folder, checkpoints or a log.
void check_own_folders(const Deck& deck) {
  for (const sweep::Key& key : deck.sweep.keys)
    for (const char* block :
         {"sweep", "run.name", "run.output", "run.mlperf_log", "checkpoint.path", "checkpoint.resume"})
      if (in_block(key.path, block))
        fail(deck.at("sweep.keys." + key.path),
             " cannot vary, because each point has its own folder in the sweep's; remove it");
  if (!deck.checkpoint.path.empty())
    fail(deck.at("checkpoint.path"), " is one folder, but each point of a sweep needs its own; leave it empty");
  if (!deck.run.mlperf_log.empty())
    fail(deck.at("run.mlperf_log"), " is one file, but each point of a sweep is a separate run; leave it empty");
  if (deck.checkpoint.resume != "auto")
    fail(deck.at("checkpoint.resume"), " is ", quoted(deck.checkpoint.resume),
         ", but points of a sweep resume from their own checkpoints; leave it \"auto\"");
}

void check_metric(const Deck& deck) {
  const std::string& metric = deck.sweep.metric;
  if (!sweep::is_of_evaluation(metric)) return;
  const std::string where = deck.at("sweep.metric") + " is \"" + metric + "\"";
  const std::vector<std::string>& computed = deck.evaluate.metrics;
  if (std::find(computed.begin(), computed.end(), metric) == computed.end())
    fail(where, ", which evaluate.metrics lacks; it has ", join(computed));
  if (!data::has_source(deck.data, data::Use::evaluate) && deck.data.window.empty())
    fail(
        where,
        ", but there is no evaluation data: give data.evaluate, data.synthetic.evaluate_samples or data.window, or set "
        "sweep.metric = \"loss\"");
}

void check_halving(const Deck& deck) {
  const sweep::Halving& halving = deck.sweep.halving;
  if (halving.first_steps == 0) return;
  if (deck.train.steps == 0) fail(deck.at("sweep.halving"), " needs the length of a whole run; set train.steps");
  if (halving.first_steps > deck.train.steps)
    fail(deck.at("sweep.halving.first_steps"), " is ", halving.first_steps, ", but a whole run has ", deck.train.steps,
         " steps (train.steps); lower it");
  if (deck.checkpoint.keep == 0)
    fail(deck.at("checkpoint.keep"),
         " is 0, but points continue from rung to rung by their checkpoints; keep at least 1");
  for (const auto& [key, is_set] : {std::pair("evaluate.stop_at_auc", deck.evaluate.stop_at_auc > 0),
                                    std::pair("evaluate.patience", deck.evaluate.patience > 0)})
    if (is_set) fail(deck.at(key), " would end points at other steps than the rungs of [sweep.halving]; leave it 0");
  if (sweep::is_of_machine(deck.sweep.metric))
    fail(deck.at("sweep.metric"), " is ", quoted(deck.sweep.metric),
         ", which differs from run to run, so halving would not be reproducible; choose another metric");
  for (const sweep::Key& key : deck.sweep.keys)
    if (key.path == "train.steps")
      fail(deck.at("sweep.keys.train.steps"),
           " cannot vary with [sweep.halving], because its last rung is train.steps; remove it");
}

}  // namespace

void check_sweep(const Deck& deck) {
  const bool absent = deck.sweep.keys.empty() && deck.lines.count("sweep") == 0;
  if (absent) return;
  if (const auto fault = sweep::fault(deck.sweep)) fail(deck.at("sweep." + fault->key), " ", fault->text);
  check_own_folders(deck);
  check_metric(deck);
  check_halving(deck);
}

}  // namespace tesserec::deck
