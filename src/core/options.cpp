// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/options.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {

std::string option_value(const std::vector<std::string>& words, std::size_t& i, const std::string& placeholder) {
  if (const std::size_t equals = words[i].find('='); equals != std::string::npos) return words[i].substr(equals + 1);
  if (i + 1 == words.size()) fail(words[i], " needs a value: ", words[i], " ", placeholder);
  return words[++i];
}

bool read_option(std::span<const Option> table, const std::vector<std::string>& words, std::size_t& i,
                 std::map<std::string, std::string>& values) {
  const std::string word = words[i], name = word.substr(0, word.find('='));
  const auto option = std::ranges::find(table, name, &Option::name);
  if (option == table.end()) return false;
  if (option->value.empty() && word != name)
    fail(name, " takes no value, but has \"", word.substr(name.size() + 1), "\"");
  const std::string value = option->value.empty() ? "" : option_value(words, i, option->value);
  if (!option->choices.empty() && std::ranges::count(option->choices, value) == 0)
    fail(name, " must be one of ", join(option->choices, " | "), ", but is \"", value, "\"");
  values[name] = value;
  return true;
}

std::string option_lines(std::span<const Option> table) {
  std::string text;
  for (const Option& option : table)
    text += "  " + left(option.name + (option.value.empty() ? "" : " " + option.value), 22) + " " + option.help + "\n";
  return text;
}

}  // namespace tesserec
