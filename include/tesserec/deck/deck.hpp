// SPDX-License-Identifier: Apache-2.0
/// A deck: the one TOML file that says what to do. Read strictly into the settings structs of the modules.
/// Paths inside a deck are relative to the working directory.
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
#include <tesserec/schema/model_deck.hpp>
#include <tesserec/sweep/settings.hpp>
#include <tesserec/train/settings.hpp>

namespace tesserec::deck {

using schema::KeyValue;

struct Deck : schema::Lines {
  train::RunSettings run;
  data::Settings data;
  data::PreprocessSettings preprocess;
  model::Settings model;
  std::vector<embedding::EmbeddingBagConfig> tables;  ///< empty = one table a feature of the data
  train::Settings train;
  train::OptimizerSettings optimizer;
  optim::ScheduleSettings schedule;
  planning::Settings plan;
  train::CheckpointSettings checkpoint;
  train::EvaluateSettings evaluate;
  bench::Settings bench;
  sweep::Settings sweep;
};

/// Reads, overrides ("block.key=value", in order) and checks. Error: "file:line: block.key ...". `origins[i]`, where
/// there is one, is what messages about overrides[i] begin with instead of "--set i".
Deck read_deck(const std::string& path, const std::vector<std::string>& overrides = {},
               const std::map<std::size_t, std::string>& origins = {});

/// The text of a deck's file. Error: it cannot be read, or is larger than 1 MiB.
std::string read_deck_text(const std::string& path);

/// The same from text; `name` stands for the file in messages.
Deck parse_deck(const std::string& text, const std::string& name, const std::vector<std::string>& overrides = {},
                const std::map<std::size_t, std::string>& origins = {});

/// Checks what keys owe each other (read_deck has called it). Call it again after filling in `tables` from the data.
void check_deck(const Deck& deck);

/// Checks a [sweep] against the other blocks, for the commands of a sweep; others take the deck as it is.
void check_sweep(const Deck& deck);

using schema::with_lines;

/// Checks that the layers of its model fit one another and the data's dense features. Its tables must be known.
void check_network(const Deck& deck, Index dense_features);

/// For commands that need samples: Error unless data.train or data.synthetic is given.
void require_data(const Deck& deck);
/// For training: Error as require_data, or for evaluations without data and for checkpoints named twice.
void require_training(const Deck& deck);
/// For preprocessing: Error unless preprocess.train and preprocess.output are given.
void require_preprocess(const Deck& deck);

/// The deck as TOML text with every key but those that stay unset; reading it gives the same Deck.
std::string effective_deck(const Deck& deck);
/// Returns every key and value in effective_deck's order, then keys that are set but unread (sweep.jobs without keys).
std::vector<KeyValue> values_of(const Deck& deck);
/// The same model layer by layer, as model.type = "network" takes it; `dense_features`: the data have some.
Deck as_network(Deck deck, bool dense_features = true);

}  // namespace tesserec::deck
