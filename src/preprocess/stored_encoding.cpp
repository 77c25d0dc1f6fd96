// SPDX-License-Identifier: Apache-2.0
// Reading of the encoding of a dataset that preprocess wrote earlier.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "encoding.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/data/columns.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/parallel_io/state.hpp>
#include <tesserec/raw/feature_form.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/raw/times.hpp>
#include <tesserec/store/state.hpp>

namespace tesserec::preprocess {
namespace {

constexpr const char* key = "preprocess.vocabulary: ";

template <class T>
T attribute_of(const store::File& file, const char* attribute) {
  if (!file.has_attribute("/", attribute))
    fail(key, file.path(), " has no attribute ", attribute, "; give a training file that `tesserec preprocess` wrote");
  return file.attribute<T>("/", attribute);
}

/// Parses the transforms `texts` of the dense features `names`. Throws Error, naming the feature.
std::vector<NumberTransform> transforms_of(const store::File& file, const std::vector<std::string>& names,
                                           const std::vector<std::string>& texts) {
  std::vector<NumberTransform> transforms;
  if (texts.size() != names.size())
    fail(key, file.path(), ": attribute transforms has ", counted(texts.size(), "value"), " for ",
         counted(names.size(), "dense feature"), "; preprocess its raw files again");
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const auto read = NumberTransform::described(names[k], texts[k] == indicator_rule ? "none" : texts[k]);
    if (!read)
      fail(key, file.path(), ": \"", texts[k], "\" of dense feature ", names[k],
           " is not a valid transform; preprocess its raw files again");
    transforms.push_back(*read);
  }
  return transforms;
}

/// Returns the rules of the transforms, without measured values. `indicates`: whether a feature is a missing indicator.
std::vector<std::string> rules(const std::vector<NumberTransform>& transforms,
                               const std::function<bool(std::size_t)>& indicates) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < transforms.size(); ++k)
    texts.push_back(indicates(k) ? indicator_rule : transforms[k].rule());
  return texts;
}

data::SourceInfo wanted_of(const RowLayout& layout, bool labelled) {
  data::SourceInfo wanted;
  wanted.description = "the columns of [preprocess]";
  wanted.dense_names = layout.dense_features;
  wanted.dense_features = std::ssize(layout.dense_features);
  wanted.features = layout.features;
  const std::vector<Moments> no_moments(layout.transforms.size());
  wanted.transforms = rules(make_transforms(layout, no_moments), [&](std::size_t k) { return layout.indicator[k]; });
  if (labelled) wanted.labels = layout.labels;
  return wanted;
}

Vocabulary vocabulary_of(const store::PartedFile& file, const std::string& feature) {
  const std::string group = "/vocabulary/" + feature;
  if (!file.index().exists(group + "/tokens") || !file.index().exists(group + "/offsets"))
    fail(key, file.path(), " holds no vocabulary (there is no ", group,
         "); give a training file that `tesserec preprocess` wrote");
  return {file.path() + ": " + group, file.read_all<std::uint8_t>(group + "/tokens"),
          file.read_all<Index>(group + "/offsets")};
}

/// Throws Error if the ids of a feature were made by another rule than the layout's, or its values in another
/// way. `features`: those of the file, which says nothing of values if it is older.
void require_rules(const store::File& file, const std::vector<std::string>& features, const RowLayout& layout) {
  std::vector<std::string> rules(features.size(), FeatureForm().rule());
  if (file.has_attribute("/", rules_attribute)) rules = attribute_of<std::vector<std::string>>(file, rules_attribute);
  for (std::size_t f = 0; f < layout.features.size(); ++f) {
    const auto place = std::find(features.begin(), features.end(), layout.features[f]) - features.begin();
    const auto [ids, definition] = parts_of_rule(place < std::ssize(rules) ? rules[place] : std::string());
    const FeatureForm& form = layout.forms[f];
    if (ids != form.id_rule())
      fail(key, file.path(), ": ids of ", layout.features[f], " are \"", ids, "\", but preprocess.column says \"",
           form.id_rule(), "\"; give the column the same ids and max_rows");
    if (!definition.empty() && definition != form.definition)
      fail(key, file.path(), ": values of ", layout.features[f], " are \"", definition,
           "\", but preprocess.column says \"", form.definition.empty() ? "a text of the file" : form.definition,
           "\"; give the column the cross, buckets or separator of the training");
  }
}

/// Throws Error if a feature has quantiles in the file, whose `features` are given, but not in the layout.
void require_quantiles(const store::File& file, const std::vector<std::string>& features, const RowLayout& layout) {
  if (!file.has_attribute("/", borders_attribute)) return;
  const auto borders = attribute_of<std::vector<std::string>>(file, borders_attribute);
  for (std::size_t f = 0; f < layout.features.size(); ++f) {
    const std::string& name = layout.features[f];
    const auto place = std::size_t(std::find(features.begin(), features.end(), name) - features.begin());
    if (!layout.borders[f].empty() || place >= borders.size() || borders[place].empty()) continue;
    const std::string quantiles = borders[place].substr(0, borders[place].find(':'));
    fail(key, file.path(), ": ", name, " has ", quantiles, " quantiles there, but preprocess.column ", name,
         " has none; set quantiles = ", quantiles);
  }
}

/// Returns the columns of times that have another form in the file, which says nothing of them if it is older.
std::vector<ChangedTime> changed_times(const store::File& file, const RowLayout& layout) {
  std::vector<ChangedTime> changed;
  if (!file.has_attribute("/", times_attribute)) return changed;
  const auto stored = attribute_of<std::vector<std::string>>(file, times_attribute);
  for (const Column& column : layout.columns) {
    if (column.kind != ColumnKind::time) continue;
    for (const std::string& text : stored) {
      const std::size_t line = text.find('\n');
      const std::size_t end = line != std::string::npos ? line : text.find(' ');  // older: a space, which no form had
      if (text.substr(end + 1) != column.name) continue;
      if (const std::string before = text.substr(0, end); before != column.time)
        changed.push_back({column.name, column.time, before});
    }
  }
  return changed;
}

/// Throws Error unless the file is a dataset.
void require_dataset(const store::File& file) {
  if (attribute_of<std::string>(file, "format") != data::dataset_format)
    fail(key, file.path(),
         " is an HDF5 file but not a data set; give a training file that `tesserec preprocess` wrote");
}

/// Opens the dataset of the vocabulary. Collective.
store::PartedFile open_vocabulary(const comm::Communicator& comm, const std::string& path) {
  try {
    return parallel_io::open_state(comm, path);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    fail(key, error.what());
  }
}

Encoding encoding_of(const store::PartedFile& parted, const RowLayout& layout, bool labelled) {
  const store::File& file = parted.index();
  require_dataset(file);
  data::SourceInfo stored;
  stored.description = key + file.path();
  stored.features = attribute_of<std::vector<std::string>>(file, "features");
  stored.dense_names = attribute_of<std::vector<std::string>>(file, "dense_features");
  stored.dense_features = std::ssize(stored.dense_names);
  const auto texts = attribute_of<std::vector<std::string>>(file, "transforms");
  const std::vector<NumberTransform> transforms = transforms_of(file, stored.dense_names, texts);
  stored.transforms = rules(transforms, [&](std::size_t k) { return texts[k] == indicator_rule; });
  if (file.has_attribute("/", "label_values")) stored.labels = attribute_of<std::string>(file, "label_values");
  const data::ColumnOrder order = column_order(stored, wanted_of(layout, labelled));

  Encoding encoding;
  encoding.layout = layout;
  encoding.minimum_count = attribute_of<std::int64_t>(file, "minimum_count");
  for (const Index place : order.dense) encoding.transforms.push_back(transforms[place]);
  require_rules(file, stored.features, layout);
  require_quantiles(file, stored.features, layout);
  encoding.changed_times = changed_times(file, layout);
  for (std::size_t f = 0; f < layout.features.size(); ++f)
    encoding.vocabularies.push_back(layout.forms[f].hashed() ? Vocabulary()
                                                             : vocabulary_of(parted, layout.features[f]));
  if (file.has_attribute("/", bases_attribute))
    encoding.bases = attribute_of<std::vector<std::string>>(file, bases_attribute);
  encoding.vocabulary_digest = attribute_of<std::string>(file, "vocabulary_digest");
  return encoding;
}

}  // namespace

std::vector<std::string> time_forms(const RowLayout& layout) {
  std::vector<std::string> forms;
  for (const Column& column : layout.columns)
    if (column.kind == ColumnKind::time) forms.push_back(concat(column.time, "\n", column.name));
  return forms;
}

Encoding read_encoding(const comm::Communicator& comm, const std::string& path, const RowLayout& layout,
                       bool labelled) {
  std::optional<Encoding> encoding;
  const store::PartedFile file = open_vocabulary(comm, path);
  comm::agree(comm, [&] { encoding = encoding_of(file, layout, labelled); });
  if (const std::string digest = vocabulary_digest(comm, layout, encoding->vocabularies);
      digest != encoding->vocabulary_digest)
    fail(key, file.path(), ": vocabulary_digest is ", encoding->vocabulary_digest, ", but the vocabulary has ", digest,
         "; preprocess its raw files again");
  return std::move(*encoding);
}

void read_borders(const comm::Communicator& comm, const std::string& path, RowFormat& format) {
  const store::PartedFile parted = open_vocabulary(comm, path);
  comm::agree(comm, [&] {
    const store::File& file = parted.index();
    require_dataset(file);
    const auto features = attribute_of<std::vector<std::string>>(file, "features");
    std::vector<std::string> borders;
    if (file.has_attribute("/", borders_attribute))
      borders = attribute_of<std::vector<std::string>>(file, borders_attribute);
    try {
      set_stored_borders(format, features, borders);
    } catch (const Error& error) {
      fail(key, file.path(), ": ", error.what());
    }
  });
}

std::string vocabulary_of(const Settings& settings, const std::string& train_path) {
  const bool trains = !settings.train.empty();
  if (settings.extend && settings.vocabulary.empty())
    fail("preprocess.extend needs an existing vocabulary; name its data set in preprocess.vocabulary");
  if (settings.extend && !trains) fail("preprocess.extend needs new training files; name them in preprocess.train");
  const std::string path = settings.vocabulary.empty() && !trains ? train_path : settings.vocabulary;
  std::error_code error;
  if (settings.vocabulary.empty() && !trains && !std::filesystem::exists(path, error))
    fail("preprocess.train is empty and ", path,
         " does not exist; name raw training files, or a data set with a vocabulary in preprocess.vocabulary");
  if (!settings.vocabulary.empty() && !std::filesystem::exists(path, error))
    fail("preprocess.vocabulary: ", path, " does not exist; name a training file that `tesserec preprocess` wrote");
  if (trains && !path.empty() && std::filesystem::equivalent(path, train_path, error))
    fail("preprocess.vocabulary: ", path,
         " would be replaced by the new training data; give another preprocess.output");
  return path;
}

}  // namespace tesserec::preprocess
