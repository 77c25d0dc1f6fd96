// SPDX-License-Identifier: Apache-2.0
/// Sections of a job's deck: the keys of its blocks, as they are read, written and described.
#pragma once

#include <tesserec/deck/deck.hpp>
#include <tesserec/schema/section.hpp>

namespace tesserec::deck {

using namespace tesserec::schema;
using Section = schema::Section<Deck>;

/// Returns the sections of some blocks, in the order of the documentation. sections() joins all of them.
std::vector<Section> run_sections();
std::vector<Section> data_sections();
std::vector<Section> preprocess_sections();
std::vector<Section> model_sections();
std::vector<Section> train_sections();
std::vector<Section> plan_sections();
std::vector<Section> bench_sections();
std::vector<Section> sweep_sections();
const std::vector<Section>& sections();

/// Throws Error for keys of several labels that do not fit model.tasks.
void check_labels(const Deck& deck);
/// Throws Error for a name in checkpoint.accept that is no key or block in which decks may differ.
void check_accept(const Deck& deck);

/// Makes the section of a block [path] that occurs at most once. `get(deck)` returns the struct that it fills, and
/// `inner` names blocks inside it.
template <class T, class Get>
Section single(const std::string& path, const std::string& sentence, const Keys<T>& keys, Get get,
               const std::vector<std::string>& inner = {}) {
  return schema::single<Deck>(path, sentence, keys, get, inner);
}

}  // namespace tesserec::deck
