// SPDX-License-Identifier: Apache-2.0
/// The model of a deck: what a scorer needs of a checkpoint's, without the job around it and without MPI.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/schema/lines.hpp>

namespace tesserec::schema {

/// A deck's model: its layers, tables and loss.
struct ModelDeck : Lines {
  network::Settings model;
  optim::Settings sparse;                             ///< [optimizer.sparse], from which a table's own starts
  std::vector<embedding::EmbeddingBagConfig> tables;  ///< empty = one table a feature of the data
};

/// Reads and checks [model], [[model.layer]], [optimizer.sparse] and [[table]] of a deck's text, for instance of the
/// effective deck that a checkpoint holds; `name` stands for the file in messages. Blocks and keys of the job are known
/// by name alone. Error: "file:line: block.key ...", an unknown key among them.
ModelDeck read_model(const std::string& text, const std::string& name);

/// Checks what the keys of [model] owe each other.
void check_model(const Lines& deck, const network::Settings& model);
/// Checks what the keys of every [[table]], and the tables, owe each other.
void check_tables(const Lines& deck, const std::vector<embedding::EmbeddingBagConfig>& tables);

/// Calls body; where it throws network::SettingError, the Error has the line of the key.
void with_lines(const Lines& deck, const std::function<void()>& body);

}  // namespace tesserec::schema
