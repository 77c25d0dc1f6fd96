// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <tesserec/core/text.hpp>
#include <tesserec/data/synthetic.hpp>

namespace tesserec::data {

std::vector<Index> synthetic_rows(const SyntheticSettings& settings) {
  std::vector<Index> rows = settings.rows;
  for (Index& n : rows)
    if (settings.max_rows > 0) n = std::min(n, settings.max_rows);
  return rows;
}

std::vector<std::string> synthetic_features(const SyntheticSettings& settings) {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < settings.rows.size(); ++f)
    names.push_back(std::string("C").append(std::to_string(f + 1)));
  return names;
}

IdLaw id_law(const SyntheticSettings& settings) {
  return settings.ids.value_or(settings.kind == SyntheticKind::planted ? IdLaw::zipf : IdLaw::uniform);
}

double zipf_exponent(const SyntheticSettings& settings) {
  return id_law(settings) == IdLaw::zipf ? settings.zipf : 0.0;
}

bool draws_in_order(const SyntheticSettings& settings) {
  return settings.bit_generator == BitGenerator::mt19937 || id_law(settings) == IdLaw::trace;
}

BagLength bag_length(const SyntheticSettings& settings, std::size_t feature) {
  const bool variable = settings.variable_bags.value_or(false);
  if (settings.bag_lengths.empty()) return {settings.ids_per_bag, variable};
  const Index max_ids = settings.bag_lengths[feature];
  return {max_ids, variable && max_ids > 1};
}

namespace {

std::string name_of(IdLaw law) {
  const char* const names[] = {"uniform", "gaussian", "zipf", "trace"};
  return names[std::size_t(law)];
}

/// Returns the first fault of the law of the ids and of its keys.
std::optional<SyntheticFault> law_fault(const SyntheticSettings& s) {
  const IdLaw law = id_law(s);
  const std::string name = name_of(law);
  if (s.kind == SyntheticKind::planted && (law == IdLaw::gaussian || law == IdLaw::trace))
    return {{"ids", concat("is ", name, ", which applies only to kind = \"reference\"")}};
  const bool twister = s.kind == SyntheticKind::reference && s.bit_generator == BitGenerator::mt19937;
  if (twister && (law == IdLaw::zipf || law == IdLaw::trace))
    return {{"ids", concat("is ", name, ", which does not use mt19937; set bit_generator = \"philox\"")}};
  if (law == IdLaw::trace && s.profile.empty())
    return {{"profile", "is missing; name a file that `tesserec generate --profile` has written"}};
  if (law != IdLaw::trace && !s.profile.empty()) return {{"profile", "applies only to ids = \"trace\""}};
  if (law == IdLaw::trace && (s.variable_bags || s.ids_per_bag != 1))
    return {{s.variable_bags ? "variable_bags" : "ids_per_bag",
             "does not apply to ids = \"trace\", whose profile has "
             "the lengths of bags; remove it"}};
  for (const auto& [key, is_set] :
       {std::pair("gaussian_mu", s.gaussian_mu.has_value()), std::pair("gaussian_sigma", s.gaussian_sigma.has_value()),
        std::pair("gaussian_min", s.gaussian_min.has_value()), std::pair("gaussian_max", s.gaussian_max.has_value())})
    if (is_set && law != IdLaw::gaussian) return {{key, "applies only to ids = \"gaussian\""}};
  if (s.gaussian_max && *s.gaussian_max < s.gaussian_min.value_or(0))
    return {{"gaussian_max", concat("is ", *s.gaussian_max, ", below gaussian_min = ", s.gaussian_min.value_or(0),
                                    "; raise it, or lower gaussian_min")}};
  return {};
}

/// Returns the first fault of the labels and of their keys.
std::optional<SyntheticFault> labels_fault(const PlantedLabels& labels) {
  if (labels.names.size() == 1)
    return {{"labels", "has one name; name at least two labels, or leave labels out for one without a name"}};
  if (std::set<std::string>(labels.names.begin(), labels.names.end()).size() != labels.names.size())
    return {{"labels", concat("is ", join(labels.names), "; names must be unique")}};
  for (const auto& [key, is_set] :
       {std::pair("label_rates", !labels.rates.empty()), std::pair("missing_labels", labels.missing > 0),
        std::pair("label_funnel", labels.funnel)})
    if (is_set && labels.names.empty()) return {{key, "applies only to several labels"}};
  if (!labels.rates.empty() && labels.rates.size() != labels.names.size())
    return {{"label_rates", concat("has ", counted(std::ssize(labels.rates), "number"), " for ",
                                   counted(std::ssize(labels.names), "label"), "; give one for each of labels")}};
  for (const double rate : labels.rates)
    if (!(rate > 0 && rate < 1)) return {{"label_rates", "must be between 0 and 1, both excluded"}};
  if (!(labels.correlation >= -1 && labels.correlation <= 1))
    return {{"label_correlation", "must be between -1 and 1"}};
  if (!(labels.missing >= 0 && labels.missing < 1)) return {{"missing_labels", "must be at least 0 and below 1"}};
  return {};
}

/// Returns whether a feature has exactly one id in each sample.
bool is_single(const SyntheticSettings& settings, std::size_t feature) {
  const BagLength bag = bag_length(settings, feature);
  return bag.max_ids == 1 && !bag.variable;
}

/// Returns the first fault of the sequence.
std::optional<SyntheticFault> sequence_fault(const SyntheticSettings& s) {
  if (s.sequence.empty()) return {};
  const std::vector<std::string> features = synthetic_features(s);
  if (s.sequence.size() != 2 || s.sequence[0] == s.sequence[1])
    return {{"sequence", "must name two different features, the item's and the one of the items before it"}};
  if (!s.pair.empty()) return {{"sequence", "applies only to a model without a pair; remove one of the two"}};
  std::vector<std::size_t> places;
  for (const std::string& feature : s.sequence) {
    const auto found = std::find(features.begin(), features.end(), feature);
    if (found == features.end())
      return {
          {"sequence", concat("names \"", feature, "\", which is not a feature; the features are ", join(features))}};
    places.push_back(std::size_t(found - features.begin()));
  }
  if (!is_single(s, places[0]))
    return {{"sequence", concat("names the item \"", s.sequence[0],
                                "\", which does not have exactly one id in each sample; set bag_lengths")}};
  const std::vector<Index> rows = synthetic_rows(s);
  if (rows[places[0]] != rows[places[1]])
    return {{"sequence", concat("names \"", s.sequence[0], "\" with ", rows[places[0]], " rows and \"", s.sequence[1],
                                "\" with ", rows[places[1]], "; give both the same items, so equally many rows")}};
  return {};
}

}  // namespace

std::size_t item_feature(const SyntheticSettings& settings, std::size_t feature) {
  const std::vector<std::string> names = synthetic_features(settings);
  if (settings.sequence.empty() || names[feature] != settings.sequence.back()) return feature;
  return std::size_t(std::find(names.begin(), names.end(), settings.sequence.front()) - names.begin());
}

std::optional<SyntheticFault> fault(const SyntheticSettings& settings) {
  const std::vector<std::string> features = synthetic_features(settings);
  for (const auto& [key, is_set] :
       {std::pair("bag_lengths", !settings.bag_lengths.empty()), std::pair("pair", !settings.pair.empty()),
        std::pair("sequence", !settings.sequence.empty()), std::pair("labels", !settings.labels.names.empty())})
    if (is_set && settings.kind != SyntheticKind::planted) return {{key, "applies only to kind = \"planted\""}};
  const double unset = 1;  // default of both strengths
  if (settings.pair.empty() && settings.pair_strength != unset)
    return {{"pair_strength", "applies only with pair; name two features there, or remove pair_strength"}};
  if (settings.sequence.empty() && settings.sequence_strength != unset)
    return {{"sequence_strength", "applies only with sequence; name two features there, or remove sequence_strength"}};
  if (auto law = law_fault(settings)) return law;
  if (settings.hashed && settings.bit_generator == BitGenerator::mt19937)
    return {
        {"hashed", "does not apply to bit_generator = \"mt19937\", whose batches are those of the reference program"}};
  if (!settings.bag_lengths.empty() && settings.bag_lengths.size() != features.size())
    return {{"bag_lengths", concat("has ", counted(std::ssize(settings.bag_lengths), "length"), " for ",
                                   counted(std::ssize(features), "feature"), "; bag_lengths must be as long as rows")}};
  if (auto labels = labels_fault(settings.labels)) return labels;
  if (auto sequence = sequence_fault(settings)) return sequence;
  if (settings.pair.empty()) return {};
  if (settings.pair.size() != 2 || settings.pair[0] == settings.pair[1])
    return {{"pair", "must name two different features, the query's and the item's"}};
  for (const std::string& feature : settings.pair) {
    const auto found = std::find(features.begin(), features.end(), feature);
    if (found == features.end())
      return {{"pair", concat("names \"", feature, "\", which is not a feature; the features are ", join(features))}};
    if (!is_single(settings, found - features.begin()))
      return {{"pair",
               concat("names \"", feature, "\", which does not have exactly one id in each sample; set bag_lengths")}};
  }
  return {};
}

}  // namespace tesserec::data
