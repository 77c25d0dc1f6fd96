// SPDX-License-Identifier: Apache-2.0
// alone DECK: prints the type of the deck's model and one line per layer, as a scorer reads them from a checkpoint's
// deck.
#include <fstream>
#include <iostream>
#include <sstream>

#include <tesserec/network/model_types.hpp>
#include <tesserec/schema/model_deck.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  const tesserec::schema::ModelDeck deck = tesserec::schema::read_model(text.str(), argv[1]);
  std::cout << deck.model.type << '\n';
  for (const auto& layer : tesserec::network::layers_of(deck.model))
    std::cout << layer.name << ": " << layer.type << '\n';
}
