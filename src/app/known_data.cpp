// SPDX-License-Identifier: Apache-2.0
#include "known_data.hpp"

#include <tesserec/comm/agree.hpp>
#include <tesserec/data.hpp>
#include <tesserec/model/smaller_tables.hpp>
#include <tesserec/store/file_list.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::app {

namespace {

std::optional<data::SourceInfo> known_here(const deck::Deck& deck) {
  if (deck.data.synthetic.kind != data::SyntheticKind::none)
    return data::synthetic_info(deck.data.synthetic, data::Use::train);
  bool some = false;
  for (const std::string& pattern : deck.data.train) some = some || !store::matching_paths(pattern).empty();
  if (!some) return std::nullopt;
  const data::SourceInfo info = data::Dataset(deck.data.train, "data.train", data::trust_of(deck.data)).info();
  data::require_labels(info, "data.train");
  return info;
}

}  // namespace

std::optional<data::SourceInfo> known_data(const deck::Deck& deck, const comm::Communicator& comm) {
  std::optional<data::SourceInfo> info;
  comm::agree(comm, [&] { info = known_here(deck); });
  train::require_same_files(comm, info.value_or(data::SourceInfo{}));
  return info;
}

std::vector<embedding::EmbeddingBagConfig> known_tables(const deck::Deck& deck,
                                                        const std::optional<data::SourceInfo>& info) {
  std::vector<embedding::EmbeddingBagConfig> tables = deck.tables;
  deck::with_lines(deck, [&] {
    tables = info ? train::resolve_tables(std::move(tables), *info, deck.model)
                  : model::smaller_tables(std::move(tables), deck.model);
  });
  return tables;
}

void require_network(const deck::Deck& deck, const data::SourceInfo& info) {
  deck::Deck known = deck;
  known.tables = known_tables(deck, info);
  deck::check_network(known, info.dense_features);
}

}  // namespace tesserec::app
