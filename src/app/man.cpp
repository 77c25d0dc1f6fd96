// SPDX-License-Identifier: Apache-2.0
// Manual pages, in the language of man(7).
#include <algorithm>

#include "help.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>

namespace tesserec::app {
namespace {

/// As the reader shall see it: no character means anything to the formatter.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

/// Markdown's `x` in bold, line by line.
std::string from_markdown(const std::string& text) {
  std::string out;
  bool inside = false;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find_first_of("`\n", at), text.size());
    const std::string piece = text.substr(at, end - at);
    out += inside ? bold(piece) : plain(piece);
    if (end < text.size() && text[end] == '`') inside = !inside;
    if (end < text.size() && text[end] == '\n') out += '\n';
    at = end + 1;
  }
  return out;
}

std::string head(const std::string& page, const std::string& section, const std::string& sentence) {
  return ".TH " + plain(page) + " " + section +
         " \"\" \"Tesserec " TESSEREC_VERSION "\" \"Tesserec Manual\"\n.SH NAME\n" + plain(page) + " \\- " +
         plain(sentence) + "\n";
}

std::string item(const std::string& tag, const std::string& text) { return ".TP\n" + tag + "\n" + text + "\n"; }

/// Of a command whose name may be two words.
std::string page_name(const Command& command) {
  std::string name = "tesserec-" + command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string page_of(const Command& command) {
  std::string text = head(page_name(command), "1", command.help) + ".SH SYNOPSIS\n" + bold("tesserec " + command.name) +
                     " " + plain(synopsis(command)) + "\n";
  if (command.parallel) text += ".br\n" + bold("mpirun -n RANKS tesserec " + command.name) + " ...\n";
  text += ".SH OPTIONS\n";
  for (const Option& option : options_of(command))
    text += item(bold(option.name) + (option.value.empty() ? "" : " " + italic(option.value)), plain(option.help));
  return text + ".SH SEE ALSO\n.BR tesserec (1),\n.BR tesserec\\-deck (5)\n";
}

std::string program_page() {
  std::string text = head("tesserec", "1", "train deep learning recommendation models on many processes") +
                     ".SH SYNOPSIS\n" + bold("tesserec") + " " +
                     plain("COMMAND [DECK.toml] [--set block.key=value]... [--json]") + "\n.br\n" +
                     bold("mpirun -n RANKS tesserec") + " COMMAND ...\n.br\n" + bold("srun --mpi=pmix tesserec") +
                     " COMMAND ...\n.SH COMMANDS\n";
  for (const Command& command : commands())
    text += item(".BR " + plain(page_name(command)) + " (1)", plain(command.help));
  return text + ".SH EXIT STATUS\n" + item("0", "every rank succeeded") +
         item("2", "an error, whose message names file, line and key") +
         item("85", "a signal ended the run with a checkpoint; started again it goes on from there") +
         ".SH SEE ALSO\n.BR tesserec\\-deck (5)\n";
}

std::string key_entry(const deck::KeyInfo& key) {
  std::vector<std::string> facts = {key.type};
  if (!key.range.empty()) facts.push_back(key.range);
  if (!key.unit.empty()) facts.push_back("in " + key.unit);
  facts.push_back(key.default_value == "required" ? "required" : "default " + key.default_value);
  return item(bold(key.name), plain(join(facts, "; ")) + "\n.br\n" + plain(key.sentence));
}

std::string deck_page() {
  std::string text = head("tesserec-deck", "5", "the file that says what tesserec does") +
                     ".SH DESCRIPTION\nOne TOML file.\n" + from_markdown(deck::reading_rules());
  for (const deck::BlockInfo& block : deck::schema()) {
    text += ".SH " + plain(block.heading) + "\n" + plain(block.sentence) + "\n";
    for (const deck::KeyInfo& key : block.keys) text += key_entry(key);
  }
  return text + ".SH SEE ALSO\n.BR tesserec (1)\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> man_pages() {
  std::vector<std::pair<std::string, std::string>> pages = {{"man1/tesserec.1", program_page()},
                                                            {"man5/tesserec-deck.5", deck_page()}};
  for (const Command& command : commands()) pages.emplace_back("man1/" + page_name(command) + ".1", page_of(command));
  return pages;
}

}  // namespace tesserec::app
