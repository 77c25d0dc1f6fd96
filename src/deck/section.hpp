// SPDX-License-Identifier: Apache-2.0
/// The blocks of a job's deck.
#pragma once

#include <tesserec/deck/deck.hpp>
#include <tesserec/schema/section.hpp>

namespace tesserec::deck {

using namespace tesserec::schema;
using Section = schema::Section<Deck>;

/// The parts of the one table, in the order of the documentation; schema.cpp joins them.
std::vector<Section> run_sections();
std::vector<Section> data_sections();
std::vector<Section> model_sections();
std::vector<Section> train_sections();
std::vector<Section> plan_sections();
std::vector<Section> bench_sections();
std::vector<Section> sweep_sections();
const std::vector<Section>& sections();

/// A block that stands once: [path]. `get(deck)` is the struct it fills.
template <class T, class Get>
Section single(const std::string& path, const std::string& sentence, const Keys<T>& keys, Get get,
               const std::vector<std::string>& inner = {}) {
  return schema::single<Deck>(path, sentence, keys, get, inner);
}

}  // namespace tesserec::deck
