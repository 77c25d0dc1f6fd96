// SPDX-License-Identifier: Apache-2.0
#include "raw_plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "served_rows.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/schema/raw_rows.hpp>

namespace tesserec::scoring {
namespace {

using raw::Column;
using raw::ColumnKind;

/// Returns the place of a name in a list, or its size.
std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return std::size_t(std::ranges::find(names, name) - names.begin());
}

/// Returns the first feature that a column makes.
std::string first_feature(const Column& column) {
  return column.kind == ColumnKind::time ? column.name + "_" + column.parts.front() : column.name;
}

void plan_columns(const raw::RowSettings& rows, const std::map<std::string, Index>& sequences, RawPlan& plan) {
  const raw::RowLayout& layout = plan.format->layout();
  plan.has_null = rows.format == raw::RawFormat::criteo || !rows.missing.empty();
  plan.null = rows.format == raw::RawFormat::criteo || !plan.has_null ? "" : rows.missing.front();
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const Column& column = layout.columns[c];
    if (plan.places.places[c] < 0) continue;
    plan.fields = std::max(plan.fields, std::size_t(plan.places.places[c]) + 1);
    const bool is_number = column.kind == ColumnKind::number;
    if (!is_number && column.kind != ColumnKind::category && column.kind != ColumnKind::time) continue;
    PlannedColumn planned{.column = {.name = column.name,
                                     .kind = column.kind,
                                     .separator = column.separator,
                                     .numbers = is_number || column.bucketed(),
                                     .missing = plan.null},
                          .field = std::size_t(plan.places.places[c]),
                          .is_number = is_number};
    if (const auto found = sequences.find(column.name); found != sequences.end()) planned.length = found->second;
    planned.probe =
        is_number ? place_of(layout.dense_features, column.name) : place_of(layout.features, first_feature(column));
    plan.columns.push_back(std::move(planned));
  }
}

void plan_numbers(const TrainedFacts& facts, RawPlan& plan) {
  const raw::RowLayout& layout = plan.format->layout();
  if (std::ssize(facts.dense_names) != facts.dense_features || std::ssize(facts.transforms) != facts.dense_features ||
      facts.dense_features != std::ssize(layout.dense_features))
    fail("the columns of [preprocess] make ", counted(std::ssize(layout.dense_features), "dense feature"),
         ", but the model has ", facts.dense_features, " with ", std::ssize(facts.transforms), " transforms");
  const std::vector<raw::NumberTransform> rules =
      raw::make_transforms(layout, std::vector<raw::Moments>(layout.transforms.size()));
  for (std::size_t k = 0; k < facts.dense_names.size(); ++k) {
    const std::string& name = facts.dense_names[k];
    const std::string& text = facts.transforms[k];
    const std::size_t place = place_of(layout.dense_features, name);
    if (place == layout.dense_features.size())
      fail("dense feature ", name, " of the model is no column of [preprocess]");
    const auto read = raw::NumberTransform::described(name, text == raw::indicator_rule ? "none" : text);
    if (!read || layout.indicator[place] != (text == raw::indicator_rule) || read->rule() != rules[place].rule())
      fail("dense feature ", name, " has the transform \"", text, "\", but [preprocess] says \"", rules[place].rule(),
           "\"");
    plan.dense.push_back(place);
    plan.transforms.push_back(*read);
  }
}

/// Adds the input columns that a feature of the format is made of.
void add_columns(const raw::RowSettings& rows, const RawPlan& plan, const std::string& feature,
                 std::set<std::size_t>& to) {
  for (const Column& column : rows.columns)
    if (column.name == feature)
      for (const std::string& member : column.cross) add_columns(rows, plan, member, to);
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const RawColumn& column = plan.columns[c].column;
    const bool is_part = column.kind == ColumnKind::time && feature.starts_with(column.name + "_");
    if (is_part || (column.kind == ColumnKind::category && column.name == feature)) to.insert(c);
  }
}

void plan_features(const TrainedFacts& facts, const raw::RowSettings& rows, const std::vector<ServedFeature>& features,
                   RawPlan& plan) {
  const raw::RowLayout& layout = plan.format->layout();
  for (const ServedFeature& feature : features) {
    const std::size_t place = place_of(layout.features, feature.name);
    if (place == layout.features.size())
      fail("feature ", feature.name, " of the model is no category that [preprocess] makes");
    const raw::FeatureForm& form = layout.forms[place];
    if (feature.weighted && !form.weighted)
      fail("the model reads weights of feature ", feature.name, ", which its column does not have");
    const auto data = std::ranges::find(facts.features, feature.name, &embedding::DataFeature::name);
    if (form.hashed() && !form.any_ids() && (data == facts.features.end() || data->ids != form.max_rows))
      fail("feature ", feature.name, " is hashed into ", form.max_rows, " rows, but the model was trained with ",
           data == facts.features.end() ? Index{0} : data->ids);
    std::set<std::size_t> columns;
    add_columns(rows, plan, feature.name, columns);
    plan.features.push_back(
        {.place = place, .form = form, .weighted = feature.weighted, .columns = {columns.begin(), columns.end()}});
  }
}

RawPlan plan_of(const TrainedFacts& facts, const std::vector<ServedFeature>& features) {
  if (facts.vocabulary.empty()) fail("the model was not trained on a data set of `tesserec preprocess`");
  if (schema::makes_bags(facts.deck, facts.file + ": deck"))
    fail("the training made bags of its ids (data.multi_hot_sizes), which raw values do not have; give ids");
  raw::RowSettings rows = schema::read_rows(facts.deck, facts.file + ": deck");
  std::map<std::string, Index> sequences;
  for (const raw::UserSequence& sequence : rows.sequences) sequences[sequence.name] = sequence.length;
  std::set<std::string> names;
  for (const ServedFeature& feature : features) names.insert(feature.name);
  rows = served_rows(std::move(rows), facts, names);
  RawPlan plan;
  plan.format = raw::make_row_format(rows);
  std::vector<std::string> trained;
  for (const embedding::DataFeature& feature : facts.features) trained.push_back(feature.name);
  raw::set_stored_borders(*plan.format, trained, facts.borders);
  if (const std::string reason = plan.format->find_columns({}, raw::Targets::unread, plan.places); !reason.empty())
    fail(reason);
  plan_columns(rows, sequences, plan);
  plan_numbers(facts, plan);
  plan_features(facts, rows, features, plan);
  return plan;
}

}  // namespace

RawPlan raw_plan(const TrainedFacts& facts, const std::vector<ServedFeature>& features) {
  try {
    return plan_of(facts, features);
  } catch (const Error& error) {
    fail(error.what(), "; raw values need a run whose deck has the [preprocess] that made its data");
  }
}

bool has_raw_data(const TrainedFacts& facts) {
  // Made samples have the digest of a reuse profile at most.
  return !facts.vocabulary.empty() && !schema::training_data(facts.deck, facts.file + ": deck").empty();
}

std::vector<std::string> raw_vocabularies(const TrainedFacts& facts, const std::vector<ServedFeature>& features) {
  const RawPlan plan = raw_plan(facts, features);
  std::vector<std::string> names;
  for (std::size_t f = 0; f < features.size(); ++f)
    if (!plan.features[f].form.hashed()) names.push_back(features[f].name);
  return names;
}

}  // namespace tesserec::scoring
