// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>

#include <tesserec/emulated/fault.hpp>
#include <tesserec/emulated/settings.hpp>

namespace tesserec::emulated {
namespace {

void set(Settings& to, const std::string& word) {
  if (word == "order=eager")
    to.order = Order::eager;
  else if (word == "order=lazy")
    to.order = Order::lazy;
  else if (word == "order=random")
    to.order = Order::random;
  else if (word == "copies=staged")
    to.staged_copies = true;
  else if (word == "copies=strict")
    to.staged_copies = false;
  else if (word.starts_with("seed=") && word.size() > 5 && word.find_first_not_of("0123456789", 5) == std::string::npos)
    to.seed = std::strtoull(word.c_str() + 5, nullptr, 10);
  else
    fault("TESSEREC_EMULATED: \"" + word +
          "\" is not a setting; use order=eager|lazy|random, seed=N or copies=strict|staged");
}

Settings of_environment() {
  Settings made;
  const char* const text = std::getenv("TESSEREC_EMULATED");
  std::string words = text == nullptr ? "" : text;
  while (!words.empty()) {
    const std::size_t end = words.find(',');
    set(made, words.substr(0, end));
    words = end == std::string::npos ? "" : words.substr(end + 1);
  }
  return made;
}

}  // namespace

Settings& settings() {
  static Settings instance = of_environment();
  return instance;
}

}  // namespace tesserec::emulated
