// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "source_over.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/columns.hpp>

namespace tesserec::data {
namespace {

/// Source that reorders the columns of another source's batches.
class OrderedSource : public SourceOver {
 public:
  OrderedSource(std::unique_ptr<Source> source, ColumnOrder order);

  bool next(Batch& batch) override;
  void limit_rows(const std::vector<Index>& rows) override;
  OddValues check_samples() override;

 private:
  ColumnOrder order_;
  std::vector<float> row_;  // dense features of a sample, in the source's order
};

/// Gathers the value at each place. Returns an empty list if `values` is empty.
template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<Index>& places) {
  std::vector<T> ordered;
  for (const Index place : places)
    if (!values.empty()) ordered.push_back(values[place]);
  return ordered;
}

OrderedSource::OrderedSource(std::unique_ptr<Source> source, ColumnOrder order)
    : SourceOver(std::move(source)), order_(std::move(order)) {
  const SourceInfo& own = source_->info();
  info_.features = gathered(own.features, order_.features);
  info_.rows = gathered(own.rows, order_.features);
  info_.ids_per_bag = gathered(own.ids_per_bag, order_.features);
  info_.multi_hot = gathered(own.multi_hot, order_.features);
  info_.zipf = gathered(own.zipf, order_.features);
  info_.weighted = gathered(own.weighted, order_.features);
  info_.borders = gathered(own.borders, order_.features);
  info_.dense_names = gathered(own.dense_names, order_.dense);
  info_.transforms = gathered(own.transforms, order_.dense);
}

bool OrderedSource::next(Batch& batch) {
  if (!source_->next(batch)) return false;
  batch.sparse = batch.sparse.permute(batch.exec, order_.features);
  const auto columns = std::ssize(order_.dense);
  row_.resize(columns);
  for (Index b = 0; b < batch.size; ++b) {
    float* const row = batch.dense.data() + b * columns;
    std::copy_n(row, columns, row_.begin());
    for (Index k = 0; k < columns; ++k) row[k] = row_[order_.dense[k]];
  }
  return true;
}

void OrderedSource::limit_rows(const std::vector<Index>& rows) {
  std::vector<Index> own = source_->info().rows;
  for (std::size_t f = 0; f < rows.size(); ++f) own[order_.features[f]] = rows[f];
  source_->limit_rows(own);
}

OddValues OrderedSource::check_samples() {
  const OddValues odd = source_->check_samples();
  return {gathered(odd.large, order_.dense), gathered(odd.weightless, order_.features),
          gathered(odd.not_single, order_.features)};
}

/// Returns the place in `names` of each wanted name, or -1. Equal names take successive places.
std::vector<Index> places(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  std::vector<Index> all;
  std::vector<bool> is_used(names.size(), false);
  for (const std::string& name : wanted) {
    Index place = -1;
    for (std::size_t i = 0; place < 0 && i < names.size(); ++i)
      if (!is_used[i] && names[i] == name) is_used[place = Index(i)] = true;
    all.push_back(place);
  }
  return all;
}

std::vector<Index> identity_order(Index count) {
  std::vector<Index> all;
  for (Index i = 0; i < count; ++i) all.push_back(i);
  return all;
}

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

/// Appends to `differences` the columns that only one source has.
void compare_names(const std::string& kind, const std::vector<std::string>& names,
                   const std::vector<std::string>& wanted, std::vector<std::string>& differences) {
  const auto add = [&](const char* verb, const std::vector<std::string>& expected,
                       const std::vector<std::string>& present) {
    std::vector<std::string> absent;
    const std::vector<Index> found = places(present, expected);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (found[i] < 0) absent.push_back(quoted(expected[i]));
    if (!absent.empty()) differences.push_back(concat(verb, kind, absent.size() == 1 ? " " : "s ", join(absent)));
  };
  add("it lacks the ", wanted, names);
  add("it has the additional ", names, wanted);
}

std::vector<std::string> unknown_facts(const SourceInfo& source, const SourceInfo& wanted) {
  std::vector<std::string> unknown;
  if (source.vocabulary.empty() != wanted.vocabulary.empty()) unknown.push_back("vocabulary_digest");
  if (source.transforms.empty() != wanted.transforms.empty()) unknown.push_back("transforms");
  if (source.labelled && source.labels.empty() != wanted.labels.empty()) unknown.push_back("label_values");
  return unknown;
}

/// Returns whether one vocabulary was made from another by appending values.
bool extends(const SourceInfo& wide, const SourceInfo& narrow) {
  return std::find(wide.vocabulary_extends.begin(), wide.vocabulary_extends.end(), narrow.vocabulary) !=
         wide.vocabulary_extends.end();
}

/// Returns whether ids mean the same in both sources: one vocabulary equals or extends the other. A source without a
/// vocabulary shares its ids with any.
bool share_ids(const SourceInfo& first, const SourceInfo& second) {
  return first.vocabulary.empty() || second.vocabulary.empty() || first.vocabulary == second.vocabulary ||
         extends(first, second) || extends(second, first);
}

}  // namespace

bool ColumnOrder::is_same() const {
  return std::is_sorted(features.begin(), features.end()) && std::is_sorted(dense.begin(), dense.end());
}

ColumnOrder column_order(const SourceInfo& source, const SourceInfo& wanted) {
  ColumnOrder order{places(source.features, wanted.features), identity_order(source.dense_features)};
  const bool named = (source.dense_names.empty() == wanted.dense_names.empty()) && !wanted.dense_names.empty();
  if (named) order.dense = places(source.dense_names, wanted.dense_names);

  std::vector<std::string> differences;
  bool same_rules = true;
  if (!named && source.dense_features != wanted.dense_features)
    differences.push_back(
        concat("it has ", counted(source.dense_features, "dense feature"), ", not ", wanted.dense_features));
  compare_names("feature", source.features, wanted.features, differences);
  if (named) compare_names("dense feature", source.dense_names, wanted.dense_names, differences);
  if (!source.transforms.empty() && !wanted.transforms.empty())
    for (std::size_t k = 0; k < order.dense.size() && k < wanted.transforms.size(); ++k) {
      if (order.dense[k] < 0 || order.dense[k] >= std::ssize(source.transforms)) continue;
      const std::string &transform = source.transforms[order.dense[k]], &wanted_transform = wanted.transforms[k];
      const std::string name = named ? quoted(wanted.dense_names[k]) : std::to_string(k);
      if (transform == wanted_transform) continue;
      same_rules = false;
      differences.push_back("its dense feature " + name + " has the transform " + quoted(transform) + ", not " +
                            quoted(wanted_transform));
    }
  const bool shares = share_ids(source, wanted);
  if (!shares)
    differences.push_back("its ids are of another vocabulary (vocabulary_digest " + source.vocabulary + ", not " +
                          wanted.vocabulary + ")");
  if (!source.labels.empty() && !wanted.labels.empty() && source.labels != wanted.labels)
    differences.push_back("its label values differ (" + source.labels + "; not: " + wanted.labels + ")");
  if (!differences.empty())
    fail(source.description, " does not fit ", wanted.description, ": ", join(differences, "; "),
         "; preprocess both with one deck",
         same_rules && shares ? "" : ", the later one with preprocess.vocabulary = the data set of the earlier one");
  return order;
}

std::unique_ptr<Source> in_order(std::unique_ptr<Source> source, const SourceInfo& wanted) {
  const SourceInfo& info = source->info();
  const ColumnOrder order = column_order(info, wanted);
  if (const auto unknown = unknown_facts(info, wanted); !unknown.empty())
    log_info(concat(info.description, ": cannot compare ", join(unknown, " and "), " with ", wanted.description,
                    ", because only one of the two states ", unknown.size() == 1 ? "it" : "them"));
  if (!info.vocabulary.empty() && info.vocabulary != wanted.vocabulary && extends(wanted, info))
    log_common_warning(
        concat(info.description, " was encoded before the vocabulary of ", wanted.description,
               " grew, so values added since have id 0; preprocess it again with preprocess.vocabulary"));
  if (order.is_same()) return source;
  if (!info.multi_hot.empty() && !std::is_sorted(order.features.begin(), order.features.end()))
    fail("data.multi_hot_sizes are in the order of the features of ", wanted.description, ", but those of ",
         info.description, " are in another order; write both data sets with the same order of columns");
  log_info(info.description + ": its columns are in another order than those of " + wanted.description +
           "; they are matched by name");
  return std::make_unique<OrderedSource>(std::move(source), order);
}

}  // namespace tesserec::data
