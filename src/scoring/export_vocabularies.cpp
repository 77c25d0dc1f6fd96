// SPDX-License-Identifier: Apache-2.0
#include "export_vocabularies.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/schema/raw_rows.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/vocabulary_file.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/parted_file.hpp>

namespace tesserec::scoring {
namespace {

/// Vocabulary of a feature as a data set stores it.
struct StoredTokens {
  std::vector<Index> offsets;
  std::vector<std::uint8_t> bytes;
};

StoredTokens read_tokens(const store::PartedFile& file, const std::string& feature) {
  const std::string group = "/vocabulary/" + feature;
  StoredTokens tokens{file.read_all<Index>(group + "/offsets"), file.read_all<std::uint8_t>(group + "/tokens")};
  const std::vector<Index>& offsets = tokens.offsets;
  const bool valid = offsets.size() >= 2 && offsets[0] == 0 && offsets[1] == 0 && std::ranges::is_sorted(offsets) &&
                     offsets.back() == std::ssize(tokens.bytes);
  if (!valid) fail(file.path(), ": ", group, "/offsets is damaged; preprocess the raw files again");
  return tokens;
}

FolderVocabulary write_vocabulary(const StoredTokens& tokens, const std::string& feature, const std::string& folder,
                                  const std::string& name) {
  ExportedFile file(folder, name);
  const char* const text = reinterpret_cast<const char*>(tokens.bytes.data());
  file.write(std::as_bytes(std::span<const std::uint64_t>(vocabulary_table(tokens.offsets, text))));
  file.write(std::as_bytes(std::span<const Index>(tokens.offsets)));
  file.write(std::as_bytes(std::span<const std::uint8_t>(tokens.bytes)));
  return {.feature = feature, .rows = std::ssize(tokens.offsets) - 1, .file = file.finish()};
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

/// Writes the vocabularies of `features`, and compares all of the data set's with the digest of the training.
std::vector<FolderVocabulary> write_all(const store::PartedFile& file, const TrainedFacts& facts,
                                        const std::vector<std::string>& features, const std::string& folder) {
  const auto names = file.index().attribute<std::vector<std::string>>("/", "features");
  std::vector<std::string> rules(names.size(), "vocabulary");
  if (file.index().has_attribute("/", "encodings"))
    rules = file.index().attribute<std::vector<std::string>>("/", "encodings");
  std::vector<FolderVocabulary> written;
  std::map<std::string, std::uint64_t> checksums;
  for (std::size_t f = 0; f < names.size() && f < rules.size(); ++f) {
    Signals::check();
    const auto add = [&](const std::string& name, const void* data, Index bytes) {
      checksums[name] = store::bytes_checksum(name, data, bytes);
    };
    if (rules[f] != "vocabulary") {
      add(names[f] + "/encoding", rules[f].data(), std::ssize(rules[f]));
      continue;
    }
    const StoredTokens tokens = read_tokens(file, names[f]);
    add(names[f] + "/tokens", tokens.bytes.data(), std::ssize(tokens.bytes));
    add(names[f] + "/offsets", tokens.offsets.data(), std::ssize(tokens.offsets) * Index{sizeof(Index)});
    if (std::ranges::count(features, names[f]) == 0) continue;
    written.push_back(write_vocabulary(tokens, names[f], folder,
                                       "vocabulary_" + right(std::to_string(written.size()), 4, '0') + ".tokens"));
  }
  if (const std::string digest = store::combined_digest(checksums); digest != facts.vocabulary)
    fail(file.path(), ": its vocabulary has the digest ", digest, ", not ", facts.vocabulary,
         ", so it is damaged; preprocess the raw files again, or move it away to export without raw values");
  if (written.size() != features.size())
    fail(file.path(), " has vocabularies of ", written.size(), " of the model's ", features.size(), " features");
  return written;
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

void export_vocabularies(const ExportSource& source, const std::string& dataset, const std::string& folder,
                         ModelManifest& manifest) {
  const TrainedFacts& facts = source.facts();
  std::vector<std::string> features;
  std::optional<store::PartedFile> file;
  try {
    features = raw_vocabularies(facts, served_features(source.tables()));
    if (features.empty() && !dataset.empty()) fail("no feature of the model has a vocabulary; leave --vocabulary out");
    if (!features.empty()) file.emplace(dataset.empty() ? open_training_data(facts) : open_vocabulary(dataset, facts));
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    if (!dataset.empty()) fail("--vocabulary ", dataset, ": ", error.what());
    manifest.no_raw = error.what();
    return;
  }
  manifest.raw = file ? write_all(*file, facts, features, folder) : std::vector<FolderVocabulary>();
}

}  // namespace tesserec::scoring
