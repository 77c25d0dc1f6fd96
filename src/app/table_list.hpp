// SPDX-License-Identifier: Apache-2.0
/// Tables without a data set: --tables FILE.csv.
#pragma once

#include <tesserec/deck/deck.hpp>

namespace tesserec::app {

/// A line a table: name,rows,dim,ids_per_bag and, if need be, zipf; a first line with these words is the head.
/// ids_per_bag becomes the table's pooling factor in deck.plan unless the deck gives one, zipf its exponent. Errors
/// name file and line.
std::vector<embedding::EmbeddingBagConfig> read_table_list(const std::string& path, deck::Deck& deck);

}  // namespace tesserec::app
