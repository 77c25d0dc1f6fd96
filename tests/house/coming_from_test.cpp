// SPDX-License-Identifier: Apache-2.0
// Promises of docs/coming-from.md: its keys, commands and names must exist.
#include <set>
#include <sstream>
#include <string>

#include "catch.hpp"
#include "page.hpp"

using namespace page;

namespace {

/// Returns whether the key takes the value of a choice; its range reads "dot | cat".
bool takes(const tesserec::deck::KeyInfo& key, const std::string& value) {
  if (value.size() < 2 || value.front() != '"') return true;
  if (key.type.find("choice") == std::string::npos) return true;
  const std::string bars = " " + key.range + " ";
  return bars.find(" " + value.substr(1, value.size() - 2) + " ") != std::string::npos;
}

/// Returns "" if `word` is a key, a command, a script or a name that exists.
std::string complaint(const std::string& word) {
  static const std::string app = text_below("src/app");
  const std::string first = word.substr(0, word.find(' '));
  if (first == "mpirun" || first == "srun") return "";
  if (first.rfind("runs/", 0) == 0) return fs::exists(root + "/" + first) ? "" : "no such script";
  if (first == "tesserec") {
    const std::string command = word.substr(first.size() + 1);
    return app.find('"' + command + '"') != std::string::npos ? "" : "no such command";
  }
  if (const std::size_t colons = word.find("::"); colons != std::string::npos) {
    const fs::path folder = root + "/include/tesserec/" + word.substr(0, colons);
    if (!fs::is_directory(folder)) return "no such folder";
    const std::string headers = text_below("include/tesserec/" + word.substr(0, colons));
    const std::string name = word.substr(colons + 2);
    for (const std::string& declared :
         {"class " + name + " ", "struct " + name + " ", "using " + name + " ", " " + name + "("})
      if (headers.find(declared) != std::string::npos) return "";
    return "no such name";
  }
  const std::size_t equals = word.find(" = ");
  const auto* key = key_info(word.substr(0, equals));
  if (key == nullptr) return "no such key";
  return equals == std::string::npos || takes(*key, word.substr(equals + 3)) ? "" : "no such value";
}

}  // namespace

TEST_CASE("coming-from.md: every key and command and name in it exists") {
  std::istringstream page(text_of(root + "/docs/coming-from.md"));
  int rows = 0, checked = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.empty() || line[0] != '|' || line.rfind("|---", 0) == 0) continue;
    const auto row = cells(line);
    INFO(line);
    REQUIRE(row.size() == 3);
    if (row[1] == " here ") continue;
    ++rows;
    const auto here = words(row[1]);
    if (here.empty()) CHECK(row[1].rfind(" none: ", 0) == 0);
    for (const std::string& word : here) {
      INFO(word);
      CHECK(complaint(word) == "");
      ++checked;
    }
  }
  CHECK(rows > 100);
  CHECK(checked > 80);
}

TEST_CASE("coming-from.md: has the 76 flags of the reference DLRM") {
  std::istringstream page(text_of(root + "/docs/coming-from.md"));
  std::set<std::string> flags;
  for (std::string line; std::getline(page, line) && line != "## TorchRec";)
    if (line.rfind("| `--", 0) == 0) flags.insert(words(line).front());
  CHECK(flags.size() == 76);
}

TEST_CASE("complaint: names what does not exist") {
  CHECK(complaint("train.batch_size") == "");
  CHECK(complaint("train.batch") == "no such key");
  CHECK(complaint("model.interaction = \"cat\"") == "");
  CHECK(complaint("model.interaction = \"product\"") == "no such value");
  CHECK(complaint("jagged::KeyedJaggedTensor") == "");
  CHECK(complaint("jagged::Tensor") == "no such name");
  CHECK(complaint("tesserec fly") == "no such command");
}
