// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/train/tables.hpp>
#include <tesserec/train/trained_data.hpp>

namespace tesserec::train {
namespace {

constexpr const char *features_name = "features", *rows_name = "rows", *dense_names_name = "dense_names",
                     *transforms_name = "transforms", *labels_name = "label_values",
                     *extends_name = "vocabulary_extends";

/// Returns the list attribute `name`, or an empty list without it.
template <class T>
std::vector<T> list(const store::Attributes& attributes, const std::string& name, const std::string& file) {
  return attributes.count(name) == 0 ? std::vector<T>() : store::attribute<std::vector<T>>(attributes, name, file);
}

/// Returns, per feature [F], whether the deck's tables read it; all true if the deck has no tables.
std::vector<bool> read_by_tables(const std::vector<embedding::EmbeddingBagConfig>& tables,
                                 const std::vector<std::string>& features) {
  std::set<std::string> names;
  for (const embedding::EmbeddingBagConfig& table : tables) {
    if (table.feature_names.empty()) names.insert(table.name);
    names.insert(table.feature_names.begin(), table.feature_names.end());
  }
  std::vector<bool> read;
  for (const std::string& feature : features) read.push_back(tables.empty() || names.count(feature) != 0);
  return read;
}

}  // namespace

void add_data_facts(const data::SourceInfo& data, store::Attributes& attributes) {
  attributes["dense_features"] = data.dense_features;
  attributes["vocabulary_digest"] = data.vocabulary;
  if (!data.vocabulary_extends.empty()) attributes[extends_name] = data.vocabulary_extends;
  if (!data.features.empty()) attributes[features_name] = data.features;
  if (!data.rows.empty()) attributes[rows_name] = data.rows;
  if (!data.borders.empty()) attributes["borders"] = data.borders;
  if (!data.dense_names.empty()) attributes[dense_names_name] = data.dense_names;
  if (!data.transforms.empty()) attributes[transforms_name] = data.transforms;
  if (!data.labels.empty()) attributes[labels_name] = data.labels;
  if (!data.tasks.empty()) attributes["tasks"] = data.tasks;
}

data::SourceInfo trained_data(const store::Attributes& attributes, const std::string& file,
                              const std::vector<embedding::EmbeddingBagConfig>& tables, const data::SourceInfo& data) {
  data::SourceInfo then;
  then.description = "the data of " + file;
  then.dense_features = store::attribute<std::int64_t>(attributes, "dense_features", file);
  then.vocabulary = store::attribute<std::string>(attributes, "vocabulary_digest", file);
  const auto features = list<std::string>(attributes, features_name, file);
  const auto rows = list<std::int64_t>(attributes, rows_name, file);
  then.dense_names = list<std::string>(attributes, dense_names_name, file);
  then.transforms = list<std::string>(attributes, transforms_name, file);
  then.vocabulary_extends = list<std::string>(attributes, extends_name, file);
  if (attributes.count(labels_name) != 0) then.labels = store::attribute<std::string>(attributes, labels_name, file);
  if (features.empty() && !data.features.empty()) {
    log_info(file +
             " does not name the columns of its data, because an older program wrote it; the order of the columns of " +
             data.description + " is not checked");
    then.features = data.features;
    then.rows = data.rows;
    return then;
  }
  if (rows.size() != features.size())
    fail(file, ": the data have ", counted(features.size(), "feature"), ", but rows for ", rows.size(),
         "; name another checkpoint");
  const std::vector<bool> read = read_by_tables(tables, features), read_now = read_by_tables(tables, data.features);
  std::size_t next = 0;
  const auto append_feature = [&] {
    while (next < features.size() && !read[next]) ++next;
    if (next == features.size()) return;
    then.features.push_back(features[next]);
    then.rows.push_back(rows[next]);
    ++next;
  };
  for (std::size_t f = 0; f < data.features.size(); ++f)
    if (read_now[f]) {
      append_feature();
    } else {
      then.features.push_back(data.features[f]);
      then.rows.push_back(data.rows[f]);
    }
  while (next < features.size()) append_feature();
  return then;
}

void require_same_columns(const data::SourceInfo& data, const data::SourceInfo& trained) {
  if (data::column_order(data, trained).is_same()) return;
  const auto columns = [](const data::SourceInfo& info) {
    return "features " + join(info.features) + "; dense features " + join(info.dense_names);
  };
  fail(data.description, " has its columns in another order than ", trained.description, ": ", columns(data), ", not ",
       columns(trained), "; preprocess both with one deck, or train anew");
}

void require_newer_vocabulary(const data::SourceInfo& data, const store::Attributes& attributes,
                              const std::string& file, const std::string& matrix) {
  const auto earlier = list<std::string>(attributes, extends_name, file);
  if (data.vocabulary.empty() || std::find(earlier.begin(), earlier.end(), data.vocabulary) == earlier.end()) return;
  fail(file, " has more rows than ", data.description, " has ids (", matrix,
       "), because its run was trained on a later vocabulary; preprocess the data again with preprocess.vocabulary = "
       "that run's data set");
}

data::SourceInfo with_trained_rows(data::SourceInfo data, const data::SourceInfo& trained,
                                   const std::vector<embedding::EmbeddingBagConfig>& tables,
                                   const network::Settings& model) {
  const auto given_tables = resolve_tables(tables, data, model);
  data.rows = trained.rows;
  const auto trained_tables = resolve_tables(tables, data, model);
  for (std::size_t t = 0; t < given_tables.size(); ++t)
    if (given_tables[t].ids() > trained_tables[t].ids())
      fail("table ", given_tables[t].whole(), ": ", data.description, " has ids up to ", given_tables[t].ids() - 1,
           ", but ", trained.description, " only up to ", trained_tables[t].ids() - 1,
           "; preprocess its raw files again with preprocess.vocabulary = the data set of that run, without "
           "preprocess.extend, or name a later checkpoint");
  return data;
}

}  // namespace tesserec::train
