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
  std::string texts = "Factor of the base rate after s steps.";
  for (const optim::PolicyInfo& policy : optim::policies()) {
    names.emplace_back(policy.name, policy.policy);
    texts += " " + policy.name + ": " + policy.text;
  }
  const auto of_policy = [](const Key<Stage>& key) {
    const auto policy = [](const Stage& stage) { return optim::policies()[std::size_t(stage.policy)]; };
    return of_some(
        key, [=](const Stage& stage) { return policy(stage).reads(key.info.name); },
        [=](const Stage& stage) {
          const std::vector<std::string> read = policy(stage).keys;
          return "does not apply to policy = " + quoted(policy(stage).name) + ", which reads max_steps, scale" +
                 (read.empty() ? "" : ", " + join(read));
        });
  };
  const Keys<Stage> keys = {
      required(choice("policy", &Stage::policy, names, texts)),
      required(integer("max_steps", &Stage::max_steps, {1, step_limit}, "steps",
                       "Largest number of steps since the start of training at which the stage applies.")),
      number("scale", &Stage::scale, {}, "", "Additional factor of the stage's rate."),
      of_policy(number("value", &Stage::value, {}, "", "Parameter of the policy.")),
      of_policy(number("end_value", &Stage::end_value, {}, "", "linear: factor at max_steps.")),
      of_policy(integer("start_steps", &Stage::start_steps, {0, step_limit}, "steps",
                        "linear: step at which the line begins, at most the stage's first step.")),
      of_policy(integer("decay_steps", &Stage::decay_steps, {0, step_limit}, "steps",
                        "poly, step, exponential: divisor of s; 0 means max_steps for poly, else 1.")),
      of_policy(integer("period", &Stage::period, {0, step_limit}, "steps",
                        "cosine: length of a period; 0 means max_steps.")),
  };
  return repeated_block<Deck>(
      {"schedule.stages",
       "A stage of the learning rate. Stages follow one another and replace warm-up and decay; after the last one the "
       "base rate applies."},
      keys, [](auto& d) -> auto& { return d.schedule.stages; },
      "give one [[schedule.stages]] for each stage, or omit the key");
}

Section import_section() {
  using train::ImportedTensor;
  const Keys<ImportedTensor> keys = {
      required(text("name", &ImportedTensor::name, Text::filled,
                    "Tensor of the model, as `tesserec export` names it: tables.NAME.weight or dense.LAYER.0.weight.")),
      required(
          text("from", &ImportedTensor::from, Text::filled,
               "Name of the tensor in the file that `tesserec import` reads; of an .npy file without its ending.")),
      boolean("transpose", &ImportedTensor::transpose,
              "The file has the tensor with rows and columns exchanged, as Keras and JAX have weights of layers."),
  };
  return repeated_block<Deck>(
      {"import", "A tensor that `tesserec import` finds under a name which no map of --map has."}, keys,
      [](auto& d) -> auto& { return d.imports; }, "give one [[import]] for each tensor, or omit the key");
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
              "Samples computed at once, over all ranks; a step has accumulate times as many."),
      integer("accumulate", &Train::accumulate, {1, 65536}, "batches",
              "Batches accumulated into one weight update (a power of two). Results are the bits of one batch of that "
              "many samples, in the memory of batch_size samples."),
      integer("epochs", &Train::epochs, {1, step_limit}, "epochs", "Passes over the training data."),
      integer("steps", &Train::steps, {0, step_limit}, "steps",
              "Steps of the whole run, no more than its epochs have; 0 means all of them."),
      integer("lanes", &Train::lanes, {0, 65536}, "lanes",
              "Summation lanes of a step: a power of two, at least ranks times accumulate; 0 means from the samples of "
              "a step. Bits depend on the lanes, never on the ranks."),
      boolean("shuffle", &Train::shuffle, "Reshuffle every epoch; false means the order of the files."),
      boolean("pipeline", &Train::pipeline,
              "Exchange the ids of the next batch while one computes, if there are several ranks, and read the next "
              "batch's rows of kernel disk or host_cached. Results are the same bits."),
      integer("log_every", &Train::log_every, {1, step_limit}, "steps", "Steps between lines of metrics.jsonl."),
      some_of("metrics", &Train::metrics, metrics::names_of_sums(),
              "Metrics of the training samples, scored before the model learns from them. In metrics.jsonl, "
              "window_NAME covers the last `window` lines, and lifetime_NAME all steps.",
              {0}),
      integer("window", &Train::window, {1, 256}, "lines",
              "Lines of metrics.jsonl that a window covers, including its own: window times log_every steps."),
  };
  using Schedule = optim::ScheduleSettings;
  const Keys<Schedule> schedule = {
      integer("warmup_steps", &Schedule::warmup_steps, {0, step_limit}, "steps",
              "Steps of linear warm-up; 0 means none."),
      integer("decay_start_step", &Schedule::decay_start_step, {0, step_limit}, "steps",
              "First step with a decayed rate; requires decay_steps."),
      integer("decay_steps", &Schedule::decay_steps, {0, step_limit}, "steps",
              "Steps of quadratic decay, down to a rate of 1e-7; 0 means none. A base rate below 1e-7 is an error."),
  };
  using Checkpoint = train::CheckpointSettings;
  const Keys<Checkpoint> checkpoint = {
      integer("every_steps", &Checkpoint::every_steps, {0, step_limit}, "steps",
              "Steps between checkpoints; 0 means only at the end."),
      number("delta_seconds", &Checkpoint::delta_seconds, {0, 1e9}, "s",
             "Time between deltas, which hold what changed since the last checkpoint or delta, so that a killed run "
             "loses little; 0 means none."),
      boolean("keep_deltas", &Checkpoint::keep_deltas,
              "Keep the deltas that continue a kept checkpoint, so that replay can prove the scores of their states; "
              "otherwise the next checkpoint removes them."),
      boolean("check_memory", &Checkpoint::check_memory,
              "Before each checkpoint and delta, compare the bits of all rows that no batch has moved since the one "
              "before, so that memory which changes by itself is found; takes 4 bytes per row. A run that finds some "
              "ends with exit code 86."),
      integer("keep", &Checkpoint::keep, {}, "checkpoints",
              "Newest complete checkpoints to keep; 0 means that none is ever written, for timings."),
      boolean("keep_best", &Checkpoint::keep_best,
              "Keep the checkpoint of the best evaluation by evaluate.monitor, too; evaluate and predict read it with "
              "checkpoint.resume = \"best\"."),
      default_words(text("path", &Checkpoint::path, Text::path,
                         "Folder of the checkpoints; empty means checkpoints in the run's folder."),
                    "\"\" (checkpoints in the run's folder)"),
      text("resume", &Checkpoint::resume, Text::filled,
           "auto: resume from the newest complete checkpoint in the run's folder. never: start anew. best, in evaluate "
           "and predict: the best one there. Otherwise a path: a checkpoint, a run's folder (its newest checkpoint), "
           "or RUN/best (its best one)."),
      default_words(text("start_from", &Checkpoint::start_from, Text::path,
                         "Checkpoint whose weights start a run that has none yet, at step 0; a path as in resume. "
                         "Tables with more rows keep fresh ones behind those of the checkpoint."),
                    "\"\" (weights drawn by run.seed)"),
      boolean("start_states", &Checkpoint::start_states, "Read the optimizer states of start_from's checkpoint, too."),
      boolean("relane", &Checkpoint::relane,
              "Resume with the lanes of this deck instead of the checkpoint's; the bits change."),
      texts("accept", &Checkpoint::accept, Text::filled, {0},
            "Keys of model, table, optimizer, schedule and data in which this deck may differ from the checkpoint's; a "
            "block stands for all its keys. Weights and states that no longer fit start fresh, as the log reports. "
            "data: training files may have other bytes. Other files, another number of samples, or other bytes with "
            "data.window, start at their first batch, for as many steps as in a new run."),
  };
  using Evaluate = train::EvaluateSettings;
  const Keys<Evaluate> evaluate = {
      integer("every_steps", &Evaluate::every_steps, {0, step_limit}, "steps",
              "Steps between evaluations in training; 0 means only at the end."),
      number("stop_at_auc", &Evaluate::stop_at_auc, {0.0, 1.0}, "",
             "AUC that ends training, with a checkpoint, at the first evaluation to reach it; 0 means never. Requires "
             "every_steps and evaluation data."),
      choice("monitor", &Evaluate::monitor, monitors(),
             "Metric, one of metrics, that compares evaluations for checkpoint.keep_best and patience."),
      default_words(text("task", &Evaluate::task, Text::path,
                         "Label, one of model.tasks, whose metrics compare evaluations. Otherwise the means over all "
                         "labels do."),
                    "\"\" (means over all labels)"),
      integer("patience", &Evaluate::patience, {0, step_limit}, "evaluations",
              "Consecutive evaluations without a new best after which training ends, with a checkpoint; 0 means never. "
              "Requires every_steps and evaluation data."),
      some_of("metrics", &Evaluate::metrics, metrics::names(), "Metrics to compute."),
      number("threshold", &Evaluate::threshold, {0.0, 1.0}, "",
             "Probability from which a sample counts as a predicted click, for accuracy, precision, recall and f1."),
      text("group", &Evaluate::group, Text::path,
           "Feature whose id is a sample's group (its user, its session), for gauc, ndcg and recall_at_k; each sample "
           "must have one id. Weights of samples do not count in these."),
      choice("group_weight", &Evaluate::group_weight,
             Choices<metrics::GroupWeight>{{"samples", metrics::GroupWeight::samples},
                                           {"equal", metrics::GroupWeight::equal}},
             "Weight of a group in gauc. samples: its number of samples. equal: 1."),
      integer("k", &Evaluate::k, {1, no_limit}, "samples",
              "Number of highest scores that count: of each group for ndcg and recall_at_k, of all candidates for "
              "candidate_recall."),
  };
  return {single(
              "train", "The training loop.", train, [](auto& d) -> auto& { return d.train; }),
          single("schedule", "Learning-rate warm-up and decay of the reference DLRM.", schedule,
                 [](auto& d) -> auto& { return d.schedule; }, {"stages"}),
          stage_section(),
          single(
              "checkpoint", "Checkpoints and restart.", checkpoint, [](auto& d) -> auto& { return d.checkpoint; }),
          single(
              "evaluate", "Evaluations and their metrics.", evaluate, [](auto& d) -> auto& { return d.evaluate; }),
          import_section()};
}

}  // namespace tesserec::deck
