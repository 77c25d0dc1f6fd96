// SPDX-License-Identifier: Apache-2.0
// Deck of a small planted job with two labels: experts under a gate each (MMoE), and the purchase as a part of the
// clicks (ESMM).
#pragma once

#include <string>

#include "scoring/trained.hpp"

namespace tesserec {

inline std::string two_label_deck(const Folder& folder) {
  const auto layer = [](const std::string& name, const std::string& type, const std::string& rest) {
    return "[[model.layer]]\nname = \"" + name + "\"\ntype = \"" + type + "\"\n" + rest + "\n";
  };
  const std::string layers = layer("all", "cat", "inputs = [\"dense\", \"pooled\"]") +
                             layer("one", "mlp", "inputs = [\"all\"]\nwidths = [8]") +
                             layer("other", "mlp", "inputs = [\"all\"]\nwidths = [8]") +
                             layer("gate", "mlp", "inputs = [\"all\"]\nwidths = [2]") +
                             layer("mixed", "mixture", "inputs = [\"gate\", \"one\", \"other\"]") +
                             layer("clicked", "mlp", "inputs = [\"mixed\"]\nwidths = [1]") +
                             layer("after", "mlp", "inputs = [\"other\"]\nwidths = [1]") +
                             layer("both", "joint", "inputs = [\"clicked\", \"after\"]") +
                             layer("logits", "cat", "inputs = [\"clicked\", \"both\"]");
  std::string deck = DeckJob::planted(folder, "type = \"network\"\ntasks = [\"click\", \"buy\"]\n", layers, 3);
  const std::string batch = "batch_size = 64";
  deck.replace(deck.find(batch), batch.size(), "batch_size = 300");  // several chunks
  const std::string place = "dense_features = 3\n";
  return deck.insert(deck.find(place) + place.size(), "labels = [\"click\", \"buy\"]\nlabel_rates = [0.4, 0.1]\n");
}

}  // namespace tesserec
