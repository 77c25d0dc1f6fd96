// SPDX-License-Identifier: Apache-2.0
// Decks with a wrong [sweep]: the error has file, line, key and reason.
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/deck.hpp>

using namespace tesserec;

namespace {

const std::vector<std::pair<std::string, std::string>> bad_sweeps = {
    {"[sweep]\njobs = 2\n", "d.toml:1: sweep.keys is empty; give at least one key"},
    {"[sweep]\npoints = 2\n[sweep.keys]\n\"a.b\" = [1]\n",
     "d.toml:2: sweep.points applies only to method = \"random\""},
    {"[sweep.keys]\ntrain.steps = [1, 2]\n", "d.toml:2: sweep.keys.train must be block.key in quotes"},
    {"[sweep.keys]\n\"train.steps\" = []\n", "d.toml:2: sweep.keys.train.steps is an empty list"},
    {"[sweep.keys]\n\"train.steps\" = 3\n", "d.toml:2: sweep.keys.train.steps must be a list of values or {min"},
    {"[sweep.keys]\n\"train.steps\" = {min = 1}\n", "d.toml:2: sweep.keys.train.steps.max is missing"},
    {"[sweep.keys]\n\"train.steps\" = {min = 1, max = 3}\n", "d.toml:2: sweep.keys.train.steps is a range"},
    {"[sweep]\nmetric = \"ctr\"\n[sweep.keys]\n\"train.steps\" = [1]\n", "d.toml:2: sweep.metric must be one of auc"},
    {"[sweep.keys]\n\"train.steps\" = [1]\n", "d.toml:1: sweep.metric is \"auc\", but there is no evaluation data"},
    {"[sweep]\nmetric = \"loss\"\n[sweep.keys]\n\"sweep.jobs\" = [1]\n", "d.toml:4: sweep.keys.sweep.jobs cannot vary"},
    {"[checkpoint]\npath = \"here\"\n[sweep]\nmetric = \"loss\"\n[sweep.keys]\n\"run.seed\" = [1]\n",
     "d.toml:2: checkpoint.path is one folder, but each point of a sweep needs its own"},
    {"[checkpoint]\nresume = \"never\"\n[sweep]\nmetric = \"loss\"\n[sweep.keys]\n\"run.seed\" = [1]\n",
     "d.toml:2: checkpoint.resume is \"never\", but points of a sweep"},
    {"[sweep]\nmetric = \"loss\"\n[sweep.halving]\nfirst_steps = 3\n[sweep.keys]\n\"run.seed\" = [1]\n",
     "d.toml:3: sweep.halving needs the length of a whole run; set train.steps"},
    {"[train]\nsteps = 9\n[sweep]\nmetric = \"step_seconds\"\n[sweep.halving]\nfirst_steps = 3\n[sweep.keys]\n"
     "\"run.seed\" = [1]\n",
     "d.toml:4: sweep.metric is \"step_seconds\", which differs from run to run"},
    {"[train]\nsteps = 9\n[sweep]\nmetric = \"loss\"\n[sweep.halving]\nfirst_steps = 3\n[sweep.keys]\n"
     "\"train.steps\" = [1]\n",
     "d.toml:8: sweep.keys.train.steps cannot vary with [sweep.halving]"},
    {"[train]\nsteps = 9\n[evaluate]\nevery_steps = 1\nstop_at_auc = 0.9\n[sweep]\nmetric = \"loss\"\n[sweep.halving]\n"
     "first_steps = 3\n[sweep.keys]\n\"run.seed\" = [1]\n",
     "d.toml:5: evaluate.stop_at_auc would end points at other steps"},
    {"[run]\nmlperf_log = \"x\"\n[sweep]\nmetric = \"loss\"\n[sweep.keys]\n\"run.seed\" = [1]\n",
     "d.toml:2: run.mlperf_log is one file, but each point of a sweep is a separate run"},
    {"[train]\nsteps = 9\n[checkpoint]\nkeep = 0\n[sweep]\nmetric = \"loss\"\n[sweep.halving]\nfirst_steps = 3\n"
     "[sweep.keys]\n\"run.seed\" = [1]\n",
     "d.toml:4: checkpoint.keep is 0, but points continue from rung to rung"},
};

}  // namespace

TEST_CASE("check_sweep: a bad sweep throws with file and line and key and reason") {
  for (const auto& [text, part] : bad_sweeps) {
    INFO(text);
    const std::string message = error_of([&] { deck::check_sweep(deck::parse_deck(text, "d.toml")); });
    INFO(message);
    CHECK(mentions(message, part));
  }
}
