// SPDX-License-Identifier: Apache-2.0
// Side tables of a deck that is proposed.
#include <algorithm>
#include <filesystem>

#include "proposal.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {

namespace fs = std::filesystem;

std::vector<ColumnFacts> head_facts(const HeadSample& head) {
  const std::vector<std::string> missing = Settings().missing;
  std::vector<ColumnFacts> all;
  for (std::size_t c = 0; c < head.names.size(); ++c) {
    all.push_back(facts_of(head.names[c], head.values[c], missing));
    if (head.types.empty()) continue;
    all.back().type = head.types[c];
    if (head.types[c].list) all.back().separator = head.separators[c];
  }
  return all;
}

bool is_nameable(const std::string& name) { return name_fault(name).empty() && name.find('*') == std::string::npos; }

namespace {

/// Returns the column of both files that has another value in each row of the side table, or nothing. Names that were
/// made up for files without a header say nothing.
std::vector<std::string> shared_key(const HeadSample& log, const HeadSample& side,
                                    const std::vector<ColumnFacts>& side_facts) {
  if (!log.header || !side.header) return {};
  for (std::size_t c = 0; c < side.names.size(); ++c) {
    const bool shared = std::find(log.names.begin(), log.names.end(), side.names[c]) != log.names.end();
    if (shared && is_nameable(side.names[c]) && side_facts[c].is_unique() && side_facts[c].missing == 0)
      return {side.names[c]};
  }
  return {};
}

/// Returns the file of an earlier side table that brings the column, or an empty text.
std::string brought_by(const std::vector<ProposedJoin>& joins, const std::string& name) {
  for (const ProposedJoin& join : joins) {
    const std::vector<std::string> columns = join.brought();
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) return join.head->file.path;
  }
  return "";
}

}  // namespace

std::vector<std::string> ProposedJoin::brought() const {
  std::vector<std::string> names;
  for (const ColumnGuess& guess : columns)
    if (guess.column.kind != ColumnKind::skip) names.push_back(guess.column.name);
  return names;
}

ProposedJoin join_of(const HeadSample& log, const HeadSample& side, const std::vector<ProposedJoin>& before) {
  const std::vector<ColumnFacts> facts = head_facts(side);
  ProposedJoin join{&side, side.file.path, shared_key(log, side, facts), {}};
  if (!log.header || !side.header)
    fail(side.file.path, ": its columns are not those of ", log.file.path, ", and ",
         (log.header ? side : log).file.path,
         " has no header, so nothing tells the key of a side table; give both files a header, or write the deck "
         "without this file and add a block [[preprocess.join]] with file_on and names (docs/data.md)");
  if (join.on.empty())
    fail(
        side.file.path, ": its columns are not those of ", log.file.path,
        ", and no column of both has another value in each of its rows, so it is neither a further part of the log nor "
        "a side table; name files of one log, and side tables with a key column of the same name");
  for (const ColumnFacts& column : facts) {
    if (std::find(log.names.begin(), log.names.end(), column.name) != log.names.end()) continue;
    join.columns.push_back(guess_column(column));
    if (join.columns.back().column.kind == ColumnKind::key) {
      join.columns.back().column.kind = ColumnKind::skip;
      join.columns.back().reason += ", which nothing can be learned from";
    }
    if (const std::string other = brought_by(before, column.name); !other.empty()) {
      join.columns.back().column = {column.name, ColumnKind::skip};
      join.columns.back().reason = concat("the name is that of a column of ", other, "; rename one in its file");
    }
  }
  return join;
}

bool is_part(const HeadSample& head, std::vector<ProposedJoin>& joins) {
  const fs::path path(head.file.path);
  for (ProposedJoin& join : joins) {
    const fs::path first(join.head->file.path);
    if (!head.header || head.names != join.head->names || first.parent_path() != path.parent_path()) continue;
    const std::string name = path.filename().string(), other = first.filename().string(),
                      now = join.parts.empty() ? other : fs::path(join.file).filename().string();
    const auto same = std::mismatch(name.begin(), name.end(), now.begin(), now.end()).first - name.begin();
    join.parts.push_back(head.file.path);
    join.file = (path.parent_path() / (name.substr(0, std::size_t(same)) + "*" + path.extension().string())).string();
    return true;
  }
  return false;
}

void check_parts(const ProposedJoin& join) {
  if (join.parts.empty()) return;
  std::vector<std::string> parts = join.parts;
  parts.push_back(join.head->file.path);
  for (std::string& part : parts) part = fs::path(part).filename().string();
  const auto no_pattern = [&](const std::string& name, const char* what) {
    fail("side table of ", counted(std::ssize(join.parts) + 1, "part"), ": its pattern ", join.file, what, name,
         "; put the parts of the table, and nothing else, into a folder of their own");
  };
  for (const std::string& path : store::matching_paths(join.file)) {
    const std::string name = fs::path(path).filename().string();
    if (std::erase(parts, name) == 0) no_pattern(name, " also names ");
  }
  if (!parts.empty()) no_pattern(parts.front(), " does not name ");
}

}  // namespace tesserec::preprocess
