// SPDX-License-Identifier: Apache-2.0
// Manual pages in the language of man(7).
#include <algorithm>

#include "help.hpp"
#include "version.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>

namespace tesserec::app {
namespace {

/// Escapes the characters that mean something to the formatter.
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

/// Converts Markdown's `x` to bold and keeps the lines.
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

/// Returns the name of a command's page, with '-' between two words.
std::string page_name(const Command& command) {
  std::string name = "tesserec-" + command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

bool makes_checkpoints(const Command& command) { return command.name == "train" || command.name == "sweep run"; }

std::string exit_status(bool with_checkpoint) {
  return ".SH EXIT STATUS\n" + item("0", "every rank succeeded") +
         item("1", "never returned by the program: the launcher or MPI could not start the ranks") +
         item("2", "an error, whose message names file, line and key") +
         item("128+N", "signal N ended the command early; no file was replaced, and a new start begins from scratch") +
         (with_checkpoint ? item("85", "a signal ended the run with a checkpoint, from which a new start resumes")
                          : "");
}

std::string description(const Command& command) {
  std::string text = ".SH DESCRIPTION\n";
  if (command.argument == "DECK") text += "The deck describes the job;\n.BR tesserec\\-deck (5)\nlists its keys.\n";
  if (command.indexed)
    text +=
        "INDEX selects a point of the sweep, trained by one process or by one job of several ranks. Without it one "
        "process starts a job for each point.\n";
  else if (command.parallel)
    text += "Runs as one process, or as a job of several ranks under mpirun or srun.\n";
  return text + "Messages go to standard error.\n";
}

/// Returns the section FILES: files of a command other than its argument and options.
std::string files_of(const Command& command) {
  struct File {
    std::string path, purpose;
    std::vector<std::string> commands;
  };
  static const std::vector<File> files = {
      {"preprocess.output", "folder of train.h5, evaluate.h5 and predict.h5", {"preprocess"}},
      {"RUN/checkpoints", "the newest checkpoints", {"train", "evaluate", "predict"}},
      {"RUN/metrics.jsonl", "losses, speed and evaluations in training", {"train", "report"}},
      {"RUN/run.json, RUN/result.json", "the job as it was started, and its result", {"train", "report"}},
      {"RUN/scores.h5", "scores", {"predict"}},
      {"RUN/report.html", "HTML page", {"report"}},
      {"RUN/KEY=VALUE,...-DIGEST", "run folder of a point", {"sweep list", "sweep run", "sweep collect"}},
      {"RUN/sweep.csv, RUN/sweep.json", "results of all points", {"sweep run", "sweep collect"}},
  };
  std::string text;
  bool of_a_run = false;
  for (const File& file : files)
    if (std::find(file.commands.begin(), file.commands.end(), command.name) != file.commands.end()) {
      text += item(bold(file.path), plain(file.purpose));
      of_a_run |= file.path.starts_with("RUN");
    }
  if (text.empty()) return text;
  if (of_a_run && command.argument == "DECK")
    text += ".PP\nRUN is run.output of the deck, or runs/NAME with its run.name.\n";
  return ".SH FILES\n" + text;
}

std::string page_of(const Command& command) {
  std::string text = head(page_name(command), "1", command.help) + ".SH SYNOPSIS\n" + bold("tesserec " + command.name) +
                     " " + plain(synopsis(command)) + "\n";
  if (command.parallel)
    text += ".br\n" + bold("mpirun -n RANKS tesserec " + command.name) + " " + plain(job_synopsis(command)) + "\n";
  text += description(command) + ".SH OPTIONS\n";
  for (const Option& option : options_of(command))
    text += item(bold(option.name) + (option.value.empty() ? "" : " " + italic(option.value)), plain(option.help));
  text += exit_status(makes_checkpoints(command)) + files_of(command);
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
  return text + exit_status(true) + ".SH FILES\n" +
         item(bold("PREFIX/share/tesserec"), "decks, train.sbatch, site files and examples, to copy") +
         item(bold("PREFIX/share/doc/tesserec"), "documentation, beginning with README.md") +
         ".PP\nPREFIX is where Tesserec was installed; tesserec \\-\\-help names it.\n" +
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
  std::string text = head("tesserec-deck", "5", "TOML file that describes a job of tesserec") +
                     ".SH DESCRIPTION\nA deck is one TOML file that describes a job completely.\n" +
                     from_markdown(deck::reading_rules());
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
