// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/scorer.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec::scoring {
namespace {

/// Returns the bags of the model's features in a batch. Throws Error if one is missing.
std::vector<ScoredBags> bags_of(const ServedModel& model, const jagged::KeyedJaggedTensor& sparse) {
  if (sparse.variable_stride())
    fail("the features of the batch differ in their number of samples; give each feature the same number");
  std::vector<ScoredBags> bags;
  for (const std::string& feature : model.features()) {
    const auto key = std::ranges::find(sparse.keys, feature) - sparse.keys.begin();
    if (key == sparse.features()) {
      const auto reads = [&](const ServedTable& t) { return std::ranges::count(t.config.feature_names, feature) > 0; };
      fail("table ", std::ranges::find_if(model.tables(), reads)->config.name, ": feature \"", feature,
           "\" is not in the batch, which has ", join(sparse.keys));
    }
    bags.push_back({.offsets = sparse.offsets.data() + key * sparse.stride,
                    .ids = sparse.values.data(),
                    .weights = sparse.weighted() ? sparse.weights.data() : nullptr});
  }
  return bags;
}

}  // namespace

struct Scorer::Model {
  Model(const Exec& exec, const std::string& folder) : served(exec, folder) {}

  ServedModel served;
  std::deque<ScoringContext> contexts;  // [thread]
};

Scorer::Scorer(const Exec& exec, const std::string& folder) : model_(std::make_unique<Model>(exec, folder)) {}
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer::~Scorer() = default;

std::vector<std::string> Scorer::features() const { return model_->served.features(); }
Index Scorer::dense_features() const { return model_->served.facts().dense_features; }
const std::vector<std::string>& Scorer::dense_names() const { return model_->served.facts().dense_names; }
const std::vector<std::string>& Scorer::labels() const { return model_->served.labels(); }
Index Scorer::step() const { return model_->served.facts().step; }

std::vector<float> Scorer::predict(const Exec& exec, const Matrix<float>& dense,
                                   const jagged::KeyedJaggedTensor& sparse) const {
  const Index samples = sparse.stride, numbers = dense_features(), labels = model_->served.label_count();
  if (numbers > 0 && Index(dense.extent(0)) != samples)
    fail("the batch has ids of ", counted(samples, "sample"), ", but dense features of ", dense.extent(0),
         "; give both for the same samples");
  if (numbers > 0 && Index(dense.extent(1)) != numbers)
    fail("the batch has ", counted(Index(dense.extent(1)), "dense feature"), " per sample, but the model takes ",
         numbers);
  std::vector<float> probabilities(samples * labels);
  const std::vector<ScoredBags> bags = bags_of(model_->served, sparse);
  const Index threads = std::clamp<Index>(concurrency(exec), 1, std::max<Index>(1, samples));
  while (std::ssize(model_->contexts) < threads) model_->contexts.emplace_back(model_->served);
  parallel_for(exec, "tesserec::scoring::predict", threads, [&](Index thread) {
    const Range own{thread * samples / threads, (thread + 1) * samples / threads};
    std::vector<ScoredBags> own_bags = bags;
    for (ScoredBags& feature : own_bags) feature.offsets += own.begin;
    model_->contexts[thread].score({.samples = own.size(),
                                    .dense = numbers > 0 ? dense.data() + own.begin * numbers : nullptr,
                                    .sparse = own_bags,
                                    .first = own.begin},
                                   probabilities.data() + own.begin * labels);
  });
  if (const std::string reason = not_finite_reason(model_->served, probabilities); !reason.empty()) fail(reason);
  return probabilities;
}

}  // namespace tesserec::scoring
