// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>

#include "source_over.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/labels.hpp>

namespace tesserec::data {
namespace {

/// Returns the raw values of each label of the data, in order, or none if their text does not tell them apart. The text
/// is that of preprocess: "NAME: VALUES; NAME: VALUES".
std::vector<std::string> values_by_label(const SourceInfo& data) {
  std::vector<std::size_t> begins;
  for (const std::string& task : data.tasks) {
    const std::string head = (begins.empty() ? "" : "; ") + task + ": ";
    const std::size_t at = data.labels.find(head, begins.empty() ? 0 : begins.back());
    if (at == std::string::npos || data.labels.find("; " + task + ": ", at + 1) != std::string::npos) return {};
    if (begins.empty() && at != 0) return {};
    begins.push_back(at + head.size());
  }
  std::vector<std::string> values;
  for (std::size_t t = 0; t < begins.size(); ++t) {
    const bool last = t + 1 == begins.size();
    const std::size_t end = last ? data.labels.size() : begins[t + 1] - data.tasks[t + 1].size() - 4;
    values.push_back(data.labels.substr(begins[t], end - begins[t]));
  }
  return values;
}

/// Returns the raw values of the labels at `places`, in the form of preprocess; empty if they are not known.
std::string values_of(const SourceInfo& data, const std::vector<Index>& places) {
  const std::vector<std::string> values = values_by_label(data);
  if (values.empty()) return "";
  if (places.size() == 1) return values[places.front()];
  return join(places, "; ", [&](Index place) { return data.tasks[place] + ": " + values[place]; });
}

/// Source with some of another source's labels.
class ChosenLabels final : public SourceOver {
 public:
  /// Takes the labels at `places`, or none.
  ChosenLabels(std::unique_ptr<Source> source, std::vector<Index> places, const std::vector<std::string>& tasks)
      : SourceOver(std::move(source)), places_(std::move(places)), row_(std::max<std::size_t>(1, tasks.size()), 0.0f) {
    info_.labels = places_.empty() ? "" : values_of(info_, places_);
    info_.labelled = !places_.empty();
    info_.tasks = tasks;
  }

  bool next(Batch& batch) override;
  std::vector<Index> limit_labels(const LabelRange& labels) override;

 private:
  std::vector<Index> places_;  // place of each label in the source; empty without labels
  std::vector<float> row_;     // labels of a sample
};

bool ChosenLabels::next(Batch& batch) {
  if (!source_->next(batch)) return false;
  const Index from = batch.tasks, to = std::ssize(row_);
  batch.tasks = to;
  if (places_.empty()) {
    reserve(batch.exec, batch.labels, "tesserec::data::labels", std::max<Index>(batch.size * to, 1));
    std::fill_n(batch.labels.data(), batch.size * to, 0.0f);
    return true;
  }
  for (Index b = 0; b < batch.size; ++b) {  // in place, since no sample gets more labels than it had
    const float* const labels = batch.labels.data() + b * from;
    std::transform(places_.begin(), places_.end(), row_.begin(), [&](Index place) { return labels[place]; });
    std::copy(row_.begin(), row_.end(), batch.labels.data() + b * to);
  }
  return true;
}

std::vector<Index> ChosenLabels::limit_labels(const LabelRange& labels) {
  LabelRange all_labels = labels;  // a label that is not chosen may lack
  if (places_.empty()) {
    constexpr float any = std::numeric_limits<float>::max();
    all_labels.low = -any;
    all_labels.high = any;
  }
  all_labels.may_lack = labels.may_lack || std::ssize(places_) < source_->info().label_count();
  const std::vector<Index> all = source_->limit_labels(all_labels);
  std::vector<Index> chosen;
  for (const Index place : places_)
    if (!all.empty()) chosen.push_back(all[place]);
  for (std::size_t t = 0; t < chosen.size(); ++t)
    if (chosen[t] > 0 && !labels.may_lack)
      fail(info_.description, ": ", counted(chosen[t], "sample"), " or more lack the label ", info_.tasks[t],
           info_.tasks.size() > 1 ? "; set data.missing_labels = true if samples may lack labels"
                                  : ", the only one of model.tasks; leave these samples out");
  return chosen;
}

}  // namespace

std::vector<Index> label_places(const SourceInfo& data, const std::vector<std::string>& tasks) {
  if (!data.labelled) return {};
  if (tasks.empty() && data.tasks.empty()) return {0};
  if (tasks.empty())
    fail(data.description, " has the labels ", join(data.tasks), "; set model.tasks to those that the model learns");
  if (data.tasks.empty())
    fail("model.tasks names ", join(tasks), ", but ", data.description,
         " has one label, without a name; give data that name these labels, or remove model.tasks in a new run");
  std::vector<Index> places;
  for (const std::string& task : tasks) {
    const auto found = std::find(data.tasks.begin(), data.tasks.end(), task);
    if (found == data.tasks.end())
      fail("model.tasks names \"", task, "\", but ", data.description, " has the labels ", join(data.tasks));
    places.push_back(found - data.tasks.begin());
  }
  return places;
}

bool has_labels(const SourceInfo& data, const std::vector<std::string>& tasks) {
  if (!data.labelled) return false;
  if (tasks.empty()) return data.tasks.empty();
  return std::ranges::all_of(tasks, [&](const std::string& task) { return std::ranges::count(data.tasks, task) > 0; });
}

std::unique_ptr<Source> without_labels(std::unique_ptr<Source> source, const std::vector<std::string>& tasks) {
  return std::make_unique<ChosenLabels>(std::move(source), std::vector<Index>(), tasks);
}

std::unique_ptr<Source> with_labels(std::unique_ptr<Source> source, const std::vector<std::string>& tasks) {
  std::vector<Index> places = label_places(source->info(), tasks);
  if (source->info().tasks == tasks || tasks.empty()) return source;
  return std::make_unique<ChosenLabels>(std::move(source), std::move(places), tasks);
}

}  // namespace tesserec::data
