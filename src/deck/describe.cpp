// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>

namespace tesserec::deck {
namespace {

// Escapes '|', which would end a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

const std::string& reading_rules() {
  static const std::string text =
      "Reading is strict: an unknown key, a wrong type or a value out of range is an error that names file, line and "
      "key.\n"
      "A key that nothing reads under the values of other keys, such as `optimizer.sparse.beta1` with type = \"sgd\", "
      "is a\nwarning with its line, the reason and what to set, of `tesserec check` and of the command that trains, "
      "evaluates\nor plans.\n"
      "Paths are relative to the working directory, not to the deck. A list of texts may be given as a single text.\n"
      "Bytes may be given as a text with a unit, such as `\"1.5 GiB\"` (B, kB, MB, GB, TB, KiB, MiB, GiB or TiB).\n"
      "`--set block.key=value` (repeatable) overrides a key; a value is TOML, and text needs no quotes. Overrides "
      "also\n"
      "reach `optimizer.sparse.lr`, `table.NAME.rows`, `preprocess.column.NAME.kind`, `plan.tables.NAME.sharding` and\n"
      "single entries of a list that the deck gives, such as `model.bottom.0`.\n";
  return text;
}

std::string describe_markdown() {
  std::string out =
      "# The deck\n\nA deck is one TOML file that describes a job completely. This page is the output of `tesserec"
      " describe --markdown`;\na test compares them.\n\n" +
      reading_rules();
  for (const BlockInfo& block : schema()) {
    out += "\n## " + block.heading + "\n\n" + block.sentence + "\n";
    if (block.keys.empty()) continue;
    out += "\n| key | type | default | range | unit | |\n|---|---|---|---|---|---|\n";
    for (const KeyInfo& key : block.keys)
      out += "| `" + key.name + "` | " + key.type + " | " +
             (key.default_value == "required" ? "required" : "`" + cell(key.default_value) + "`") + " | " +
             cell(key.range) + " | " + key.unit + " | " + cell(key.sentence) + " |\n";
  }
  return out;
}

std::string describe_text() {
  const auto block_text = [](const BlockInfo& block) {
    std::string out = block.heading + "  " + block.sentence + "\n";
    for (const KeyInfo& key : block.keys) {
      out += "  " + key.name + ": " + key.type;
      if (!key.range.empty()) out += ", " + key.range;
      if (!key.unit.empty()) out += ", in " + key.unit;
      out += key.default_value == "required" ? "; required\n" : "; default " + key.default_value + "\n";
      out += "      " + key.sentence + "\n";
    }
    return out;
  };
  return join(schema(), "\n", block_text);
}

}  // namespace tesserec::deck
