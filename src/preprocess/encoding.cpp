// SPDX-License-Identifier: Apache-2.0
#include "encoding.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "packing.hpp"
#include "scratch_folder.hpp"
#include "sorted_tokens.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/data/source.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::preprocess {
namespace {

constexpr const char* vocabulary_file = "vocabulary";

/// Returns the sorted tokens that an earlier start sealed; nullopt if there are none with this minimum_count, or if one
/// of their files is gone. Collective.
std::optional<std::vector<FeatureTokens>> sealed_tokens(const comm::Communicator& comm, const Learning& learning) {
  const std::vector<ScratchFolder::Sealed> sealed = learning.scratch.sealed(vocabulary_file);
  if (sealed.empty()) return std::nullopt;
  Unpacker unpacker(sealed.front().footer);
  if (unpacker.index() != learning.minimum_count) return std::nullopt;
  std::vector<FeatureTokens> tokens = unpack_tokens(unpacker.text(), learning.scratch);
  bool whole = true;
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::set<std::string> paths;
    for (const FeatureTokens& feature : tokens)
      for (const TokenPiece& piece : feature.pieces) paths.insert(piece.path);
    whole = std::all_of(paths.begin(), paths.end(),
                        [](const std::string& path) { return scratch_footer(path).has_value(); });
  });
  if (comm.min(Index{whole}) == 0) return std::nullopt;
  return tokens;
}

/// Returns the sorted tokens that an earlier start left, or sorts them and seals the result. Collective.
std::vector<FeatureTokens> sorted_tokens(const comm::Communicator& comm, const Survey& train, const Encoding& encoding,
                                         const Learning& learning) {
  if (auto sealed = sealed_tokens(comm, learning)) return *std::move(sealed);
  // The seal goes first: its files get other tokens.
  for (const char* name : {vocabulary_file, partition_files, token_files}) learning.scratch.remove(name);
  TokenSort sort{encoding.layout.forms, learning.minimum_count, learning.memory, {}};
  if (!encoding.vocabularies.empty())
    sort.has_id = [&](std::size_t f, std::string_view token) { return encoding.vocabularies[f].id(token) != 0; };
  std::vector<FeatureTokens> tokens = sort_tokens(comm, train.runs, learning.scratch, sort);
  comm::agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::string footer;
    pack_number(std::uint64_t(learning.minimum_count), footer);
    pack_text(pack_tokens(tokens), footer);
    ScratchWriter(learning.scratch.path(vocabulary_file)).seal(footer);
  });
  learning.scratch.remove(partition_files);
  return tokens;
}

/// Appends learned tokens to the vocabularies. Collective.
void append_tokens(const comm::Communicator& comm, const Survey& train, const Learning& learning, Encoding& encoding) {
  const std::vector<FeatureTokens> tokens = sorted_tokens(comm, train, encoding, learning);
  // Without tokens outside of the memory, rows and lookups that wait need none.
  std::vector<std::size_t> resident = resident_pieces(tokens, learning.memory / 4 * 3);
  for (std::size_t f = 0; f < tokens.size(); ++f)
    if (resident[f] < tokens[f].pieces.size()) resident = resident_pieces(tokens, learning.memory / 4);
  const std::size_t features = encoding.layout.features.size();
  encoding.vocabularies.resize(features);
  comm::agree(comm, [&] {
    for (std::size_t f = 0; f < features; ++f) {
      Vocabulary& vocabulary = encoding.vocabularies[f];
      encoding.values.push_back(tokens[f].values);
      encoding.known.push_back(tokens[f].known);
      if (encoding.base_rows.empty()) encoding.collisions.push_back(tokens[f].collisions);
      if (const Index all = vocabulary.rows() + tokens[f].tokens(); all > std::numeric_limits<std::int32_t>::max())
        fail(encoding.layout.features[f], ": ", all - 1,
             " different values do not fit 32-bit ids; raise preprocess.minimum_count");
      vocabulary.append(tokens[f], resident[f]);
    }
  });
  if (comm.rank() == 0 && !encoding.resident()) {
    Index all = 0, inside = 0;
    for (const Vocabulary& vocabulary : encoding.vocabularies) {
      all += vocabulary.rows() - 1;
      inside += vocabulary.resident_rows() - 1;
    }
    log_info(concat("preprocess.memory holds the ", inside, " most frequent of ", all,
                    " ids on each rank; the others are read from ", learning.scratch.folder(), " block by block"));
  }
  encoding.vocabulary_digest = vocabulary_digest(comm, encoding.layout, encoding.vocabularies);
}

/// Returns the sum over the ranks of the checksums of blocks of `bytes` bytes, which `read` copies. Collective.
std::uint64_t shared_checksum(const comm::Communicator& comm, const std::string& name, Index bytes,
                              const std::function<void(Range, char*)>& read) {
  constexpr Index block = Index{64} << 10, piece = 16 * block;
  std::uint64_t sum = 0;
  comm::agree(comm, [&] {
    const Index blocks = (bytes + block - 1) / block;
    const Index begin = blocks * comm.rank() / comm.size() * block;
    const Index end = std::min(bytes, blocks * (comm.rank() + 1) / comm.size() * block);
    std::vector<char> data(std::size_t(std::clamp(end - begin, Index{0}, piece)));
    for (Index at = begin; at < end; at += piece) {
      const Range range{at, std::min(at + piece, end)};
      read(range, data.data());
      sum += store::bytes_checksum(name, data.data(), range.size(), at);
    }
  });
  return std::uint64_t(comm.sum(Index(sum)));
}

}  // namespace

std::vector<std::string> Encoding::transform_descriptions() const {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < transforms.size(); ++k)
    texts.push_back(layout.indicator[k] ? indicator_rule : transforms[k].description());
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

bool Encoding::resident() const {
  return std::all_of(vocabularies.begin(), vocabularies.end(), [](const Vocabulary& v) { return v.resident(); });
}

std::string vocabulary_digest(const comm::Communicator& comm, const RowLayout& layout,
                              const std::vector<Vocabulary>& vocabularies) {
  std::map<std::string, std::uint64_t> checksums;
  for (std::size_t f = 0; f < vocabularies.size(); ++f) {
    const std::string& name = layout.features[f];
    if (const std::string& text = layout.borders[f]; !text.empty())
      checksums[name + "/borders"] = store::bytes_checksum(name + "/borders", text.data(), std::ssize(text));
    if (const std::string rule = layout.forms[f].id_rule(); layout.forms[f].hashed()) {
      checksums[name + "/encoding"] = store::bytes_checksum(name + "/encoding", rule.data(), std::ssize(rule));
      continue;
    }
    VocabularyReader reader(vocabularies[f]);
    checksums[name + "/tokens"] = shared_checksum(comm, name + "/tokens", vocabularies[f].bytes(),
                                                  [&](Range range, char* to) { reader.tokens(range, to); });
    constexpr Index each = sizeof(Index);
    std::vector<Index> offsets;
    checksums[name + "/offsets"] =
        shared_checksum(comm, name + "/offsets", (vocabularies[f].rows() + 1) * each, [&](Range range, char* to) {
          offsets.resize(std::size_t(range.size() / each));
          reader.offsets({range.begin / each, range.end / each}, offsets.data());
          std::memcpy(to, offsets.data(), std::size_t(range.size()));
        });
  }
  return store::combined_digest(checksums);
}

Encoding learn_encoding(const comm::Communicator& comm, const Survey& train, const RowLayout& layout,
                        const Learning& learning) {
  Encoding encoding;
  encoding.layout = layout;
  encoding.transforms = make_transforms(layout, train.moments);
  encoding.minimum_count = learning.minimum_count;
  append_tokens(comm, train, learning, encoding);
  return encoding;
}

void extend_encoding(const comm::Communicator& comm, const Survey& train, const Learning& learning,
                     Encoding& encoding) {
  encoding.bases.push_back(encoding.vocabulary_digest);
  encoding.base_rows = encoding.rows();
  encoding.minimum_count = learning.minimum_count;
  append_tokens(comm, train, learning, encoding);
}

}  // namespace tesserec::preprocess
