// SPDX-License-Identifier: Apache-2.0
// Keys of [sweep], [sweep.halving] and [sweep.keys].
#include "section.hpp"
#include <tesserec/sweep/metric.hpp>

namespace tesserec::deck {
namespace {

using Sweep = sweep::Settings;
using sweep::Method;

Choices<std::string> metrics() {
  Choices<std::string> choices;
  for (const std::string& name : sweep::metric_names()) choices.emplace_back(name, name);
  return choices;
}

template <class Key>
Key of_draws(const Key& key) {
  return of_some(
      key, [](const Sweep& s) { return s.method == Method::random || s.method == Method::halton; },
      [](const Sweep&) { return "applies only to method = \"random\" and \"halton\""; });
}

/// Makes effective_deck() write the section only for a deck with keys that vary.
Section if_swept(Section section) {
  section.write = [write = section.write](const Deck& deck, std::string& out) {
    if (!deck.sweep.keys.empty()) write(deck, out);
  };
  return section;
}

Section sweep_section() {
  const Keys<Sweep> keys = {
      choice(
          "method", &Sweep::method,
          Choices<Method>{
              {"grid", Method::grid}, {"list", Method::list}, {"random", Method::random}, {"halton", Method::halton}},
          "Choice of points. grid: all combinations of the keys' values, the last key fastest. list: the first values "
          "of all keys, then the second ones, and so on. random: independent draws of each key. halton: draws spread "
          "evenly over the space (low-discrepancy sequence)."),
      of_draws(integer(
          "points", &Sweep::points, {0, 100000}, "points",
          "Number of points that random and halton draw, all different. A larger number keeps the earlier points.")),
      of_draws(integer("seed", &Sweep::seed, {0, no_limit}, "", "Seed of random and halton.")),
      choice("metric", &Sweep::metric, metrics(),
             "Metric that ranks the points, taken from the last evaluation. loss: mean over the training samples since "
             "the last line of metrics.jsonl. samples_per_second, step_seconds, peak_memory_bytes: cost of the run."),
      integer("jobs", &Sweep::jobs, {1, 4096}, "jobs",
              "Points that `tesserec sweep run DECK` trains at once on this machine."),
      integer("ranks", &Sweep::ranks, {1, 1 << 20}, "",
              "Ranks that `tesserec sweep run DECK` starts for each point. Results are the same bits."),
      default_words(texts("launcher", &Sweep::launcher, Text::filled, {},
                          "Command that starts the ranks of a point, placed before the program; {ranks} becomes their "
                          "number. In a Slurm job: [\"srun\", \"--exact\", \"--mpi=pmix\", \"-n\", \"{ranks}\"]."),
                    "[] (nothing for one rank, mpirun --bind-to none -n {ranks} for several)"),
  };
  return if_swept(single("sweep",
                         "Many runs of this deck with other values of some keys, for `tesserec sweep`; other commands "
                         "use the deck as it is.",
                         keys, [](auto& d) -> auto& { return d.sweep; }, {"halving", "keys"}));
}

Section halving_section() {
  using Halving = sweep::Halving;
  const Keys<Halving> keys = {
      required(integer("first_steps", &Halving::first_steps, {1, step_limit}, "steps",
                       "Steps of the first rung, at which points are first compared.")),
      integer("eta", &Halving::eta, {2, 1000}, "",
              "Factor between the steps of rungs. At each rung 1 / eta of the points, the best and at least one, "
              "continue."),
  };
  Section section = single(
      "sweep.halving",
      "Successive halving: all points train to the first rung, the best continue to the next, and those left train to "
      "train.steps.",
      keys, [](auto& d) -> auto& { return d.sweep.halving; });
  section.write = [write = section.write](const Deck& deck, std::string& out) {
    if (deck.sweep.halving.first_steps > 0) write(deck, out);
  };
  return section;
}

Keys<sweep::Key> range_keys() {
  using Key = sweep::Key;
  return {
      required(number("min", &Key::min, {-1e30}, "", "Smallest value, inclusive.")),
      required(number("max", &Key::max, {-1e30}, "", "Largest value, inclusive.")),
      choice("scale", &Key::log, Choices<bool>{{"linear", false}, {"log", true}},
             "Scale on which draws are uniform: the value, or its logarithm. Drawn values are rounded to four digits."),
      boolean("integer", &Key::integer, "Draw integers only."),
  };
}

Section keys_section() {
  const Keys<sweep::Key> keys = range_keys();
  Section section;
  section.info = {"sweep.keys", "[sweep.keys]",
                  "Keys that vary, one per line, by the whole name in quotes. A list has values that the key takes: "
                  "\"optimizer.dense.lr\" = [0.01, 0.1, 1.0]. A range, for random and halton, has the keys below: "
                  "\"optimizer.dense.lr\" = {min = 1e-3, max = 1.0, scale = \"log\"}.",
                  infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    const Value* block = root.find_path("sweep.keys");
    if (block == nullptr) return;
    must_be_block(*block, "sweep.keys");
    deck.lines["sweep.keys"] = block->where;
    for (const Entry& entry : block->table) {
      const std::string path = "sweep.keys." + entry.key;
      const Value& value = entry.value;
      sweep::Key& key = deck.sweep.keys.emplace_back();
      key.path = entry.key;
      deck.lines[path] = value.where;
      if (entry.key.find('.') == std::string::npos)
        fail(value.where, ": ", path, " must be block.key in quotes, as \"optimizer.dense.lr\" = [0.01, 0.1]");
      if (value.kind == Kind::list && value.list.empty())
        fail(value.where, ": ", path, " is an empty list; give the values that the key takes");
      if (value.kind == Kind::list)
        for (const Value& element : value.list) key.values.push_back(toml_text(element));
      else if (value.kind == Kind::table)
        read_keys(deck, keys, key, value, path);
      else
        fail(value.where, ": ", path, " must be a list of values or {min = ..., max = ...}, but is ", value.words());
    }
  };
  section.write = [=](const Deck& deck, std::string& out) {
    if (!deck.sweep.keys.empty()) out += "\n[sweep.keys]\n";
    for (const sweep::Key& key : deck.sweep.keys) {
      std::string range;
      for (const auto& range_key : keys)
        range += (range.empty() ? "" : ", ") + range_key.info.name + " = " + range_key.write(key);
      out += quoted(key.path) + " = " + (key.values.empty() ? "{" + range + "}" : "[" + join(key.values) + "]") + "\n";
    }
  };
  return section;
}

}  // namespace

std::vector<Section> sweep_sections() { return {sweep_section(), halving_section(), keys_section()}; }

}  // namespace tesserec::deck
