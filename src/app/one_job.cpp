// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <filesystem>

#include <link.h>

#include "help.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::app {
namespace {

namespace fs = std::filesystem;

/// Returns "BYTES bytes, CHECKSUM", or the reason why the file cannot be read.
std::string file_value(const std::string& path) {
  try {
    const std::string text = read_file(path);
    return concat(text.size(), " bytes, ",
                  store::checksum_text(store::bytes_checksum("file", text.data(), std::ssize(text))));
  } catch (const Error& error) {
    return error.what();
  }
}

/// Returns the paths of this program's libraries that the process has loaded.
std::vector<std::string> own_libraries() {
  std::vector<std::string> paths;
  const auto add = [](dl_phdr_info* info, std::size_t, void* list) {
    const std::string path = info->dlpi_name;
    if (fs::path(path).filename().string().starts_with("libtesserec"))
      static_cast<std::vector<std::string>*>(list)->push_back(path);
    return 0;
  };
  dl_iterate_phdr(add, &paths);
  return paths;
}

/// Returns the working folder by the name in PWD if it is valid, since nodes may reach the folder by different links.
std::string working_folder() {
  std::error_code error;
  const char* named = std::getenv("PWD");
  if (named != nullptr && fs::equivalent(named, ".", error) && !error) return named;
  const fs::path folder = fs::current_path(error);
  return error ? "unknown: " + error.message() : folder.string();
}

std::vector<comm::Named> facts_of(const Invocation& invocation) {
  std::vector<comm::Named> facts = {{"the program", versions() + ", " + file_value("/proc/self/exe")}};
  for (const std::string& path : own_libraries()) facts.push_back({fs::path(path).filename(), file_value(path)});
  facts.push_back({"the working folder", working_folder()});
  facts.push_back({"the command", invocation.command});
  if (invocation.command.starts_with("--")) return facts;
  for (const char* name : {"NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATE_SINGLE_PRECISION"})  // These change cuBLASLt's bits.
    if (const char* value = std::getenv(name)) facts.push_back({concat("the environment's ", name), value});

  if (!invocation.index.empty()) facts.push_back({"INDEX", invocation.index});
  if (invocation.json) facts.push_back({"--json", "given"});
  for (const auto& [name, value] : invocation.options) facts.push_back({name, value.empty() ? "given" : value});
  for (const Option& option : command_named(invocation.command).options)
    if (option.reads && invocation.has(option.name))
      facts.push_back({"the file of " + option.name, file_value(invocation.options.at(option.name))});
  if (command_named(invocation.command).argument != "DECK") {
    const std::vector<std::string> single = {invocation.deck};
    const std::vector<std::string>& paths = invocation.paths.empty() ? single : invocation.paths;
    facts.push_back({"the path", join(paths, " ")});
    return facts;
  }
  if (!invocation.paths.empty()) facts.push_back({"the paths", join(invocation.paths, " ")});
  facts.push_back({"the deck", invocation.deck.empty() ? "left out" : "given"});
  const deck::Deck deck = invocation.read_deck();
  for (const deck::KeyValue& entry : deck::values_of(deck)) facts.push_back({entry.key, entry.value});
  if (!deck.plan.file.empty()) facts.push_back({"the file of plan.file", file_value(deck.plan.file)});
  return facts;
}

}  // namespace

Invocation agreed_invocation(const comm::Communicator& comm, const std::vector<std::string>& words) {
  Invocation invocation;
  std::vector<comm::Named> facts;
  comm::agree(comm, [&] {
    invocation = parse_command_line(words);
    const bool is_command = !invocation.command.starts_with("--");
    if (is_command && !invocation.deck.empty() && command_named(invocation.command).argument == "DECK")
      invocation.deck_text = deck::read_deck_text(invocation.deck);
    if (comm.size() > 1) facts = facts_of(invocation);
  });
  comm::require_same(comm, facts, "start all ranks of a job with one program, one command and one deck");
  return invocation;
}

}  // namespace tesserec::app
