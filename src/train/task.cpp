// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "checkpoint_parts.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::train {
namespace {

/// Blocks that checkpoint.accept may name even if neither deck has them.
constexpr std::string_view blocks[] = {"model", "table", "optimizer", "schedule", "data"};

bool begins_with(const std::string& text, const std::string& head) { return text.compare(0, head.size(), head) == 0; }

/// Returns whether `key` is `name` or lies in the block `name`.
bool is_in(const std::string& key, const std::string& name) {
  return begins_with(key, name) && (key.size() == name.size() || key[name.size()] == '.');
}

bool is_in_one_of(const std::string& key, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return is_in(key, name); });
}

/// Returns whether the key belongs to the task, which the checkpoint's deck must share. check_same_windows() compares
/// data.window.
bool is_compared(const std::string& key, Purpose purpose, bool same_files) {
  if (is_in_one_of(key, {"data.evaluate", "data.predict", "data.window", "data.missing_labels",
                         "data.synthetic.evaluate_samples"}))
    return false;
  const bool is_table_format = key == "model.table_format" || (begins_with(key, "table.") && key.ends_with(".format"));
  if (is_table_format || is_in_one_of(key, {"model.precision", "model.exchange_forward", "model.exchange_backward"}))
    return purpose == Purpose::resume;  // weights are fp32 in any checkpoint
  if (is_in(key, "data.train")) return purpose == Purpose::resume && !same_files;
  if (is_in_one_of(key, {"optimizer", "schedule", "data.synthetic.samples"})) return purpose == Purpose::resume;
  const bool own_optimizer = begins_with(key, "table.") && key.find(".optimizer") != std::string::npos;
  if (own_optimizer) return purpose == Purpose::resume;
  return is_in_one_of(key, {"model", "table", "data"});
}

/// Returns whether another value of the key changes the shapes of weights, so that the checkpoint's weights do not fit.
bool shapes_weights(const std::string& key) {
  const auto ends_with_one_of = [&](std::initializer_list<const char*> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](const char* end) { return key.ends_with(end); });
  };
  if (is_in(key, "model.layer"))
    return ends_with_one_of({".widths", ".layers", ".rank", ".experts", ".dim", ".positions"});
  const bool is_table = begins_with(key, "table.") && std::count(key.begin(), key.end(), '.') == 1;
  if (is_in(key, "table"))
    return is_table || ends_with_one_of({".rows", ".dim", ".projection", ".qr_collisions", ".growing"});
  if (is_in_one_of(key, {"data.synthetic.rows", "data.synthetic.max_rows"})) return true;
  return is_in(key, "model") && !begins_with(key, "model.loss") &&
         !is_in_one_of(key, {"model.precision", "model.activation", "model.attention_softmax", "model.exchange_forward",
                             "model.exchange_backward", "model.table_format", "model.task_weights"});
}

/// Returns whether the key is the rows of a table that grows in both decks. Its ids keep their rows if they fit.
bool is_capacity(const std::string& key, const std::map<std::string, std::string>& then,
                 const std::map<std::string, std::string>& now) {
  if (!begins_with(key, "table.") || !key.ends_with(".rows")) return false;
  const std::string growing = key.substr(0, key.rfind('.')) + ".growing";
  const auto grows = [&](const std::map<std::string, std::string>& deck) {
    const auto found = deck.find(growing);
    return found != deck.end() && found->second == "true";
  };
  return grows(then) && grows(now);
}

/// Returns the block that a heading names: "[[table]]" -> "table", "[data.synthetic]" -> "data.synthetic".
std::string block_of(const std::string& line) {
  const std::size_t begin = line.find_first_not_of('['), end = line.find(']');
  return line.substr(begin, end - begin);
}

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

/// Returns the block of a key.
std::string home_of(const std::string& key) { return key.substr(0, key.rfind('.')); }

/// Lists the names of repeated blocks in their order: "table" -> {"C2", "C1"}.
std::map<std::string, std::vector<std::string>> block_names(const std::string& text) {
  std::map<std::string, std::vector<std::string>> names;
  std::istringstream lines(text);
  std::string block;
  const std::string head = "name = ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() == '[') block = begins_with(line, "[[") ? block_of(line) : "";
    if (!block.empty() && begins_with(line, head)) names[block].push_back(unquoted(line.substr(head.size())));
  }
  return names;
}

/// Returns the elements of `names` that are in `others`, too, in their order.
std::vector<std::string> common(std::vector<std::string> names, const std::vector<std::string>& others) {
  std::erase_if(names, [&](const auto& name) { return std::find(others.begin(), others.end(), name) == others.end(); });
  return names;
}

/// Lists the blocks of a flat deck, and adds its keys to `keys`.
std::set<std::string> blocks_of(const std::map<std::string, std::string>& deck, std::set<std::string>& keys) {
  std::set<std::string> found;
  for (const auto& [key, value] : deck) {
    keys.insert(key);
    found.insert(home_of(key));
  }
  return found;
}

}  // namespace

std::map<std::string, std::string> flat_deck(const std::string& text) {
  std::map<std::string, std::string> keys;
  std::istringstream lines(text);
  std::string block;
  std::map<std::string, int> numbers;  // counters that number repeated blocks
  bool repeated = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.front() == '[') {
      block = block_of(line);
      repeated = begins_with(line, "[[");
      if (repeated) block += "." + std::to_string(numbers[block]++);
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, equals), value = line.substr(equals + 3);
    if (repeated && key == "name") block = home_of(block) + "." + unquoted(value);
    keys[block + "." + key] = value;
  }
  return keys;
}

bool accepts(const CheckpointSettings& checkpoint, const std::string& key) {
  return std::any_of(checkpoint.accept.begin(), checkpoint.accept.end(),
                     [&](const std::string& name) { return is_in(key, name); });
}

Explained check_same_task(const std::string& deck_then, const Job& job, Purpose purpose, bool same_files,
                          const std::string& file) {
  if (deck_then.empty() || job.deck.empty()) return {};  // a user's own program has no decks
  const std::map<std::string, std::string> then = flat_deck(deck_then), now = flat_deck(job.deck);
  std::set<std::string> keys;
  const std::set<std::string> blocks_then = blocks_of(then, keys), blocks_now = blocks_of(now, keys);
  for (const std::string& accepted : job.checkpoint.accept)
    if (std::find(std::begin(blocks), std::end(blocks), accepted) == std::end(blocks) &&
        std::none_of(keys.begin(), keys.end(), [&](const std::string& key) { return is_in(key, accepted); }))
      fail("checkpoint.accept: \"", accepted,
           "\" is not a key or block of this deck or of the checkpoint's; correct or remove it");

  const auto synthetic = now.find("data.synthetic.kind");
  const bool drawn = synthetic != now.end() && synthetic->second != "\"none\"";
  const bool starts = std::ranges::any_of(now, [](const auto& entry) {  // ids without a row read start values
    return entry.first.starts_with("table.") && entry.first.ends_with(".unknown") && entry.second == "\"start\"";
  });
  std::vector<std::string> differences, advice;
  bool fits = true;
  Explained explained;
  const auto add = [&](const std::string& key, const std::string& value_then, const std::string& value_now) {
    if (accepts(job.checkpoint, key)) {
      explained.weights = explained.weights || shapes_weights(key);
      explained.states = explained.states || key.find("optimizer") != std::string::npos;
      return;
    }
    differences.push_back(key + " = " + value_then + ", but this deck has " + value_now);
    advice.push_back('"' + key + '"');
    fits = fits && !shapes_weights(key);
  };
  for (const std::string& key : keys) {
    const bool seeds = key == "run.seed" && (drawn || starts) && purpose == Purpose::weights;
    if (!seeds && !is_compared(key, purpose, same_files)) continue;
    const auto value_then = then.find(key), value_now = now.find(key);
    if (value_then != then.end() && value_now != now.end()) {
      if (value_then->second == value_now->second) continue;
      if (!is_capacity(key, then, now)) {
        add(key, value_then->second, value_now->second);
        continue;
      }
      explained.capacity = true;
      log_info(concat(key, ", the capacity of a growing table, is ", value_now->second, ", but was ",
                      value_then->second, " in ", file, "; a smaller one forgets ids that wait for a row"));
      continue;
    }
    // A table or stage that only one deck has makes another task; a single key belongs to another version of the
    // program.
    const std::string home = home_of(key);
    const bool is_table = begins_with(home, "table.") && key == home + ".name";
    const bool is_stage = begins_with(home, "schedule.stages.") && key == home + ".policy";
    const std::string kind = is_table ? "table" : "stage";
    if ((is_table || is_stage) && blocks_now.count(home) == 0) add(home, "a " + kind, "none");
    if ((is_table || is_stage) && blocks_then.count(home) == 0) add(home, "no " + kind, "one");
  }
  const auto names_then = block_names(deck_then), names_now = block_names(job.deck);
  for (const auto& [block, names] : names_then) {  // the model reads pooled vectors and layers by position
    const auto other = names_now.find(block);
    if (other == names_now.end() || !is_compared(block, purpose, same_files) || accepts(job.checkpoint, block))
      continue;
    const std::vector<std::string> before = common(names, other->second), after = common(other->second, names);
    if (before == after) continue;
    differences.push_back("[[" + block + "]] in the order " + join(before) + ", but this deck has " + join(after));
    advice.push_back('"' + block + '"');
  }
  if (differences.empty()) return explained;
  const std::string difference = concat(file, " was made with ", join(differences, "; "), "; set it back, or ");
  if (fits) fail(difference, "allow it with checkpoint.accept = [", join(advice), "]");
  if (purpose != Purpose::weights)
    fail(difference, "start weights of other shapes anew, and keep the rows of larger tables, with ",
         "checkpoint.accept = [", join(advice), "]");
  fail(difference, "name a checkpoint of this model with checkpoint.resume, because weights have other shapes");
}

}  // namespace tesserec::train
