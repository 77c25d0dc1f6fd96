// SPDX-License-Identifier: Apache-2.0
#include "kept_rows.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "column_tally.hpp"
#include "encoding.hpp"
#include "kept_columns.hpp"
#include "packing.hpp"
#include "pending_tokens.hpp"
#include "survey.hpp"
#include <tesserec/core/signals.hpp>

namespace tesserec::preprocess {
namespace {

constexpr Index most_chunk_rows = 8192, fewest_chunk_rows = 256;
constexpr std::size_t dictionary_bytes = std::size_t{256} << 10;  // bytes of packed texts in a DictionaryPiece

}  // namespace

bool keeps_rows(const RowLayout& layout) {
  const auto single = [](const FeatureForm& form) { return !form.bag && !form.hashed() && !form.weighted; };
  return layout.joins.empty() && !layout.forms.empty() && std::ranges::all_of(layout.forms, single);
}

void KeptChunk::clear() {
  rows = 0;
  for (std::vector<double>& column : numbers) column.clear();
  for (std::vector<std::uint32_t>& column : values) column.clear();
  targets.clear();
}

KeptWriter::KeptWriter(const std::string& path, const RowLayout& layout, Index memory, KeptMemory& kept)
    : layout_(layout),
      kept_(kept),
      file_(path),
      chunk_(layout.dense_features.size(), layout.features.size()),
      most_rows_(std::clamp(memory / 64 /
                                Index(sizeof(double) * (1 + layout.dense_features.size()) +
                                      sizeof(std::uint32_t) * layout.features.size()),
                            fewest_chunk_rows, most_chunk_rows)) {}

void KeptWriter::add(const Row& row, Index block) {
  ++chunk_.rows;
  block_ = block;
  chunk_.targets.add(row, layout_);
  numbers_.insert(numbers_.end(), row.numbers.begin(), row.numbers.end());
}

void KeptWriter::write_chunk(std::vector<KeptPiece>& chunks) {
  if (chunk_.rows == 0) return;
  packed_.clear();
  const std::size_t columns = chunk_.numbers.size();
  for (std::size_t k = 0; k < columns; ++k) {
    std::vector<double>& column = chunk_.numbers[k];
    column.resize(std::size_t(chunk_.rows));
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = numbers_[i * columns + k];
    pack_numbers(column, packed_);
  }
  numbers_.clear();
  for (const std::vector<std::uint32_t>& column : chunk_.values) pack_values(column, packed_);
  pack_list(std::span<const std::uint8_t>(chunk_.targets.labels), packed_);
  if (layout_.weighted) pack_list(std::span<const float>(chunk_.targets.weights), packed_);
  if (!layout_.time.empty()) pack_list(std::span<const std::int64_t>(chunk_.targets.times), packed_);
  const std::optional<Index> place = kept_.add(packed_);
  chunks.push_back({place ? ScratchPiece{.first = *place} : file_.append(packed_), {}, chunk_.rows, block_});
  chunk_.clear();
}

ScratchPiece KeptWriter::write_dictionary(std::span<const TokenCounts> counts) {
  std::string list;
  for (std::size_t f = 0; f < counts.size(); ++f) {
    const TokenMap& tokens = counts[f].tokens;
    packed_.clear();
    for (Index i = 0, first = 0; i < tokens.size(); ++i) {
      pack_text(tokens.token(i), packed_);
      if (packed_.size() < dictionary_bytes && i + 1 < tokens.size()) continue;
      const ScratchPiece piece = file_.append(packed_);
      packed_.clear();
      pack_number(f, list);
      pack_number(std::uint64_t(i + 1 - std::exchange(first, i + 1)), list);
      pack_list(std::span<const ScratchPiece>(&piece, 1), list);
    }
  }
  return file_.append(list);
}

KeptRows::KeptRows(const Survey& survey, const Encoding& encoding, Range which)
    : survey_(survey),
      encoding_(encoding),
      range_(which.begin),
      end_(which.end),
      chunk_(encoding.layout.dense_features.size(), encoding.layout.features.size()),
      ids_(encoding.layout.features.size()) {}

const TextRange& KeptRows::text_range() const { return survey_.own()[std::size_t(range_)]; }

bool KeptRows::next() {
  while (next_ == text_range().kept.size()) {
    if (range_ + 1 == end_) {
      require_unchanged(survey_.files);
      return false;
    }
    ++range_;
    next_ = 0;
  }
  Signals::check();
  const TextRange& range = text_range();
  const KeptPiece& piece = range.kept[next_++];
  if (path_ != range.kept_path || dictionary_ != piece.dictionary.first) {
    path_ = range.kept_path;
    dictionary_ = piece.dictionary.first;
    load_dictionary(piece.dictionary);
  }
  const bool in_memory = piece.rows.bytes == 0;
  const std::string read = in_memory ? std::string() : read_scratch(path_, {&piece.rows, 1});
  Unpacker unpacker(in_memory ? survey_.kept.at(piece.rows.first) : std::string_view(read));
  chunk_.rows = piece.count;
  block_ = piece.block;
  for (std::vector<double>& column : chunk_.numbers) {
    column.resize(std::size_t(piece.count));
    unpack_numbers(unpacker, column);
  }
  for (std::vector<std::uint32_t>& column : chunk_.values) {
    column.resize(std::size_t(piece.count));
    unpack_values(unpacker, column);
  }
  chunk_.targets.labels = unpacker.list<std::uint8_t>();
  if (encoding_.layout.weighted) chunk_.targets.weights = unpacker.list<float>();
  if (!encoding_.layout.time.empty()) chunk_.targets.times = unpacker.list<std::int64_t>();
  return true;
}

/// Finds the ids of the tokens of a run, whose dictionary is listed by a piece of the file.
void KeptRows::load_dictionary(const ScratchPiece& list) {
  const std::string packed = read_scratch(path_, {&list, 1});
  pieces_.clear();
  for (Unpacker unpacker(packed); !unpacker.done();) {
    DictionaryPiece& piece = pieces_.emplace_back();
    piece.feature = unpacker.number();
    piece.tokens = unpacker.index();
    piece.piece = unpacker.list<ScratchPiece>().at(0);
  }
  for (std::size_t f = 0; f < ids_.size(); ++f) find_ids(f);
}

void KeptRows::find_ids(std::size_t feature) {
  const Vocabulary& vocabulary = encoding_.vocabularies[feature];
  std::vector<std::int32_t>& ids = ids_[feature];
  ids.assign(1, 0);
  PendingTokens pending;  // tokens outside of the memory
  for (const DictionaryPiece& piece : pieces_) {
    if (piece.feature != feature) continue;
    Signals::check();
    const std::string packed = read_scratch(path_, {&piece.piece, 1});
    Unpacker unpacker(packed);
    std::vector<std::string_view> tokens(std::size_t(piece.tokens));
    for (std::string_view& token : tokens) token = unpacker.text();
    for_each_fetched(vocabulary.resident_tokens(), tokens, [&](std::size_t i) {
      Index id = vocabulary.id(tokens[i]);
      if (id == 0 && !vocabulary.resident()) id = pending.add(tokens[i]);
      ids.push_back(std::int32_t(id));
    });
  }
  if (pending.size() == 0) return;
  pending.resolve(vocabulary);
  for (std::int32_t& id : ids)
    if (id < 0) id = std::int32_t(pending.id(id));
}

// A few rows at once stay in the cache.
void KeptRows::encode(float* dense, std::int32_t* ids, ColumnTally& tally) const {
  constexpr Index rows_at_once = 256;
  const std::size_t columns = chunk_.numbers.size(), features = chunk_.values.size();
  std::vector<std::int32_t> of_feature;
  for (Index first = 0; first < chunk_.rows; first += rows_at_once) {
    const Index rows = std::min(rows_at_once, chunk_.rows - first);
    for (std::size_t k = 0; k < columns; ++k)
      encoding_.transforms[k](chunk_.numbers[k].data() + first, 1, rows, dense + k, Index(columns));
    of_feature.resize(std::size_t(rows));
    for (std::size_t f = 0; f < features; ++f) {
      const std::uint32_t* const values = chunk_.values[f].data() + first;
      const std::int32_t* const ids_of = ids_[f].data();
      for (std::size_t i = 0; i < of_feature.size(); ++i) of_feature[i] = ids_of[values[i]];
      for (std::size_t i = 0; i < of_feature.size(); ++i) ids[i * features + f] = of_feature[i];
      tally.add_ids(
          range_, f, std::span<const std::int32_t>(of_feature), [&](std::size_t i) { return values[i] == 0; },
          [&](std::size_t i) { return token(f, values[i]); });
    }
    dense += std::size_t(rows) * columns;
    ids += std::size_t(rows) * features;
  }
  tally.add(range_, chunk_);
}

/// Reads the token that one of the chunk's values stands for, which is not missing.
std::string KeptRows::token(std::size_t feature, std::uint32_t value) const {
  Index number = Index{value} - 1;
  for (const DictionaryPiece& piece : pieces_) {
    if (piece.feature != feature) continue;
    if (number >= piece.tokens) {
      number -= piece.tokens;
      continue;
    }
    const std::string packed = read_scratch(path_, {&piece.piece, 1});
    Unpacker unpacker(packed);
    std::string_view token = unpacker.text();
    for (; number > 0; --number) token = unpacker.text();
    return std::string(token);
  }
  fail(path_, ": this scratch file lacks a token of feature ", feature, "; remove its folder and start again");
}

}  // namespace tesserec::preprocess
