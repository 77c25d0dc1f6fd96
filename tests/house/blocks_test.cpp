// SPDX-License-Identifier: Apache-2.0
// Code blocks of the pages: keys of their decks, and commands, options and keys of their shell lines, against the
// program.
#include <algorithm>
#include <cctype>
#include <functional>
#include <set>

#include "catch.hpp"
#include "page.hpp"

using namespace page;

namespace {

/// Returns the pages that users read.
std::vector<fs::path> pages() {
  std::vector<fs::path> found = {root + "/README.md", root + "/inputs/README.md", root + "/runs/README.md",
                                 root + "/examples/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root + "/docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

/// Calls `visit` with each line of the pages' blocks in a language, and each block's first line as "".
void for_each_line(const std::string& language, const std::function<void(const std::string&)>& visit) {
  for (const fs::path& path : pages()) {
    if (language == "toml" && path.filename() == "own_model.md") continue;  // keys of types that its program adds
    std::istringstream text(text_of(path));
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
      const std::size_t begin = line.find_first_not_of(' ');
      line = begin == std::string::npos ? "" : line.substr(begin);
      if (line.rfind("```", 0) == 0) {
        inside = !inside && line.substr(3) == language;
        line.clear();
      }
      INFO(path.filename().string() + ": " + line);
      if (inside) visit(line);
    }
  }
}

/// Returns a key's path with names of a user's choice replaced: plan.tables.C1.kernel -> plan.tables.NAME.kernel.
std::string schema_path(std::string path) {
  const std::string tables = "plan.tables.";
  if (path.rfind(tables, 0) != 0) return path;
  const std::size_t end = path.find('.', tables.size());
  return tables + "NAME" + (end == std::string::npos ? "" : path.substr(end));
}

/// Returns whether a path is a key of the deck, a block, or a key of a type's or a user's own.
bool is_known(const std::string& path) {
  if (key_info(path) != nullptr || path.rfind("sweep.keys", 0) == 0) return true;
  for (const auto& block : tesserec::deck::schema())
    if (block.path == path || block.path.rfind(path + ".", 0) == 0) return true;
  return false;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> found;
  for (std::string word; in >> word && word[0] != '#';) found.push_back(word);
  return found;
}

}  // namespace

TEST_CASE("pages: keys of their toml blocks are keys of the deck") {
  std::string block;
  int open = 0, checked = 0;  // brackets of a value that goes on
  for_each_line("toml", [&](const std::string& line) {
    if (line.empty()) {
      if (open != 0) FAIL("a value without its end");
      return;
    }
    if (open == 0 && line[0] == '[') {
      const std::size_t begin = line.find_first_not_of('[');
      block = schema_path(line.substr(begin, line.find(']') - begin));
      CHECK(is_known(block));
      return;
    }
    const std::size_t equals = line.find(" = ");
    if (open == 0 && line[0] != '#') {
      REQUIRE(equals != std::string::npos);
      std::string key = line.substr(0, line.find_last_not_of(' ', equals) + 1);
      if (block.rfind("sweep.keys", 0) == 0) {
        key.erase(std::remove(key.begin(), key.end(), '"'), key.end());
        CHECK(is_known(schema_path(key)));
      } else if (block != "model.layer") {  // a layer may be of a user's own type
        CHECK(is_known(schema_path(block.empty() ? key : block + "." + key)));
      }
      ++checked;
    }
    bool quoted = false;
    for (const char c : line.substr(0, line.find(" #"))) {
      if (c == '"') quoted = !quoted;
      if (!quoted) open += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
  });
  CHECK(checked >= 40);
}

TEST_CASE("pages: commands, options and keys of their shell blocks are the program's") {
  const std::string app = text_below("src/app");
  int checked = 0;
  for_each_line("sh", [&](const std::string& line) {
    const auto words = split(line);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::string program = words[i].substr(words[i].rfind('/') + 1);
      if (program != "tesserec" || (words[i].rfind("build/", 0) != 0 && words[i] != "tesserec")) continue;
      const std::string& command = words[i + 1];
      if (!std::islower(static_cast<unsigned char>(command[0]))) continue;
      if (i > 0 && (words[i - 1] == "-t" || words[i - 1] == "add" || words[i - 1] == "load")) continue;
      CHECK((app.find("{\"" + command + "\"") != std::string::npos ||
             app.find("{\"" + command + " ") != std::string::npos));
      ++checked;
    }
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == "--set") {
        std::string key = words[i + 1].substr(0, words[i + 1].find('='));
        key.erase(std::remove(key.begin(), key.end(), '\''), key.end());
        CHECK(is_known(schema_path(key)));
        ++checked;
      }
  });
  CHECK(checked >= 40);
}
