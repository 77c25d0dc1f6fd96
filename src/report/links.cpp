// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <filesystem>

#include "figures.hpp"
#include "svg.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

namespace files = std::filesystem;

/// Encodes a path for a URL.
std::string encoded(const std::string& path) {
  std::string url;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("/-_.~,=+").find(c) < 9);
    url += plain ? std::string(1, c) : "%" + hex(byte, 2);
  }
  return url;
}

/// Returns "deck", with a remark if its file has changed since the run read it.
std::string deck_word(const std::string& path, const std::string& text_at_start) {
  try {
    if (read_file(path) != text_at_start) return "deck (changed since)";
  } catch (const std::exception&) {
  }
  return "deck";
}

}  // namespace

Links::Links(const std::string& page) : folder_(files::absolute(page).lexically_normal().parent_path().string()) {}

std::string Links::operator()(const std::string& path, const std::string& content) const {
  std::error_code error;
  if (path.empty() || !files::exists(path, error)) return "";
  const files::path to = files::absolute(path).lexically_normal().lexically_relative(folder_);
  return element("a", {{"href", encoded(to.empty() ? "." : to.string())}}, content);
}

std::string Links::files_of(const std::string& folder, const Record& start) const {
  std::vector<std::string> links;
  const auto add = [&](const std::string& path, const std::string& word) {
    if (const std::string link = (*this)(path, word); !link.empty()) links.push_back(link);
  };
  const std::string deck = start.text({"deck_file"});
  std::error_code error;
  if (files::is_regular_file(deck, error)) add(deck, deck_word(deck, start.text({"deck_text"})));
  const std::string log = start.text({"log"});
  add(files::exists(folder + "/log.txt", error) ? folder + "/log.txt" : log, "log");
  for (const auto& [name, word] : {std::pair{"metrics.jsonl", "metrics"},
                                   {"run.json", "start and plan"},
                                   {"result.json", "result"},
                                   {"point.json", "point"},
                                   {"importance.json", "importance"},
                                   {"checkpoints", "checkpoints"},
                                   {"scores.h5", "scores"}})
    add(folder + "/" + name, word);
  return join(links, ", ");
}

}  // namespace tesserec::report
