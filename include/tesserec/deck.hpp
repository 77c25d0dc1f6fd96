// SPDX-License-Identifier: Apache-2.0
#pragma once

/// deck: the TOML file of a job, read strictly into the settings structs of all modules.
///
/// `read_deck` reads a file, applies overrides as `--set` does, and checks the keys against each other.
/// `parse_deck` does the same with a text. The result is a `Deck`, whose members fill a `train::Job` (library train).
/// `require_training` and `require_data` then check what only some commands need, before anything is opened.
/// `effective_deck` writes every key with its value as TOML, and `schema` describes all blocks and keys.
/// All functions are local to the rank: no call is collective, and a deck may be read before MPI starts.
/// Ranks of one job must have the same deck; `values_of` and `comm::require_same` compare it.
/// A mistake throws Error "file:line: block.key ..."; the member `Lines::at` gives later checks that beginning.
/// Types of one's own (layers, losses, models, sources) are added before the deck that names them is read.
/// docs/deck.md lists all keys, and src/deck/README.md says how to add one.
///
/// ```cpp
/// const deck::Deck deck = deck::read_deck("inputs/adult.toml", {"train.batch_size=512", "run.name=adult_512"});
/// deck::require_training(deck);
/// if (deck.train.batch_size < 64 * world.size())
///   fail(deck.at("train.batch_size"), " must be at least 64 samples a rank, ", 64 * world.size());
/// std::vector<comm::Named> keys;
/// for (const deck::KeyValue& one : deck::values_of(deck)) keys.push_back({one.key, one.value});
/// comm::require_same(world, keys, "start all ranks with one deck");
/// if (world.rank() == 0) std::cout << deck::effective_deck(deck);
/// ```

#include <tesserec/deck/deck.hpp>
#include <tesserec/deck/schema.hpp>
