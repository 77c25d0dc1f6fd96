// SPDX-License-Identifier: Apache-2.0
// Side tables of a deck that is proposed.
#include <algorithm>
#include <filesystem>
#include <set>

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

/// Returns the names of `head` that `other` lacks, in quotes.
std::string names_only_in(const HeadSample& head, const HeadSample& other) {
  std::vector<std::string> names;
  for (const std::string& name : head.names)
    if (std::find(other.names.begin(), other.names.end(), name) == other.names.end()) names.push_back(shown(name));
  return join(names, ", ");
}

/// Returns whether no row of the log that was read has a key of the side table's rows that were read.
bool joins_no_row(const HeadSample& log, const HeadSample& side, const std::string& key) {
  const auto texts = [&](const HeadSample& head) -> const std::vector<std::string>& {
    return head.values[std::size_t(std::find(head.names.begin(), head.names.end(), key) - head.names.begin())];
  };
  const std::set<std::string> keys(texts(side).begin(), texts(side).end());
  return std::none_of(texts(log).begin(), texts(log).end(),
                      [&](const std::string& text) { return keys.contains(text); });
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
        "a side table",
        differences(side, log), "; name files of one log, and side tables with a key column of the same name");
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
  if (!join.brought().empty() && resembles(side, log) && joins_no_row(log, side, join.on.front()))
    fail(side.file.path, ": it has most columns of ", log.file.path, " and none of its rows by ",
         shown(join.on.front()),
         ", so it is a part of the log rather than a side table, but its columns are not the same",
         differences(side, log), "; name columns alike in all files, or propose a deck without this file");
  return join;
}

bool resembles(const HeadSample& head, const HeadSample& log) {
  if (!head.header || !log.header) return false;
  const auto shared = std::count_if(head.names.begin(), head.names.end(), [&](const std::string& name) {
    return std::find(log.names.begin(), log.names.end(), name) != log.names.end();
  });
  return shared > 2 && 2 * shared > std::ssize(log.names);
}

std::string differences(const HeadSample& head, const HeadSample& log) {
  if (!resembles(head, log)) return "";
  const std::string lacking = names_only_in(log, head), further = names_only_in(head, log);
  const std::string has = further.empty() ? "" : " has " + further;
  if (lacking.empty()) return ": it" + has;
  return concat(": it lacks ", lacking, has.empty() ? "" : " and", has);
}

bool is_part(const HeadSample& head, std::vector<ProposedJoin>& joins) {
  const fs::path path(head.file.path);
  for (ProposedJoin& join : joins) {
    const fs::path first(join.head->file.path);
    if (!head.header || !head.has_columns_of(*join.head) || first.parent_path() != path.parent_path()) continue;
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
