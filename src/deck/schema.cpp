// SPDX-License-Identifier: Apache-2.0
#include "section.hpp"
#include <tesserec/deck/schema.hpp>

namespace tesserec::deck {

const std::vector<Section>& sections() {
  static const std::vector<Section> all = [] {
    std::vector<Section> joined;
    for (const auto part : {run_sections, data_sections, model_sections, train_sections, plan_sections, bench_sections})
      for (Section& section : part()) joined.push_back(std::move(section));
    return joined;
  }();
  return all;
}

const std::vector<BlockInfo>& schema() {
  static const std::vector<BlockInfo> all = [] {
    std::vector<BlockInfo> infos;
    for (const Section& section : sections()) infos.push_back(section.info);
    return infos;
  }();
  return all;
}

bool known_key(const std::string& path) {
  for (const BlockInfo& block : schema())
    for (const KeyInfo& key : block.keys)
      if (path == block.path + "." + key.name ||
          (block.path == "optimizer.sparse" && path == "table.optimizer." + key.name))
        return true;
  return false;
}

}  // namespace tesserec::deck
