// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "ordered_source.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/columns.hpp>

namespace tesserec::data {
namespace {

/// Where each of `wanted` stands in `names`, -1 where it does not. A name that comes twice has its places in order.
std::vector<Index> places(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  std::vector<Index> all;
  std::vector<bool> taken(names.size(), false);
  for (const std::string& name : wanted) {
    Index place = -1;
    for (std::size_t i = 0; place < 0 && i < names.size(); ++i)
      if (!taken[i] && names[i] == name) taken[place = Index(i)] = true;
    all.push_back(place);
  }
  return all;
}

std::vector<Index> own_places(Index count) {
  std::vector<Index> all;
  for (Index i = 0; i < count; ++i) all.push_back(i);
  return all;
}

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

/// Adds to `differences` which columns only one of the two has.
void compare_names(const std::string& kind, const std::vector<std::string>& names,
                   const std::vector<std::string>& wanted, std::vector<std::string>& differences) {
  const auto add = [&](const char* verb, const std::vector<std::string>& these, const std::vector<std::string>& those) {
    std::vector<std::string> rest;
    const std::vector<Index> found = places(those, these);
    for (std::size_t i = 0; i < these.size(); ++i)
      if (found[i] < 0) rest.push_back(quoted(these[i]));
    if (!rest.empty()) differences.push_back(concat(verb, kind, rest.size() == 1 ? " " : "s ", join(rest)));
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

/// Whether an id of one means the same in the other, as far as both say what their ids mean.
bool share_ids(const SourceInfo& one, const SourceInfo& other) {
  const auto extends = [](const SourceInfo& wide, const SourceInfo& narrow) {
    return std::find(wide.vocabulary_extends.begin(), wide.vocabulary_extends.end(), narrow.vocabulary) !=
           wide.vocabulary_extends.end();
  };
  return one.vocabulary.empty() || other.vocabulary.empty() || one.vocabulary == other.vocabulary ||
         extends(one, other) || extends(other, one);
}

}  // namespace

bool ColumnOrder::is_same() const {
  return std::is_sorted(features.begin(), features.end()) && std::is_sorted(dense.begin(), dense.end());
}

ColumnOrder column_order(const SourceInfo& source, const SourceInfo& wanted) {
  ColumnOrder order{places(source.features, wanted.features), own_places(source.dense_features)};
  const bool named = (source.dense_names.empty() == wanted.dense_names.empty()) && !wanted.dense_names.empty();
  if (named) order.dense = places(source.dense_names, wanted.dense_names);

  std::vector<std::string> differences;
  if (!named && source.dense_features != wanted.dense_features)
    differences.push_back(
        concat("it has ", counted(source.dense_features, "dense feature"), ", not ", wanted.dense_features));
  compare_names("feature", source.features, wanted.features, differences);
  if (named) compare_names("dense feature", source.dense_names, wanted.dense_names, differences);
  if (!source.transforms.empty() && !wanted.transforms.empty())
    for (std::size_t k = 0; k < order.dense.size() && k < wanted.transforms.size(); ++k) {
      if (order.dense[k] < 0 || order.dense[k] >= std::ssize(source.transforms)) continue;
      const std::string &here = source.transforms[order.dense[k]], &there = wanted.transforms[k];
      const std::string name = named ? quoted(wanted.dense_names[k]) : std::to_string(k);
      if (here != there)
        differences.push_back("its dense feature " + name + " has the transform " + quoted(here) + ", not " +
                              quoted(there));
    }
  if (!share_ids(source, wanted))
    differences.push_back("its ids mean other things (vocabulary_digest " + source.vocabulary + ", not " +
                          wanted.vocabulary + ")");
  if (!source.labels.empty() && !wanted.labels.empty() && source.labels != wanted.labels)
    differences.push_back("its labels mean other things (" + source.labels + "; not: " + wanted.labels + ")");
  if (!differences.empty())
    fail(source.description, " does not fit ", wanted.description, ": ", join(differences, "; "),
         "; preprocess both with one deck");
  return order;
}

std::unique_ptr<Source> in_order(std::unique_ptr<Source> source, const SourceInfo& wanted) {
  const SourceInfo& info = source->info();
  const ColumnOrder order = column_order(info, wanted);
  if (const auto unknown = unknown_facts(info, wanted); !unknown.empty())
    log_info(concat(info.description, " or ", wanted.description, " does not say its ", join(unknown, " and "),
                    ": whether they agree is not checked"));
  if (order.is_same()) return source;
  log_info(info.description + ": its columns stand in another order than those of " + wanted.description +
           "; they are taken by name");
  return std::make_unique<OrderedSource>(std::move(source), order);
}

}  // namespace tesserec::data
