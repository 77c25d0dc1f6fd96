// SPDX-License-Identifier: Apache-2.0
// Checks of the keys of several labels against each other.
#include <algorithm>

#include "section.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/names.hpp>

namespace tesserec::deck {
namespace {

/// Throws Error if generated samples lack labels of model.tasks, and the deck does not allow it.
void check_generated_labels(const Deck& deck) {
  const data::SyntheticSettings& synthetic = deck.data.synthetic;
  const std::vector<std::string>& tasks = deck.model.tasks;
  if (synthetic.kind == data::SyntheticKind::none || synthetic.labels.missing == 0 || synthetic.labels.names.empty())
    return;
  const auto lacking =
      std::ranges::find_if(tasks, [&](const auto& task) { return task != synthetic.labels.names.front(); });
  if (lacking == tasks.end()) return;
  const std::string subject =
      concat(" is ", synthetic.labels.missing, ", so samples lack the label ", quoted(*lacking));
  if (tasks.size() == 1)
    fail(deck.at("data.synthetic.missing_labels"), subject,
         ", the only one of model.tasks; set it to 0, or add a label to model.tasks");
  if (!deck.data.missing_labels)
    fail(deck.at("data.synthetic.missing_labels"), subject, "; allow it with data.missing_labels = true");
}

}  // namespace

void check_labels(const Deck& deck) {
  const std::vector<std::string>& tasks = deck.model.tasks;
  const std::string& task = deck.evaluate.task;
  if (!task.empty() && (tasks.size() < 2 || std::ranges::find(tasks, task) == tasks.end()))
    fail(deck.at("evaluate.task"), " is ", quoted(task), ", but model.tasks ",
         tasks.size() < 2 ? "does not have several labels; remove it" : "has " + join(tasks));
  const std::vector<std::string>& names = deck.evaluate.metrics;
  if (const auto towers = std::ranges::find_if(names, metrics::needs_towers); towers != names.end() && tasks.size() > 1)
    fail(deck.at("evaluate.metrics"), " has ", *towers, ", which needs a model of one label, but model.tasks has ",
         join(tasks), "; remove it");
  check_generated_labels(deck);
  if (!deck.data.missing_labels) return;
  if (tasks.size() < 2)
    fail(deck.at("data.missing_labels"), " is true, but model.tasks does not have several labels; remove it");
  if (deck.train.accumulate > 1)
    fail(deck.at("train.accumulate"), " is ", deck.train.accumulate,
         ", but with data.missing_labels a label's mean needs all samples of a step at once; set it to 1");
  if (deck.model.exchange_backward == NumberType::fp16)
    fail(deck.at("model.exchange_backward"),
         " is fp16, but with data.missing_labels the gradients of a label that few samples have may leave its range; "
         "set it to bf16");
}

}  // namespace tesserec::deck
