// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "judge_parts.hpp"

namespace tesserec::verdict {
namespace {

constexpr std::size_t fewest_brothers = 3;  // files from which one can be odd
constexpr double odd_factor = 2;            // rows, beside the median, from which a file is odd
constexpr double odd_bad_rows = 0.01;       // share of bad rows that is no accident

void judge_names(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings) {
  std::vector<std::string> paths;
  for (const SetFacts* set : sets)
    for (const std::vector<FileFacts>* files : {&set->files, &set->sources})
      for (const FileFacts& file : *files) paths.push_back(file.path);
  const MissingNames missing = missing_names(paths);
  if (missing.count == 0) return;
  const std::string more = missing.count > std::ssize(missing.names) ? ", ..." : "";
  findings.push_back(
      {.severity = Severity::warning,
       .kind = "missing_file",
       .text = concat(counted(missing.count, "file"), " of a numbered sequence ", missing.count == 1 ? "is" : "are",
                      " not among the files: ", join(missing.names), more, "; add what was forgotten"),
       .columns = {},
       .files = missing.names,
       .figures = {{"missing_files", double(missing.count)}}});
}

void judge_contents(const std::vector<const SetFacts*>& sets, std::vector<Finding>& findings) {
  // Rows to score may be those of another set.
  struct Seen {
    const FileFacts* file;
    const SetFacts* set;
  };
  std::map<std::pair<bool, std::string>, Seen> seen;
  const auto judge_content = [&](const SetFacts& set, const FileFacts& file) {
    if (file.content.empty()) return;
    const auto [found, is_new] = seen.emplace(std::pair(set.labelled, file.content), Seen{&file, &set});
    if (is_new) return;
    const Seen& first = found->second;
    const bool is_shared = first.set != &set && first.file->path == file.path;
    findings.push_back({.severity = Severity::error,
                        .kind = "repeated_file",
                        .text = is_shared ? concat(file.path, " is a file of both ", first.set->name, " and ", set.name,
                                                   ", so its rows count twice; take it from one of them")
                                          : concat(file.path, " has the same bytes as ", first.file->path,
                                                   ", so its rows count twice; give one of the two"),
                        .columns = {},
                        .files = {first.file->path, file.path},
                        .figures = {{"rows", double(file.rows)}}});
  };
  for (const SetFacts* set : sets) {
    for (const FileFacts& file : set->files) judge_content(*set, file);
    for (const FileFacts& file : set->sources) judge_content(*set, file);
  }
}

void judge_members(const FileFacts& file, std::vector<Finding>& findings) {
  if (file.gzip_members < 2) return;
  findings.push_back({.severity = Severity::note,
                      .kind = "concatenated_gzip",
                      .text = concat(file.path, " consists of ", file.gzip_members,
                                     " gzip members, read as one text; check that no part was appended twice"),
                      .columns = {},
                      .files = {file.path},
                      .figures = {{"members", double(file.gzip_members)}}});
}

void judge_bytes(const FileFacts& file, std::vector<Finding>& findings) {
  if (file.not_utf8 == 0) return;
  findings.push_back({.severity = Severity::warning,
                      .kind = "not_utf8",
                      .text = concat(file.path, ": ", counted(file.not_utf8, "row"), " of ", file.rows,
                                     file.not_utf8 == 1 ? " has" : " have",
                                     " bytes that are not UTF-8, and a value in two encodings is two values; convert "
                                     "the file, such as with iconv -f latin1 -t utf-8"),
                      .columns = {},
                      .files = {file.path},
                      .figures = {{"not_utf8", double(file.not_utf8)}}});
}

void judge_bad_rows(const FileFacts& file, std::vector<Finding>& findings) {
  const double share = double(file.bad_rows) / double(std::max(file.rows + file.bad_rows, Index{1}));
  if (share <= odd_bad_rows) return;
  findings.push_back({.severity = Severity::warning,
                      .kind = "bad_rows",
                      .text = concat(file.path, ": ", percent(share), " of the rows are bad and left out (",
                                     file.bad_rows, "); see the examples"),
                      .columns = {},
                      .files = {file.path},
                      .figures = {{"bad_rows", double(file.bad_rows)}, {"share", share}}});
}

void judge_row_counts(const SetFacts& set, std::vector<Finding>& findings) {
  if (set.files.size() < fewest_brothers) return;
  std::vector<Index> rows;
  for (const FileFacts& file : set.files) rows.push_back(file.rows);
  const auto middle = rows.begin() + std::ssize(rows) / 2;
  std::nth_element(rows.begin(), middle, rows.end());
  const double median = double(*middle);
  for (const FileFacts& file : set.files) {
    const double factor = double(file.rows) / std::max(median, 1.0);
    if (factor <= odd_factor && factor >= 1 / odd_factor) continue;
    const bool rest = factor < 1 && &file == &set.files.back();
    const char* const advice = rest ? "; as the last one it may be a rest" : "; check that the file is whole";
    findings.push_back({.severity = rest ? Severity::note : Severity::warning,
                        .kind = "odd_row_count",
                        .text = concat(file.path, " has ", counted(file.rows, "row"), ", where the median of the ",
                                       set.files.size(), " files of ", set.name, " is ", *middle, advice),
                        .columns = {},
                        .files = {file.path},
                        .figures = {{"rows", double(file.rows)}, {"median", median}}});
  }
}

/// Returns the sets' files, those of the two sides of a split as one set with the rows of both. A side by itself has no
/// rows of some files if times are split.
std::vector<SetFacts> whole_files(const std::vector<const SetFacts*>& sets) {
  std::vector<SetFacts> whole;
  for (const SetFacts* set : sets) {
    const auto first = std::find_if(whole.begin(), whole.end(), [](const SetFacts& other) { return other.side; });
    if (set->side && first != whole.end()) {
      first->name += " and " + set->name;
      for (std::size_t f = 0; f < set->files.size(); ++f) {
        first->files[f].rows += set->files[f].rows;
        first->files[f].bad_rows += set->files[f].bad_rows;
        first->files[f].not_utf8 += set->files[f].not_utf8;
      }
    } else {
      whole.push_back({.name = set->name,
                       .labelled = set->labelled,
                       .side = set->side,
                       .files = set->files,
                       .sources = set->sources});
    }
  }
  return whole;
}

}  // namespace

void judge_files(const std::vector<const SetFacts*>& all_sets, std::vector<Finding>& findings) {
  const std::vector<SetFacts> whole = whole_files(all_sets);
  std::vector<const SetFacts*> sets;
  for (const SetFacts& set : whole) sets.push_back(&set);
  judge_names(sets, findings);
  judge_contents(sets, findings);
  for (const SetFacts* set : sets) {
    for (const FileFacts& file : set->files) {
      judge_members(file, findings);
      judge_bytes(file, findings);
      judge_bad_rows(file, findings);
    }
    judge_row_counts(*set, findings);
  }
}

}  // namespace tesserec::verdict
