// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/core/options.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec {

void check_words(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool follows_option = i > 0 && words[i - 1].starts_with("--");
    std::string checked = words[i];
    if (checked.starts_with("--set=") || (follows_option && words[i - 1] == "--set"))
      std::replace(checked.begin(), checked.end(), '\t', ' ');
    if (const std::string fault = path_fault(checked); !fault.empty())
      fail("argument ", i + 1, follows_option ? " after " + words[i - 1] : "", ": \"", printable_line(words[i]),
           "\" cannot be used: ", fault, "; give UTF-8 text without control characters");
  }
}

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
  if (value.empty() && !option->value.empty()) fail(name, " needs a value: ", name, " ", option->value);
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
