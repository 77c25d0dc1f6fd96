// SPDX-License-Identifier: Apache-2.0
/// Deck: the TOML file that describes a job, read strictly into the settings structs of the modules. Paths in a deck
/// are relative to the working directory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tesserec/bench/settings.hpp>
#include <tesserec/data/settings.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/model/settings.hpp>
#include <tesserec/optim/schedule.hpp>
#include <tesserec/planning/settings.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/sweep/settings.hpp>
#include <tesserec/train/settings.hpp>

namespace tesserec::deck {

using schema::KeyValue;

/// Settings of all blocks of a deck.
struct Deck : schema::Lines {
  train::RunSettings run;
  data::Settings data;
  preprocess::Settings preprocess;
  model::Settings model;
  std::vector<embedding::EmbeddingBagConfig> tables;  ///< tables; empty = one table per feature of the data
  train::Settings train;
  train::OptimizerSettings optimizer;
  optim::ScheduleSettings schedule;
  planning::Settings plan;
  train::CheckpointSettings checkpoint;
  train::EvaluateSettings evaluate;
  std::vector<train::ImportedTensor> imports;  ///< [[import]]
  bench::Settings bench;
  sweep::Settings sweep;
};

/// Reads a deck, applies the overrides ("block.key=value", in order) and checks the result. Throws Error "file:line:
/// block.key ...". Messages about overrides[i] begin with origins[i], or with "--set i" (i from 1) if there is none.
Deck read_deck(const std::string& path, const std::vector<std::string>& overrides = {},
               const std::map<std::size_t, std::string>& origins = {});

/// Reads the text of a deck's file. Throws Error if the file cannot be read or is larger than 1 MiB.
std::string read_deck_text(const std::string& path);

/// Parses a deck from text, as read_deck() does; `name` stands for the file in messages.
Deck parse_deck(const std::string& text, const std::string& name, const std::vector<std::string>& overrides = {},
                const std::map<std::size_t, std::string>& origins = {});

/// Checks the keys against each other. read_deck() calls it; call it again after filling in `tables` from the data.
/// Throws Error with the line of the key.
void check_deck(const Deck& deck);

/// Checks [sweep] against the other blocks, for the commands of a sweep. Throws Error with the line of the key.
void check_sweep(const Deck& deck);

using schema::with_lines;

/// Kernels that each table may get, by its name; an empty list allows all.
using TableKernels = std::map<std::string, planning::ComputeKernels>;

/// Returns a message for each key of the blocks (such as "train"; none = all) that nothing reads under the values of
/// the other keys, with its line, the reason and what to do. Keys with their default are left out.
std::vector<std::string> unread_keys(const Deck& deck, const std::vector<std::string>& blocks = {});
/// Returns such messages for keys about caches, which only tables with the kernels disk and host_cached read.
std::vector<std::string> unread_caches(const Deck& deck, const TableKernels& kernels);

/// Checks that the model's layers fit each other and the data's dense features. Requires that `tables` are known.
/// Throws Error with the line of the key.
void check_network(const Deck& deck, Index dense_features);

/// Throws Error if the deck names no training data (data.train, data.source or data.synthetic), or files that
/// preprocessing has yet to write.
void require_data(const Deck& deck);
/// Throws Error if the deck cannot train: as require_data() does, if a setting needs absent evaluation data, or if the
/// checkpoint settings contradict each other.
void require_training(const Deck& deck);
/// Throws Error unless the deck names raw files (preprocess.train, evaluate or predict) and preprocess.output.
void require_preprocess(const Deck& deck);

/// Returns the deck as TOML with every key that is set, by default or by the deck. Reading the text gives an equal
/// Deck.
std::string effective_deck(const Deck& deck);
/// Returns all keys and values in the order of effective_deck(), then keys that are set but unread (sweep.jobs without
/// keys).
std::vector<KeyValue> values_of(const Deck& deck);
/// Converts the model to its list of layers, as model.type = "network" takes it. `dense_features`: whether the data
/// have dense features.
Deck as_network(Deck deck, bool dense_features = true);

}  // namespace tesserec::deck
