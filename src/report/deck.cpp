// SPDX-License-Identifier: Apache-2.0
#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::report {

std::string deck(const Run& run) {
  const std::string all = run.start.text({"deck"});
  if (all.empty()) return "";
  const auto words = run.start.read({"argv"}, [](const Json& argv) {
    return join(argv.elements(), "", [](const Json& word) { return " " + word.string(); });
  });
  const auto headed = [](const std::string& title, const std::string& text) {
    return element("h3", {}, escaped(title)) + element("pre", {}, escaped(text));
  };
  return element("p", {}, element("code", {}, "tesserec" + escaped(words.value_or("")))) +
         headed("as it was written: " + run.start.text({"deck_file"}), run.start.text({"deck_text"})) +
         headed("every key, as the program understood it", all);
}

}  // namespace tesserec::report
