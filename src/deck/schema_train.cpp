// SPDX-License-Identifier: Apache-2.0
// Keys of [train], [schedule], [[schedule.stages]], [checkpoint] and [evaluate].
#include "section.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>

namespace tesserec::deck {

namespace {

Section stage_section() {
  using Stage = optim::ScheduleStage;
  Choices<optim::Policy> names;
  std::string texts = "What the rate is times, with s steps done.";
  for (const optim::PolicyInfo& policy : optim::policies()) {
    names.emplace_back(policy.name, policy.policy);
    texts += " " + policy.name + ": " + policy.text;
  }
  const auto some = [](const Key<Stage>& key) {
    const auto policy = [](const Stage& stage) { return optim::policies()[std::size_t(stage.policy)]; };
    return of_some(
        key, [=](const Stage& stage) { return policy(stage).reads(key.info.name); },
        [=](const Stage& stage) {
          const std::vector<std::string> read = policy(stage).keys;
          return "is not for policy = " + quoted(policy(stage).name) + ", which reads max_steps, scale" +
                 (read.empty() ? "" : ", " + join(read));
        });
  };
  const Keys<Stage> keys = {
      required(choice("policy", &Stage::policy, names, texts)),
      required(integer("max_steps", &Stage::max_steps, {1, most_steps}, "steps",
                       "The stage rules while at most so many steps are done since the start of training.")),
      number("scale", &Stage::scale, {}, "", "Factor of the whole stage."),
      some(number("value", &Stage::value, {}, "", "As the policy says.")),
      some(number("end_value", &Stage::end_value, {}, "", "Where the line ends.")),
      some(integer("start_steps", &Stage::start_steps, {0, most_steps}, "steps",
                   "Where the line begins, not after its stage does.")),
      some(
          integer("decay_steps", &Stage::decay_steps, {0, most_steps}, "steps", "0 means max_steps for poly, else 1.")),
      some(integer("period", &Stage::period, {0, most_steps}, "steps", "0 means max_steps.")),
  };
  const std::string path = "schedule.stages";
  Section section;
  section.info = {path, "[[" + path + "]]",
                  "A stage of the learning rate, one after the other; behind the last it is base again. Instead of "
                  "warm-up and decay.",
                  infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    const Value* blocks = repeated(root, path, "give one [[schedule.stages]] a stage, or none");
    for (std::size_t i = 0; blocks != nullptr && i < blocks->list.size(); ++i)
      read_keys(deck, keys, deck.schedule.stages.emplace_back(), blocks->list[i], path + "." + std::to_string(i));
  };
  section.write = [=](const Deck& deck, std::string& out) {
    for (const Stage& stage : deck.schedule.stages) out += "\n[[" + path + "]]\n" + write_keys(keys, stage);
  };
  return section;
}

/// Lists the metrics of which more or less is better, so that they can be monitored.
Choices<std::string> monitors() {
  Choices<std::string> choices;
  for (const auto& names : {metrics::more_is_better(), metrics::less_is_better()})
    for (const std::string& name : names) choices.emplace_back(name, name);
  return choices;
}

}  // namespace

std::vector<Section> train_sections() {
  using Train = train::Settings;
  const Keys<Train> train = {
      integer("batch_size", &Train::batch_size, {1, Index{1} << 31}, "samples",
              "Samples computed at once, over all ranks; of one step, but for accumulate."),
      integer("accumulate", &Train::accumulate, {1, 65536}, "batches",
              "Batches accumulated into one weight update, by their mean: a power of two. The bits are those of one "
              "batch as large as all of them; the memory of activations and messages is that of batch_size samples."),
      integer("epochs", &Train::epochs, {1, most_steps}, "epochs", "Times through the training data."),
      integer("steps", &Train::steps, {0, most_steps}, "steps", "Steps of the whole run; 0 means all of the epochs."),
      integer("lanes", &Train::lanes, {0, 65536}, "lanes",
              "Runs of a step's samples whose sums are kept apart, a power of two, at least the ranks times "
              "accumulate; 0 means from the samples of a step. The bits of a result depend on it, never on the ranks."),
      boolean("shuffle", &Train::shuffle, "Reshuffle every epoch; false means the order of the files."),
      boolean("pipeline", &Train::pipeline,
              "With several ranks, the ids of the next batch travel while one computes. The bits stay."),
      integer("log_every", &Train::log_every, {1, most_steps}, "steps", "Steps between lines of metrics.jsonl."),
      some_of("metrics", &Train::metrics, metrics::names_of_sums(),
              "Metrics of the training samples, as the model scores them before it learns from them: in metrics.jsonl, "
              "window_NAME of the last lines' steps and lifetime_NAME of all steps.",
              {0}),
      integer(
          "window", &Train::window, {1, 256}, "lines",
          "Lines of metrics.jsonl whose steps a window spans, the line's own included: window times log_every steps."),
  };
  using Schedule = optim::ScheduleSettings;
  const Keys<Schedule> schedule = {
      integer("warmup_steps", &Schedule::warmup_steps, {0, most_steps}, "steps",
              "Steps of linear warm-up; 0 means none."),
      integer("decay_start_step", &Schedule::decay_start_step, {0, most_steps}, "steps",
              "The first step with a decayed rate; wants decay_steps."),
      integer("decay_steps", &Schedule::decay_steps, {0, most_steps}, "steps",
              "Steps of quadratic decay, down to a rate of 1e-7; a base rate below that is refused. 0 means none."),
  };
  using Checkpoint = train::CheckpointSettings;
  const Keys<Checkpoint> checkpoint = {
      integer("every_steps", &Checkpoint::every_steps, {0, most_steps}, "steps",
              "Steps between checkpoints; 0 means only at the end."),
      integer("keep", &Checkpoint::keep, {}, "checkpoints",
              "The newest whole checkpoints that stay; 0: none is ever written, for timings."),
      boolean("keep_best", &Checkpoint::keep_best,
              "The checkpoint of the best evaluation so far, by evaluate.monitor, is written and stays, too; evaluate "
              "and predict take it with checkpoint.resume = \"best\"."),
      default_words(text("path", &Checkpoint::path, Text::path,
                         "Folder of the checkpoints; empty means checkpoints in the run's folder."),
                    "\"\" (checkpoints in the run's folder)"),
      text("resume", &Checkpoint::resume, Text::filled,
           "auto: go on from the newest whole checkpoint of the run's folder; never: start anew; else a path: a "
           "checkpoint, or a run's folder, which stands for its newest one; RUN/best names its best one."),
      default_words(text("start_from", &Checkpoint::start_from, Text::path,
                         "A run that has no checkpoint yet begins at step 0 with the weights of this one, a path as "
                         "resume takes it. Tables with more rows keep fresh ones behind those of the checkpoint."),
                    "\"\" (weights drawn by run.seed)"),
      boolean("start_states", &Checkpoint::start_states,
              "The optimizer states of start_from's checkpoint are taken, too."),
      boolean("relane", &Checkpoint::relane,
              "Resume with the lanes of this deck instead of the checkpoint's: the bits change."),
      texts("accept", &Checkpoint::accept, Text::filled, {0},
            "Keys of model, table, optimizer, schedule and data in which this deck may differ from the checkpoint's, "
            "as optimizer.dense.lr; a block, as schedule, stands for all its keys. Weights and states that then do not "
            "fit begin as in a new run, which the log says. data lets a run go on with training files of other bytes, "
            "too; where the files or their number of samples are others, from their first batch on, for as many steps "
            "as a new run would take."),
  };
  using Evaluate = train::EvaluateSettings;
  const Keys<Evaluate> evaluate = {
      integer("every_steps", &Evaluate::every_steps, {0, most_steps}, "steps",
              "Steps between evaluations while training; 0 means at the end only."),
      number("stop_at_auc", &Evaluate::stop_at_auc, {0.0, 1.0}, "",
             "Training ends, with a checkpoint, after the first evaluation whose AUC is at least this; 0 means never. "
             "Wants every_steps and evaluation data."),
      choice("monitor", &Evaluate::monitor, monitors(),
             "By which of metrics one evaluation is better than another, for checkpoint.keep_best and patience."),
      integer("patience", &Evaluate::patience, {0, most_steps}, "evaluations",
              "Training ends, with a checkpoint, when so many evaluations in a row were not better than the best "
              "before; 0 means never. Wants every_steps and evaluation data."),
      some_of("metrics", &Evaluate::metrics, metrics::names(), "What to compute."),
      number("threshold", &Evaluate::threshold, {0.0, 1.0}, "",
             "A probability from here on is predicted a click: for accuracy, precision, recall and f1."),
      text("group", &Evaluate::group, Text::path,
           "The feature whose id is a sample's group (its user, its session), for gauc, ndcg and recall_at_k; each "
           "sample has one id."),
      choice("group_weight", &Evaluate::group_weight,
             Choices<metrics::GroupWeight>{{"samples", metrics::GroupWeight::samples},
                                           {"equal", metrics::GroupWeight::equal}},
             "How much a group counts in gauc: by its samples, or all alike."),
      integer("k", &Evaluate::k, {1, no_limit}, "samples",
              "The highest scores of a group that ndcg and recall_at_k look at, or of all candidates for "
              "candidate_recall."),
  };
  return {single(
              "train", "The training loop.", train, [](auto& d) -> auto& { return d.train; }),
          single("schedule", "Learning-rate warm-up and decay, as the reference DLRM does it.", schedule,
                 [](auto& d) -> auto& { return d.schedule; }, {"stages"}),
          stage_section(),
          single(
              "checkpoint", "Checkpoints and restart.", checkpoint, [](auto& d) -> auto& { return d.checkpoint; }),
          single(
              "evaluate", "Evaluation.", evaluate, [](auto& d) -> auto& { return d.evaluate; })};
}

}  // namespace tesserec::deck
