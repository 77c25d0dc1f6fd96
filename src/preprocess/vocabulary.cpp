// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {

Vocabulary::Vocabulary(const std::string& where, const std::vector<std::uint8_t>& bytes,
                       const std::vector<Index>& offsets) {
  const bool valid = offsets.size() >= 2 && offsets[0] == 0 && offsets[1] == 0 &&
                     std::is_sorted(offsets.begin(), offsets.end()) && offsets.back() == std::ssize(bytes);
  if (!valid)
    fail(where, "/offsets is invalid: it must start with 0, 0, ascend, and end at ", bytes.size(),
         "; preprocess the raw files again");
  const char* const text = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t id = 1; id + 1 < offsets.size(); ++id) {
    const std::string_view token(text + offsets[id], offsets[id + 1] - offsets[id]);
    if (tokens_.insert(token) != Index(id) - 1)
      fail(where, "/tokens has ", shown(token), " twice; preprocess the raw files again");
  }
}

void Vocabulary::append(const FeatureTokens& tokens, std::size_t resident) {
  resident = std::min(resident, tokens.pieces.size());
  Index count = 0, bytes = 0;
  for (std::size_t p = 0; p < resident; ++p) {
    count += tokens.pieces[p].tokens;
    bytes += tokens.pieces[p].bytes;
  }
  tokens_.reserve(tokens_.size() + count, std::ssize(tokens_.bytes()) + bytes);
  for (std::size_t p = 0; p < tokens.pieces.size(); ++p) {
    if (p >= resident) {
      pieces_.push_back(tokens.pieces[p]);
      outside_ += tokens.pieces[p].tokens;
      continue;
    }
    Signals::check();
    read_tokens(tokens.pieces[p], [&](std::span<const std::string_view> texts) {
      for_each_fetched(tokens_, texts, [&](std::size_t i) { tokens_.insert(texts[i]); });
    });
  }
}

Index Vocabulary::bytes() const {
  return std::accumulate(pieces_.begin(), pieces_.end(), std::ssize(tokens_.bytes()),
                         [](Index sum, const TokenPiece& piece) { return sum + piece.bytes; });
}

void Vocabulary::read_outside(const std::function<void(Index, std::span<const std::string_view>)>& take) const {
  Index id = tokens_.size() + 1;
  for (const TokenPiece& piece : pieces_) {
    Signals::check();
    read_tokens(piece, [&](std::span<const std::string_view> tokens) { take(id, tokens); });
    id += piece.tokens;
  }
}

const VocabularyReader::Loaded& VocabularyReader::load(std::size_t piece) {
  if (loaded_.piece == piece) return loaded_;
  const std::vector<TokenPiece>& pieces = vocabulary_.pieces_;
  loaded_ = {piece, {}, {}};
  Index end = std::ssize(vocabulary_.tokens_.bytes()) + pieces[piece].first_byte - pieces.front().first_byte;
  read_tokens(pieces[piece], [&](std::span<const std::string_view> tokens) {
    for (const std::string_view token : tokens) {
      loaded_.bytes += token;
      loaded_.ends.push_back(end += std::ssize(token));
    }
  });
  return loaded_;
}

void VocabularyReader::tokens(Range range, char* to) {
  const std::vector<char>& own = vocabulary_.tokens_.bytes();
  const Index inside = std::clamp(std::ssize(own) - range.begin, Index{0}, range.size());
  to = std::copy_n(own.begin() + (inside > 0 ? range.begin : 0), inside, to);
  const std::vector<TokenPiece>& pieces = vocabulary_.pieces_;
  Index at = range.begin + inside;
  while (at < range.end) {
    const Index base = std::ssize(own) - pieces.front().first_byte;
    const auto next = std::partition_point(pieces.begin(), pieces.end(),
                                           [&](const TokenPiece& p) { return base + p.end_byte() <= at; });
    const Loaded& loaded = load(std::size_t(next - pieces.begin()));
    const Index from = at - base - next->first_byte, count = std::min(next->bytes - from, range.end - at);
    to = std::copy_n(loaded.bytes.begin() + from, count, to);
    at += count;
  }
}

void VocabularyReader::offsets(Range range, Index* to) {
  const std::vector<Index>& own = vocabulary_.tokens_.offsets();  // ends of tokens 0, 1, ..., with a 0 before
  const std::vector<TokenPiece>& pieces = vocabulary_.pieces_;
  for (Index i = range.begin; i < range.end;) {
    // Offset i is the end of the token with id i - 1, which is token i - 2.
    if (i - 1 < std::ssize(own)) {
      *to++ = i == 0 ? 0 : own[i - 1];
      ++i;
      continue;
    }
    const Index token = i - 1 - std::ssize(own) + pieces.front().first;
    const auto next =
        std::partition_point(pieces.begin(), pieces.end(), [&](const TokenPiece& p) { return p.end() <= token; });
    const Loaded& loaded = load(std::size_t(next - pieces.begin()));
    const Index from = token - next->first, count = std::min(next->tokens - from, range.end - i);
    to = std::copy_n(loaded.ends.begin() + from, count, to);
    i += count;
  }
}

std::vector<std::size_t> resident_pieces(std::span<const FeatureTokens> tokens, Index memory) {
  std::vector<std::tuple<Index, std::size_t, std::size_t>> order;  // -count, feature, piece
  for (std::size_t f = 0; f < tokens.size(); ++f)
    for (std::size_t p = 0; p < tokens[f].pieces.size(); ++p) order.emplace_back(-tokens[f].pieces[p].count, f, p);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> resident(tokens.size(), 0);
  for (const auto& [count, f, p] : order) {
    const TokenPiece& piece = tokens[f].pieces[p];
    const Index bytes = piece.tokens * TokenMap::token_memory + piece.bytes;
    if (p > 0 && (bytes > memory || resident[f] < p)) continue;
    memory -= bytes;
    resident[f] = p + 1;
  }
  return resident;
}

}  // namespace tesserec::preprocess
