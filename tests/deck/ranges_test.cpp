// SPDX-License-Identifier: Apache-2.0
// Ranges of numeric keys: each key keeps to the range that docs/deck.md states, and the error names its line.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/deck.hpp>

using namespace tesserec;

namespace {

using deck::BlockInfo;
using deck::KeyInfo;

/// The numbers in the words of a range: "1 to 2^53", "at least 0, below 1", "0, or 1e-30 to 1e+30", "at least 0".
struct KeyRange {
  double low = 0, high = INFINITY;
  bool open = false;
  double min_magnitude = 0;  ///< the least number except 0
};

double number_at(const std::string& words, std::size_t at) {
  return words.compare(at, 4, "2^53") == 0 ? 0x1p53 : std::stod(words.substr(at));
}

KeyRange range_of(const KeyInfo& key) {
  std::string words = key.range;
  if (const std::size_t each = words.find("each "); each != words.npos) words = words.substr(each + 5);
  KeyRange range;
  const std::size_t at_least = words.find("at least "), to = words.find(" to "), below = words.find(", below ");
  const std::size_t rest = words.find(", or ");
  range.low = number_at(words, at_least == 0 ? 9 : 0);
  range.open = below != words.npos;
  if (range.open) range.high = number_at(words, below + 8);
  if (to != words.npos) range.high = number_at(words, to + 4);
  if (rest != words.npos) range.min_magnitude = number_at(words, rest + 5);
  return range;
}

bool is_integer(const KeyInfo& key) {
  return key.type == "integer" || key.type == "list of integers" || key.type == "integer or list of integers";
}
bool is_number(const KeyInfo& key) { return key.type == "number" || key.type == "list of numbers"; }

/// Returns values just outside a range, as TOML.
std::vector<std::string> outside(const KeyInfo& key) {
  const KeyRange range = range_of(key);
  std::vector<std::string> values;
  if (is_integer(key)) {
    values = {std::to_string(std::int64_t(range.low) - 1), "-9223372036854775808", "1.0", "nan"};
    if (std::isfinite(range.high)) {
      values.push_back(std::to_string(std::int64_t(range.high) + 1));
      values.emplace_back("9223372036854775807");
    }
    return values;
  }
  const double below = std::nextafter(range.low, -INFINITY);
  values = {shortest(below), "-1e308", "1e308", "nan", "inf", "-inf"};
  values.push_back(shortest(range.open ? range.high : std::nextafter(range.high, INFINITY)));
  if (range.min_magnitude > 0) values.push_back(shortest(std::nextafter(range.min_magnitude, 0)));
  return values;
}

/// Returns the value in the form that the key takes.
std::string with_value(const KeyInfo& key, const std::string& value) {
  if (key.type.rfind("list", 0) != 0) return value;
  return key.range.rfind("2 entries", 0) == 0 ? "[" + value + ", " + value + "]" : "[" + value + "]";
}

/// Returns a line for a required key.
std::string required_line(const KeyInfo& key) {
  const auto value = [&]() -> std::string {
    if (key.type == "integer") return "1";
    if (key.type == "number") return "1.0";
    if (key.type == "choice") return "\"" + deck::choices_of(key).front() + "\"";
    return key.type == "text" ? "\"x\"" : "[\"dense\"]";
  };
  return key.name + " = " + value() + "\n";
}

/// Returns lines that may have to precede a key so that it is read: none, or a choice of the block.
std::vector<std::string> contexts(const BlockInfo& block) {
  std::vector<std::string> all = {""};
  for (const KeyInfo& key : block.keys)
    if (key.type == "choice" &&
        (key.name == "type" || key.name == "policy" || key.name == "method" || key.name == "loss"))
      for (const std::string& choice : deck::choices_of(key)) all.push_back(key.name + " = \"" + choice + "\"\n");
  if (block.path == "table")
    for (const char* eviction : {"", "eviction = \"ttl\"\n"}) all.push_back(std::string("growing = true\n") + eviction);
  return all;
}

/// Returns the heading of the block and the path of its keys in messages.
std::pair<std::string, std::string> heading_of(const BlockInfo& block) {
  if (block.path == "table") return {block.heading, "table.x"};
  if (block.path == "model.layer") return {"[model]\ntype = \"network\"\n" + block.heading, "model.layer.x"};
  if (block.path == "schedule.stages") return {block.heading, "schedule.stages.0"};
  if (block.heading.rfind("[[preprocess.", 0) == 0) return {block.heading, block.path + ".0"};
  if (block.path == "plan.tables.NAME") return {"[plan.tables.x]", "plan.tables.x"};
  if (block.path == "sweep.keys") return {"[sweep.keys.\"optimizer.dense.lr\"]", "sweep.keys.optimizer.dense.lr"};
  return {block.heading, block.path};
}

/// Returns the message about this value of a key, in the first context that reads the key.
std::string message_of(const BlockInfo& block, const KeyInfo& key, const std::string& value, std::string& where) {
  const auto [heading, path] = heading_of(block);
  for (const std::string& context : contexts(block)) {
    std::string text = heading + "\n" + context;
    for (const KeyInfo& other : block.keys)
      if (other.default_value == "required" && other.name != key.name && context.rfind(other.name + " =", 0) != 0)
        text += required_line(other);
    where = concat("d.toml:", 1 + std::count(text.begin(), text.end(), '\n'), ": ", path, ".", key.name);
    const std::string message =
        error_of([&] { deck::parse_deck(text + key.name + " = " + value + "\n", "d.toml", {}); });
    const bool is_unread = mentions(message, " does not apply to ") || mentions(message, " applies only to method") ||
                           mentions(message, " applies only to growing tables") ||
                           mentions(message, " applies only to eviction");
    if (!is_unread) return message;
  }
  return "no context reads " + key.name;
}

}  // namespace

TEST_CASE("parse_deck: a number just outside the range in docs/deck.md throws with its line") {
  int numbers = 0;
  for (const BlockInfo& block : deck::schema())
    for (const KeyInfo& key : block.keys) {
      if (!is_integer(key) && !is_number(key)) continue;
      ++numbers;
      INFO(block.path << "." << key.name << ": " << key.range);
      REQUIRE_FALSE(key.range.empty());
      for (const std::string& value : outside(key)) {
        std::string where;
        const std::string message = message_of(block, key, with_value(key, value), where);
        INFO(value << ": " << message);
        CHECK(message.rfind(where, 0) == 0);
        CHECK(mentions(message, " must be a"));
      }
    }
  CHECK(numbers > 100);
}

TEST_CASE("parse_deck: takes the ends of the ranges in docs/deck.md") {
  for (const BlockInfo& block : deck::schema())
    for (const KeyInfo& key : block.keys) {
      if (!is_integer(key) && !is_number(key)) continue;
      const KeyRange range = range_of(key);
      std::vector<double> ends = {range.low};
      if (std::isfinite(range.high) && !range.open) ends.push_back(range.high);
      for (const double end : ends) {
        std::string where;
        const std::string value = is_integer(key) ? std::to_string(std::int64_t(end)) : shortest(end);
        const std::string message = message_of(block, key, with_value(key, value), where);
        INFO(block.path << "." << key.name << " = " << value << ": " << message);
        CHECK_FALSE(mentions(message, " must be an integer"));  // other keys may still refuse the value
        CHECK_FALSE(mentions(message, " must be a finite number"));
      }
    }
}

TEST_CASE("parse_deck: throws with the line of the cause if no run can follow the schedule") {
  const auto refused = [](const std::string& text, const std::string& message) {
    CHECK(error_of([&] { deck::parse_deck(text, "d.toml", {}); }).rfind(message, 0) == 0);
  };
  const std::string linear = "[[schedule.stages]]\npolicy = \"linear\"\nmax_steps = 10\nstart_steps = ";
  refused(linear + "5\n",
          "d.toml:4: schedule.stages.0.start_steps is 5, but the stage begins at step 0, before its line");
  const std::string constant = "[[schedule.stages]]\npolicy = \"constant\"\nmax_steps = 3\n";
  refused(constant + linear + "5\n",
          "d.toml:7: schedule.stages.1.start_steps is 5, but the stage begins at step 4, before its line; set "
          "start_steps = 4 or less, or extend the preceding stage to max_steps = 4");
  CHECK_NOTHROW(deck::parse_deck(constant + linear + "4\n", "d.toml", {}));

  const std::string growing = "[[schedule.stages]]\npolicy = \"exponential\"\nvalue = 10\nmax_steps = 60\n";
  refused(growing, "d.toml:1: schedule.stages.0 raises optimizer.dense.lr = 0.01 to a learning rate of 1e+58, more");
  refused(growing +
              "[optimizer.sparse]\nlr = 0\n[optimizer.dense]\nlr = 1e-30\n[[table]]\nname = \"a\"\n"
              "optimizer = {lr = 1e-20}\n",
          "d.toml:1: schedule.stages.0 raises table.a.optimizer.lr = 1e-20 to a learning rate of 1e+40, more");
  CHECK_NOTHROW(deck::parse_deck(growing + "[train]\nsteps = 30\n", "d.toml", {}));  // the run ends earlier
  refused("[[schedule.stages]]\npolicy = \"step\"\nvalue = 1e30\nmax_steps = 60\nscale = 1e30\n", "d.toml:1: schedule");

  refused("[optimizer.dense]\nlr = 0.5\ndecay = \"decoupled\"\nweight_decay = 3\n",
          "d.toml:4: optimizer.dense.weight_decay is 3.0; times the largest learning rate 0.5 (optimizer.dense.lr = "
          "0.5) it is 1.5, so a step would subtract more than the whole weight");
  CHECK_NOTHROW(deck::parse_deck("[optimizer.dense]\nlr = 0.5\ndecay = \"decoupled\"\nweight_decay = 2\n", "d", {}));
  for (const char* type : {"sgd", "momentum_sgd", "nesterov_sgd"})  // l2 is the default
    refused(concat("[[table]]\nname = \"a\"\noptimizer = {type = \"", type, "\", lr = 0.5, weight_decay = 3}\n"),
            "d.toml:3: table.a.optimizer.weight_decay is 3.0; times the largest learning rate 0.5");
  CHECK_NOTHROW(deck::parse_deck("[optimizer.sparse]\ntype = \"adagrad\"\nlr = 0.5\nweight_decay = 3\n", "d", {}));
  refused("[schedule]\ndecay_steps = 5\n[optimizer.sparse]\nlr = 0\n",
          "d.toml:2: schedule.decay_steps decays rates to 1e-07 at least, so optimizer.sparse.lr = 0.0 would rise");
  refused("[schedule]\ndecay_start_step = 5\n",
          "d.toml:2: schedule.decay_start_step is 5, but schedule.decay_steps is 0");
}
