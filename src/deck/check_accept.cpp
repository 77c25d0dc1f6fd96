// SPDX-License-Identifier: Apache-2.0
// Check of the names in checkpoint.accept.
#include <algorithm>

#include "section.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>
#include <tesserec/schema/suggest.hpp>

namespace tesserec::deck {
namespace {

/// Blocks of which a resumed run may have other keys than its checkpoint.
const std::vector<std::string> accepted = {"model", "table", "optimizer", "schedule", "data"};

/// Seed of generated data, which start_from compares. It is the only key of another block that is compared.
constexpr const char* seed = "run.seed";

bool has_key(const BlockInfo& block, const std::string& name) {
  return std::ranges::any_of(block.keys, [&](const KeyInfo& key) { return key.name == name; });
}

/// Returns whether a name behind "table.", "model.layer." or "schedule.stages." is one of a block, whatever its own
/// name, or of a key in it. Another deck may have other tables, layers and stages.
bool is_in_repeated(const BlockInfo& block, const std::string& rest) {
  const std::size_t dot = rest.rfind('.');
  if (dot == std::string::npos) return !rest.empty();
  const std::string last = rest.substr(dot + 1), before = rest.substr(0, dot);
  if (has_key(block, last)) return true;
  if (block.path != "table") return false;
  if (last == "optimizer") return true;
  const auto sparse = std::ranges::find(schema(), std::string("optimizer.sparse"), &BlockInfo::path);
  return before.ends_with(".optimizer") && has_key(*sparse, last);
}

bool is_known(const Deck& deck, const std::string& name) {
  if (name == seed || deck.lines.count(name) != 0) return true;
  return std::ranges::any_of(schema(), [&](const BlockInfo& block) {
    if (std::ranges::count(accepted, block.path.substr(0, block.path.find('.'))) == 0) return false;
    if (block.path == name || block.path.starts_with(name + ".")) return true;
    if (!name.starts_with(block.path + ".")) return false;
    const std::string rest = name.substr(block.path.size() + 1);
    return block.heading.starts_with("[[") ? is_in_repeated(block, rest) : has_key(block, rest);
  });
}

bool is_of_accepted_block(const std::string& name) {
  return name == seed || std::ranges::count(accepted, name.substr(0, name.find('.'))) > 0;
}

/// Returns the nearest key or block that checkpoint.accept takes, or "".
std::string nearest_name(const std::string& name) {
  std::vector<std::string> names = accepted;
  for (const BlockInfo& block : schema()) {
    if (!is_of_accepted_block(block.path)) continue;
    names.push_back(block.path);
    for (const KeyInfo& key : block.keys) names.push_back(block.path + "." + key.name);
  }
  return schema::nearest(name, names);
}

}  // namespace

void check_accept(const Deck& deck) {
  for (const std::string& name : deck.checkpoint.accept) {
    if (is_of_accepted_block(name) && is_known(deck, name)) continue;
    const std::string near = nearest_name(name), hint = near.empty() ? "" : "; did you mean " + quoted(near) + "?";
    fail(deck.at("checkpoint.accept"), " has ", quoted(name), ", in which decks cannot differ; known names are ",
         join(accepted),
         ", the blocks inside them, and their keys, such as \"optimizer.dense.lr\" or "
         "\"table.NAME.rows\"",
         hint);
  }
}

}  // namespace tesserec::deck
