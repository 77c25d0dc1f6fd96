// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include "dataset_vocabularies.hpp"
#include "raw_plan.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>

namespace tesserec::scoring {
namespace {

/// Bytes that samples may read of shared texts over and over, about a second's work.
constexpr Index most_repeated_bytes = Index{1} << 30;

/// Returns the last `length` items of a sequence in one text.
std::string_view last_items(std::string_view text, Index length) {
  std::size_t at = text.size();
  for (Index items = 0; items < length; ++items) {
    if (at == 0) return text;
    const std::size_t found = text.rfind(item_separator[0], at - 1);
    if (found == std::string_view::npos) return text;
    at = found;
  }
  return text.substr(at + 1);
}

void check_offsets(Index samples, const RawTexts& texts, const std::string& name) {
  if (texts.offsets == nullptr) return;
  const Index count = texts.shared ? std::min<Index>(1, samples) : samples;
  for (Index s = 0; s < count; ++s)
    if (texts.offsets[s] < 0 || texts.offsets[s + 1] < texts.offsets[s])
      fail("column ", name, ", sample ", s, ": offset ", texts.offsets[s + 1], " follows ", texts.offsets[s],
           "; offsets start at 0 or more and must not decrease");
}

/// Adds counts to others.
void add(std::vector<Index>& to, const std::vector<Index>& other) {
  to.resize(std::max(to.size(), other.size()), 0);
  for (std::size_t i = 0; i < other.size(); ++i) to[i] += other[i];
}

}  // namespace

RawCounts& RawCounts::operator+=(const RawCounts& other) {
  add(missing, other.missing);
  add(clipped, other.clipped);
  add(values, other.values);
  add(unknown, other.unknown);
  add(cut, other.cut);
  return *this;
}

std::vector<ScoredBags> OwnedSamples::bags() const {
  std::vector<ScoredBags> all;
  for (const SampleBags& feature : sparse)
    all.push_back({.offsets = feature.offsets.data(),
                   .ids = feature.ids.data(),
                   .weights = feature.weights.empty() ? nullptr : feature.weights.data(),
                   .shared = feature.shared});
  return all;
}

std::vector<ServedFeature> served_features(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::vector<ServedFeature> all;
  for (const embedding::EmbeddingBagConfig& table : tables)
    for (const std::string& name : table.feature_names) {
      const auto found = std::ranges::find(all, name, &ServedFeature::name);
      if (found == all.end())
        all.push_back({name, table.weighted});
      else
        found->weighted = found->weighted || table.weighted;
    }
  return all;
}

struct RawInputs::Parts {
  /// Returns for each column whether it makes shared inputs alone, so that samples behind the first do without it.
  /// Throws Error if the samples would read the texts of the other shared columns too often.
  std::vector<bool> read_once(std::span<const RawTexts> texts, const OwnedSamples& to) const;
  /// Sets the fields of a row to the texts of a sample; those of `left_out` are missing.
  void set_fields(Index sample, std::span<const RawTexts> texts, const std::vector<bool>& left_out,
                  raw::Row& row) const;
  /// Counts the row's missing values and clipped numbers of the columns but `left_out`.
  void count_columns(const raw::Row& row, const std::vector<bool>& left_out, RawCounts& counts) const;
  void add_numbers(Index sample, const raw::Row& row, OwnedSamples& to) const;
  /// Appends the row's values of a feature.
  void add_values(const raw::Row& row, std::size_t feature, SampleBags& to, RawCounts& counts) const;

  RawPlan plan;
  std::vector<RawColumn> columns;
  std::vector<std::optional<VocabularyFile>> vocabularies = {};  ///< [features]; none if hashed
};

RawInputs::RawInputs(const std::string& folder, const ModelManifest& manifest,
                     const std::vector<ServedFeature>& features)
    : parts_(new Parts{raw_plan(manifest.facts, features), {}}) {
  for (const ServedFeature& feature : features) {
    std::optional<VocabularyFile>& vocabulary = parts_->vocabularies.emplace_back();
    const auto stored = std::ranges::find(*manifest.raw, feature.name, &FolderVocabulary::feature);
    if (stored == manifest.raw->end()) continue;
    require_file(folder, stored->file);
    vocabulary.emplace(folder + "/" + stored->file.name, stored->rows, stored->file.bytes);
  }
  complete(manifest.facts, features, "export the model again");
}

RawInputs::RawInputs(const TrainedFacts& facts, const std::vector<ServedFeature>& features, const std::string& dataset)
    : parts_(new Parts{raw_plan(facts, features), {}}) {
  parts_->vocabularies.resize(features.size());
  DatasetVocabularies(facts, features, dataset).each([&](const std::string& feature, const StoredTokens& tokens) {
    const auto place = std::ranges::find(features, feature, &ServedFeature::name) - features.begin();
    parts_->vocabularies[std::size_t(place)].emplace("the vocabulary of feature " + feature, tokens.offsets,
                                                     tokens.text());
  });
  complete(facts, features, "preprocess the raw files again, or name the data set with --vocabulary");
}

void RawInputs::complete(const TrainedFacts& facts, const std::vector<ServedFeature>& features, const char* advice) {
  for (const PlannedColumn& column : parts_->plan.columns) parts_->columns.push_back(column.column);
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (parts_->plan.features[f].form.hashed()) continue;
    const auto& vocabulary = parts_->vocabularies[f];
    const auto data = std::ranges::find(facts.features, features[f].name, &embedding::DataFeature::name);
    if (!vocabulary || data == facts.features.end() || data->ids != vocabulary->rows())
      fail(facts.file, ": the vocabulary of feature ", features[f].name,
           " is missing or has another number of ids than the model; ", advice);
  }
}

RawInputs::~RawInputs() = default;
const std::vector<RawColumn>& RawInputs::columns() const { return parts_->columns; }

std::vector<bool> RawInputs::Parts::read_once(std::span<const RawTexts> texts, const OwnedSamples& to) const {
  std::vector<bool> once;
  Index repeated = 0;
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    bool is_once = texts[c].shared && plan.has_null && (!plan.columns[c].is_number || to.shared_dense);
    for (std::size_t f = 0; f < plan.features.size(); ++f)
      is_once = is_once && (to.sparse[f].shared || std::ranges::count(plan.features[f].columns, c) == 0);
    once.push_back(is_once);
    if (texts[c].shared && !is_once && texts[c].offsets != nullptr)
      repeated += texts[c].offsets[1] - texts[c].offsets[0];
  }
  if (to.samples > 0 && repeated > most_repeated_bytes / to.samples)
    fail("the columns that all samples share and that make no input alone have ", counted(repeated, "byte"), " for ",
         counted(to.samples, "sample"), ", together more than ", most_repeated_bytes,
         "; score fewer samples at a time");
  return once;
}

void RawInputs::Parts::set_fields(Index sample, std::span<const RawTexts> texts, const std::vector<bool>& left_out,
                                  raw::Row& row) const {
  row.fields.quoted = false;
  row.fields.texts.assign(plan.fields, std::string_view(""));
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const RawTexts& column = texts[c];
    std::string_view text = plan.null;
    if (column.offsets != nullptr && !left_out[c]) {
      const Index* const at = column.offsets + (column.shared ? 0 : sample);
      text = std::string_view(column.bytes + at[0], std::size_t(at[1] - at[0]));
    }
    if (plan.columns[c].length > 0) text = text.empty() ? plan.null : last_items(text, plan.columns[c].length);
    row.fields.texts[plan.columns[c].field] = text;
  }
}

void RawInputs::Parts::count_columns(const raw::Row& row, const std::vector<bool>& left_out, RawCounts& counts) const {
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    if (left_out[c]) continue;
    const PlannedColumn& column = plan.columns[c];
    if (column.is_number) {
      const double number = row.numbers[column.probe];
      const bool is_log = plan.format->layout().transforms[column.probe] == raw::Transform::log1p;
      counts.missing[c] += std::isnan(number) ? 1 : 0;
      counts.clipped[c] += is_log && number < 0 ? 1 : 0;
      continue;
    }
    const std::size_t begin = column.probe == 0 ? 0 : row.ends[column.probe - 1];
    counts.missing[c] += begin == row.ends[column.probe] || !row.tokens[begin] ? 1 : 0;
  }
}

void RawInputs::Parts::add_numbers(Index sample, const raw::Row& row, OwnedSamples& to) const {
  try {
    for (std::size_t k = 0; k < plan.dense.size(); ++k)
      to.dense.push_back(plan.transforms[k](row.numbers[plan.dense[k]]));
  } catch (const Error& error) {
    fail("sample ", sample, ": ", error.what());
  }
}

void RawInputs::Parts::add_values(const raw::Row& row, std::size_t f, SampleBags& to, RawCounts& counts) const {
  const PlannedFeature& feature = plan.features[f];
  const auto find = [&](std::string_view token) {
    const Index id = vocabularies[f]->id(token);
    counts.unknown[f] += id == 0 ? 1 : 0;
    return id;
  };
  for (std::size_t v = feature.place == 0 ? 0 : row.ends[feature.place - 1]; v < row.ends[feature.place]; ++v) {
    counts.values[f] += row.tokens[v] ? 1 : 0;
    to.ids.push_back(feature.form.id(row.tokens[v], find));
    if (feature.weighted) to.weights.push_back(row.value_weights[v]);
  }
  counts.cut[f] += row.cut[feature.place];
  to.offsets.push_back(std::ssize(to.ids));
}

void RawInputs::encode(Index samples, std::span<const RawTexts> texts, OwnedSamples& to, RawCounts& counts) const {
  const RawPlan& plan = parts_->plan;
  if (texts.size() != plan.columns.size())
    fail("there are raw values of ", counted(std::ssize(texts), "column"), ", but the model takes ",
         plan.columns.size());
  for (std::size_t c = 0; c < texts.size(); ++c) check_offsets(samples, texts[c], plan.columns[c].column.name);
  const auto is_shared = [&](std::size_t column) { return texts[column].shared; };
  to = {.samples = samples, .dense = {}, .sparse = std::vector<SampleBags>(plan.features.size())};
  to.shared_dense = !plan.dense.empty();
  for (std::size_t c = 0; c < plan.columns.size(); ++c)
    to.shared_dense = to.shared_dense && (!plan.columns[c].is_number || texts[c].shared);
  for (std::size_t f = 0; f < plan.features.size(); ++f) {
    to.sparse[f].shared = std::ranges::all_of(plan.features[f].columns, is_shared);
    to.sparse[f].offsets.push_back(0);
  }
  const std::vector<Index> of_columns(plan.columns.size(), 0), of_features(plan.features.size(), 0);
  RawCounts counted_here{
      .missing = of_columns, .clipped = of_columns, .values = of_features, .unknown = of_features, .cut = of_features};
  const std::vector<bool> once = parts_->read_once(texts, to);
  std::vector<bool> left_out(once.size(), false);
  raw::Row row;
  for (Index s = 0; s < samples; ++s) {
    parts_->set_fields(s, texts, left_out, row);
    if (const std::string reason = plan.format->parse_fields(plan.places, row); !reason.empty())
      fail("sample ", s, ": ", reason);
    parts_->count_columns(row, left_out, counted_here);
    if (s == 0) {
      for (std::size_t c = 0; c < once.size(); ++c) {
        if (!once[c]) continue;
        counted_here.missing[c] *= samples;  // The others have the same text.
        counted_here.clipped[c] *= samples;
      }
      left_out = once;
    }
    if (s == 0 || !to.shared_dense) parts_->add_numbers(s, row, to);
    for (std::size_t f = 0; f < plan.features.size(); ++f)
      if (s == 0 || !to.sparse[f].shared) parts_->add_values(row, f, to.sparse[f], counted_here);
  }
  if (samples == 0) {  // Nothing is shared then.
    to.shared_dense = false;
    for (SampleBags& bags : to.sparse) bags.shared = false;
  }
  counts += counted_here;
}

}  // namespace tesserec::scoring
