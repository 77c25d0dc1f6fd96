// SPDX-License-Identifier: Apache-2.0
#include "sorted_tokens.hpp"

#include <filesystem>

#include "packing.hpp"
#include "scratch_folder.hpp"

namespace tesserec::preprocess {

void read_tokens(const TokenPiece& piece, const std::function<void(std::span<const std::string_view>)>& take) {
  const std::string bytes = read_scratch(piece.path, {&piece.piece, 1});
  Unpacker unpacker(bytes);
  std::vector<std::string_view> tokens(std::size_t(piece.tokens));
  for (std::string_view& token : tokens) token = unpacker.text();
  take(tokens);
}

std::string pack_tokens(std::span<const FeatureTokens> tokens) {
  std::string bytes;
  pack_number(tokens.size(), bytes);
  for (const FeatureTokens& feature : tokens) {
    pack_number(std::uint64_t(feature.values), bytes);
    pack_number(std::uint64_t(feature.known), bytes);
    pack_number(std::uint64_t(feature.collisions), bytes);
    pack_number(feature.pieces.size(), bytes);
    for (const TokenPiece& piece : feature.pieces) {
      pack_text(std::filesystem::path(piece.path).filename().string(), bytes);
      const Index numbers[] = {piece.tokens, piece.bytes, piece.count, piece.first, piece.first_byte};
      pack_list(std::span<const Index>(numbers), bytes);
      pack_list(std::span<const ScratchPiece>(&piece.piece, 1), bytes);
    }
  }
  return bytes;
}

std::vector<FeatureTokens> unpack_tokens(std::string_view bytes, const ScratchFolder& scratch) {
  Unpacker unpacker(bytes);
  std::vector<FeatureTokens> tokens(unpacker.number());
  for (FeatureTokens& feature : tokens) {
    feature.values = unpacker.index();
    feature.known = unpacker.index();
    feature.collisions = unpacker.index();
    feature.pieces.resize(unpacker.number());
    for (TokenPiece& piece : feature.pieces) {
      piece.path = scratch.path(std::string(unpacker.text()));
      const std::vector<Index> numbers = unpacker.list<Index>();
      piece.piece = unpacker.list<ScratchPiece>().at(0);
      piece.tokens = numbers.at(0);
      piece.bytes = numbers.at(1);
      piece.count = numbers.at(2);
      piece.first = numbers.at(3);
      piece.first_byte = numbers.at(4);
    }
  }
  return tokens;
}

}  // namespace tesserec::preprocess
