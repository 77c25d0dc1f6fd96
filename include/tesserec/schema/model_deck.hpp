// SPDX-License-Identifier: Apache-2.0
/// Model of a deck: the blocks that a scorer needs from a checkpoint's deck, without the job and without MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/network/settings.hpp>
#include <tesserec/optim/optimizer.hpp>
#include <tesserec/schema/lines.hpp>

namespace tesserec::schema {

/// Model of a deck: its layers, tables and loss.
struct ModelDeck : Lines {
  network::Settings model;
  optim::Settings sparse;                             ///< [optimizer.sparse], the defaults of a table's own optimizer
  std::uint64_t seed = 1;                             ///< run.seed, which start values of rows depend on
  std::vector<embedding::EmbeddingBagConfig> tables;  ///< tables; empty = one table per feature of the data
};

/// Reads and checks [model], [[model.layer]], [optimizer.sparse] and [[table]] of a deck's text, such as the effective
/// deck in a checkpoint. `name` stands for the file in messages. Ignores the blocks and keys of the job. Throws Error
/// "file:line: block.key ...", also for an unknown key.
ModelDeck read_model(const std::string& text, const std::string& name);

/// Checks the keys of [model] against each other. Throws Error with the line of the key.
void check_model(const Lines& deck, const network::Settings& model);
/// Checks the keys of each [[table]], and the tables against each other. Throws Error with the line of the key.
void check_tables(const Lines& deck, const std::vector<embedding::EmbeddingBagConfig>& tables);

/// Calls `body`. Converts a network::SettingError into an Error with the line of the key.
void with_lines(const Lines& deck, const std::function<void()>& body);

}  // namespace tesserec::schema
