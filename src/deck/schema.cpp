// SPDX-License-Identifier: Apache-2.0
#include "section.hpp"
#include <tesserec/deck/schema.hpp>

namespace tesserec::deck {

const std::vector<Section>& sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> joined;
    for (const auto make : {run_sections, data_sections, preprocess_sections, model_sections, train_sections,
                            plan_sections, bench_sections, sweep_sections})
      for (Section& section : make()) joined.push_back(std::move(section));
    return joined;
  }();
  return all;
}

const std::vector<BlockInfo>& schema() {
  static const std::vector<BlockInfo> all = infos(sections());
  return all;
}

}  // namespace tesserec::deck
