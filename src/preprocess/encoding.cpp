// SPDX-License-Identifier: Apache-2.0
#include "encoding.hpp"

#include <cstdint>
#include <map>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::preprocess {

std::vector<std::string> Encoding::transform_descriptions() const {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < transforms.size(); ++k)
    texts.push_back(layout.indicator[k] ? "missing_indicator" : transforms[k].description());
  return texts;
}

std::vector<Index> Encoding::rows() const {
  std::vector<Index> rows;
  for (std::size_t f = 0; f < vocabularies.size(); ++f) {
    const FeatureForm& form = layout.forms[f];
    const Index hashed_rows = form.any_ids() ? data::any_id : form.max_rows;
    rows.push_back(form.hashed() ? hashed_rows : vocabularies[f].rows());
  }
  return rows;
}

std::vector<std::string> Encoding::known_values() const {
  std::vector<std::string> values;
  for (const Vocabulary& vocabulary : vocabularies)
    values.push_back(vocabulary.rows() > 1 ? shown(vocabulary.token(1)) : std::string());
  return values;
}

std::string Encoding::vocabulary_digest() const {
  std::map<std::string, std::uint64_t> checksums;
  for (std::size_t f = 0; f < vocabularies.size(); ++f) {
    const std::string& name = layout.features[f];
    if (const std::string rule = layout.forms[f].rule(); layout.forms[f].hashed()) {
      checksums[name + "/encoding"] = store::bytes_checksum(name + "/encoding", rule.data(), std::ssize(rule));
      continue;
    }
    const std::vector<Index> offsets = vocabularies[f].offsets();
    checksums[name + "/tokens"] =
        store::bytes_checksum(name + "/tokens", vocabularies[f].bytes().data(), std::ssize(vocabularies[f].bytes()));
    checksums[name + "/offsets"] =
        store::bytes_checksum(name + "/offsets", offsets.data(), Index(offsets.size() * sizeof(Index)));
  }
  return store::combined_digest(checksums);
}

Encoding learn_encoding(const comm::Communicator& comm, Survey& train, const RowLayout& layout, Index minimum_count) {
  Encoding encoding{layout, make_transforms(layout, train.moments), {}, minimum_count, {}, {}, {}};
  for (std::size_t f = 0; f < layout.features.size(); ++f) {
    const TokenCounts counts = merge(comm, train.tokens[f]);
    train.tokens[f] = {};
    encoding.values.push_back(counts.tokens.size());
    const FeatureForm& form = layout.forms[f];
    encoding.collisions.push_back(form.max_rows > 0 ? collisions(counts, form.max_rows) : 0);
    const TokenCounts none;
    comm::agree(comm, [&] {
      encoding.vocabularies.emplace_back(layout.features[f], form.hashed() ? none : counts, minimum_count);
    });
  }
  return encoding;
}

void extend_encoding(const comm::Communicator& comm, Survey& train, Index minimum_count, Encoding& encoding) {
  encoding.bases.push_back(encoding.vocabulary_digest());
  encoding.base_rows = encoding.rows();
  encoding.minimum_count = minimum_count;
  for (std::size_t f = 0; f < encoding.vocabularies.size(); ++f) {
    const TokenCounts counts = merge(comm, train.tokens[f]);
    train.tokens[f] = {};
    encoding.values.push_back(counts.tokens.size());
    if (encoding.layout.forms[f].hashed()) continue;
    comm::agree(comm, [&] { encoding.vocabularies[f].extend(encoding.layout.features[f], counts, minimum_count); });
  }
}

}  // namespace tesserec::preprocess
