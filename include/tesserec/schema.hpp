// SPDX-License-Identifier: Apache-2.0
#pragma once

/// schema: the strict reader of TOML decks, and the model that a deck describes.
///
/// `read_model` reads the blocks of the model from a deck's text, for instance from the deck in a checkpoint.
/// It returns a `ModelDeck` with layers, tables and loss. It skips the blocks of a job, which the library deck reads.
/// `Lines::at`, a member of it, begins a message about a key with file and line.
/// A program's own block is a list of rows: `integer`, `number`, `text` and others bind a key to a member of a struct.
/// `single` makes a `Section` of the rows, and `read_sections` reads the tree that `parse_toml` returns.
/// A row parses, checks, writes and describes its key; the default is that of the struct.
/// An unknown key, a wrong type or a value out of range throws Error "file:line: block.key ...".
/// The library needs no MPI and no HDF5. Types of one's own must be added before a deck is read.
/// src/schema/README.md explains rows, and docs/deck.md lists all keys.
///
/// ```cpp
/// const std::string text = R"([model]
/// embedding_dim = 16
/// bottom = [64, 16]
/// top = [64, 1]
/// [[table]]
/// name = "user"
/// rows = 1_000_000
/// )";
/// const schema::ModelDeck deck = schema::read_model(text, "clicks.toml");
/// for (const embedding::EmbeddingBagConfig& table : deck.tables)
///   if (const Index rows = table.rows().size(); rows > 100'000'000)
///     fail(deck.at("table." + table.name + ".rows"), " is ", rows, ": too many for this service");
/// ```

#include <tesserec/schema/flat.hpp>
#include <tesserec/schema/key.hpp>
#include <tesserec/schema/key_info.hpp>
#include <tesserec/schema/lines.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/schema/model_rows.hpp>
#include <tesserec/schema/own_rows.hpp>
#include <tesserec/schema/raw_rows.hpp>
#include <tesserec/schema/read.hpp>
#include <tesserec/schema/section.hpp>
#include <tesserec/schema/suggest.hpp>
#include <tesserec/schema/value.hpp>
