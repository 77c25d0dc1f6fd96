// SPDX-License-Identifier: Apache-2.0
#include "dataset_vocabularies.hpp"

#include <algorithm>
#include <map>

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/raw/feature_form.hpp>
#include <tesserec/raw/quantiles.hpp>
#include <tesserec/schema/raw_rows.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::scoring {
namespace {

StoredTokens read_tokens(const store::PartedFile& file, const std::string& feature) {
  const std::string group = "/vocabulary/" + feature;
  StoredTokens tokens{file.read_all<Index>(group + "/offsets"), file.read_all<std::uint8_t>(group + "/tokens")};
  const std::vector<Index>& offsets = tokens.offsets;
  const bool valid = offsets.size() >= 2 && offsets[0] == 0 && offsets[1] == 0 && std::ranges::is_sorted(offsets) &&
                     offsets.back() == std::ssize(tokens.bytes);
  if (!valid) fail(file.path(), ": ", group, "/offsets is damaged; preprocess the raw files again");
  return tokens;
}

/// Opens a data set whose vocabulary has the digest of the training. Throws Error with the reason if it does not do.
store::PartedFile open_vocabulary(const std::string& path, const TrainedFacts& facts) {
  store::PartedFile file = store::PartedFile::open(path);
  if (!file.index().has_attribute("/", "vocabulary_digest"))
    fail(path, " has no vocabulary; name a training file that `tesserec preprocess` wrote");
  if (const auto digest = file.index().attribute<std::string>("/", "vocabulary_digest"); digest != facts.vocabulary)
    fail(path, " has the vocabulary ", digest, ", but the model was trained with ", facts.vocabulary);
  if (!file.index().exists("vocabulary"))
    fail(path, " has the digest of its vocabulary, but not the values: it was written from another set; name that one");
  return file;
}

/// Opens the first data set of the training data that does. Throws the Error of the last one.
store::PartedFile open_training_data(const TrainedFacts& facts) {
  const std::vector<std::string> paths = schema::training_data(facts.deck, facts.file + ": deck");
  if (paths.empty()) fail("the deck names no data.train; give the data set of the training with --vocabulary");
  for (std::size_t i = 0;; ++i) try {
      return open_vocabulary(paths[i], facts);
    } catch (const Stopped&) {
      throw;
    } catch (const Error& error) {
      if (i + 1 == paths.size()) fail(error.what(), "; give the data set of the training with --vocabulary");
    }
}

}  // namespace

DatasetVocabularies::DatasetVocabularies(const TrainedFacts& facts, const std::vector<ServedFeature>& features,
                                         const std::string& dataset)
    : digest_(facts.vocabulary), features_(raw_vocabularies(facts, features)) {
  if (features_.empty() && !dataset.empty()) fail("no feature of the model has a vocabulary; leave --vocabulary out");
  if (!features_.empty()) file_.emplace(dataset.empty() ? open_training_data(facts) : open_vocabulary(dataset, facts));
}

void DatasetVocabularies::each(const std::function<void(const std::string&, const StoredTokens&)>& take) const {
  if (!file_) return;
  const store::PartedFile& file = *file_;
  const auto names = file.index().attribute<std::vector<std::string>>("/", "features");
  std::vector<std::string> rules(names.size(), "vocabulary"), borders;
  if (file.index().has_attribute("/", "encodings"))
    rules = file.index().attribute<std::vector<std::string>>("/", "encodings");
  if (file.index().has_attribute("/", raw::borders_attribute))
    borders = file.index().attribute<std::vector<std::string>>("/", raw::borders_attribute);
  std::map<std::string, std::uint64_t> checksums;
  std::size_t taken = 0;
  for (std::size_t f = 0; f < names.size() && f < rules.size(); ++f) {
    Signals::check();
    const auto add = [&](const std::string& name, const void* data, Index bytes) {
      checksums[name] = store::bytes_checksum(name, data, bytes);
    };
    if (f < borders.size() && !borders[f].empty())
      add(names[f] + "/borders", borders[f].data(), std::ssize(borders[f]));
    if (const std::string rule = raw::parts_of_rule(rules[f]).first; rule != "vocabulary") {
      add(names[f] + "/encoding", rule.data(), std::ssize(rule));
      continue;
    }
    const StoredTokens tokens = read_tokens(file, names[f]);
    add(names[f] + "/tokens", tokens.bytes.data(), std::ssize(tokens.bytes));
    add(names[f] + "/offsets", tokens.offsets.data(), std::ssize(tokens.offsets) * Index{sizeof(Index)});
    if (std::ranges::count(features_, names[f]) == 0) continue;
    take(names[f], tokens);
    ++taken;
  }
  if (const std::string digest = store::combined_digest(checksums); digest != digest_)
    fail(file.path(), ": its vocabulary has the digest ", digest, ", not ", digest_,
         ", so it is damaged; preprocess the raw files again, or move it away to do without raw values");
  if (taken != features_.size())
    fail(file.path(), " has vocabularies of ", taken, " of the model's ", features_.size(), " features");
}

}  // namespace tesserec::scoring
