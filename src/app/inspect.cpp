// SPDX-License-Identifier: Apache-2.0
// Command `tesserec inspect`: shows what data sets hold, and what is odd about them.
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/dataset.hpp>
#include <tesserec/preprocess/report.hpp>
#include <tesserec/verdict/judge.hpp>

namespace tesserec::app {
namespace {

constexpr Index rows_at_once = 8192;

/// Data set and its facts.
struct InspectedSet {
  data::SourceInfo info;
  verdict::SetFacts facts;
};

/// Returns the values of an attribute, or none if the file lacks it.
template <class T>
std::vector<T> values_of(const store::File& file, const std::string& attribute) {
  return file.has_attribute("/", attribute) ? file.attribute<std::vector<T>>("/", attribute) : std::vector<T>();
}

/// Adds what a file says of itself to the set's files and sources.
void add_file(const data::SourceFile& file, Index rows, verdict::SetFacts& facts) {
  verdict::FileFacts& added = facts.files.emplace_back();
  added = {.path = file.path, .content = file.seal, .rows = rows};
  const store::PartedFile parted = store::PartedFile::open(file.path);
  const store::File& index = parted.index();
  if (index.has_attribute("/", "bad_rows")) added.bad_rows = index.attribute<std::int64_t>("/", "bad_rows");
  for (const char* attribute : {"missing_numbers", "missing_values"})
    for (const std::int64_t count : values_of<std::int64_t>(index, attribute)) added.missing.push_back(count);
  // The two sides of a split have the same raw files, which are not given twice.
  if (index.has_attribute("/", preprocess::split_attribute)) return;
  for (const std::string& source : values_of<std::string>(index, "sources")) {
    const std::size_t comma = source.rfind(", ", source.rfind(", ") - 1);  // "NAME, BYTES bytes, xxh3 DIGEST"
    if (comma != std::string::npos)
      facts.sources.push_back({.path = source.substr(0, comma), .content = source.substr(comma)});
  }
}

/// Adds every `ranks`-th block of a file's rows.
void add_rows(const comm::Communicator& comm, const data::Dataset& file, Index number, verdict::RowFacts& rows) {
  const data::SourceInfo& info = file.info();
  const std::size_t features = info.features.size(), dense = std::size_t(info.dense_features);
  data::Samples samples;
  std::vector<Index> ids;
  std::vector<std::size_t> ends(features);
  for (Index begin = comm.rank() * rows_at_once; begin < info.samples; begin += comm.size() * rows_at_once) {
    Signals::check();
    file.read({{begin, std::min(begin + rows_at_once, info.samples)}}, info.rows, samples);
    for (Index i = 0; i < samples.size; ++i) {
      ids.clear();
      for (std::size_t f = 0; f < features; ++f) {
        if (file.packed()) {
          ids.push_back(samples.ids[std::size_t(i) * features + f]);
        } else {
          const data::Samples::Jagged& bags = samples.jagged[f];
          ids.insert(ids.end(), bags.values.begin() + bags.offsets[i], bags.values.begin() + bags.offsets[i + 1]);
        }
        ends[f] = ids.size();
      }
      rows.add(number, samples.labels[i] > 0.5f, {{samples.dense.data() + std::size_t(i) * dense, dense}, ids, ends});
    }
  }
}

InspectedSet inspect_set(const comm::Communicator& comm, const std::string& name,
                         const std::vector<std::string>& paths) {
  InspectedSet set{.info = {}, .facts = {.name = name}};
  std::optional<verdict::RowFacts> rows;
  comm::agree(comm, [&] {
    const data::Dataset whole(paths, name);
    whole.verify(comm.rank(), comm.size());
    set.info = whole.info();
    set.facts.labelled = set.info.labelled;
    rows.emplace(std::size_t(set.info.dense_features), set.info.features.size(), set.info.files.size());
    for (std::size_t f = 0; f < set.info.files.size(); ++f) {
      data::Dataset file({set.info.files[f].path}, name);
      constexpr float any = std::numeric_limits<float>::infinity();
      file.limit_labels({-any, any}, comm.rank(), comm.size());
      add_file(set.info.files[f], file.info().samples, set.facts);
      add_rows(comm, file, Index(f), *rows);
    }
  });
  rows->gather(comm, set.facts);
  return set;
}

verdict::ColumnNames columns_of(const data::SourceInfo& info) {
  verdict::ColumnNames columns{.dense = info.dense_names, .indicator = {}, .features = info.features};
  for (Index k = std::ssize(columns.dense); k < info.dense_features; ++k) columns.dense.push_back(concat("dense ", k));
  for (Index k = 0; k < info.dense_features; ++k)
    columns.indicator.push_back(k < std::ssize(info.transforms) && info.transforms[k] == "missing_indicator");
  return columns;
}

double share(Index part, Index all) { return all > 0 ? double(part) / double(all) : 0.0; }

std::string percent_of(Index part, Index all) { return significant(100 * share(part, all), 4) + " %"; }

/// Returns a set's rows without a value of column c, or -1 if a file does not tell.
Index missing_rows(const verdict::SetFacts& facts, std::size_t c) {
  Index sum = 0;
  for (const verdict::FileFacts& file : facts.files) {
    if (c >= file.missing.size()) return -1;
    sum += file.missing[c];
  }
  return sum;
}

void log_set(const InspectedSet& set, const verdict::ColumnNames& columns) {
  const verdict::SetFacts& facts = set.facts;
  const Index rows = facts.all_rows();
  log_info(concat(facts.name, ": ", rows, " rows, ",
                  facts.labelled ? percent_of(facts.all_positives(), rows) + " positive" : "without labels", ", in ",
                  counted(std::ssize(facts.files), "file")));
  for (const verdict::FileFacts& file : facts.files)
    log_info("  " + left(file.path, 40) + " " + right(std::to_string(file.rows), 12) + " rows " +
             right(percent_of(file.positives, file.rows), 9) + " positive");
  log_info("  " + left("column", 24) + right("ids", 12) + right("missing", 10) + right("smallest", 13) +
           right("largest", 13));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Index missing = missing_rows(facts, c);
    std::string ids = "-";
    if (c >= columns.dense.size()) {
      const Index bound = set.info.rows[c - columns.dense.size()];
      ids = bound == data::any_id ? "any" : std::to_string(bound);
    }
    const verdict::ValueRange& range = facts.ranges[c];
    log_info("  " + left(columns[c], 24) + right(ids, 12) + right(missing < 0 ? "-" : percent_of(missing, rows), 10) +
             right(significant(range.low, 5), 13) + right(significant(range.high, 5), 13));
  }
}

Json set_json(const InspectedSet& set, const verdict::ColumnNames& columns) {
  const verdict::SetFacts& facts = set.facts;
  Json files = Json::array(), all = Json::object();
  for (const verdict::FileFacts& file : facts.files)
    files.add(Json::object()
                  .set("path", file.path)
                  .set("rows", file.rows)
                  .set("positives", file.positives)
                  .set("bad_rows", file.bad_rows));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Index missing = missing_rows(facts, c);
    Json column = Json::object().set("smallest", facts.ranges[c].low).set("largest", facts.ranges[c].high);
    if (missing >= 0) column.set("missing", missing);
    all.set(columns[c], column);
  }
  return Json::object()
      .set("rows", facts.all_rows())
      .set("positives", facts.all_positives())
      .set("files", files)
      .set("columns", all);
}

}  // namespace

int inspect(const Invocation& invocation, const comm::Communicator& comm) {
  std::vector<InspectedSet> sets = {inspect_set(comm, "train", invocation.paths)};
  if (const auto given = invocation.options.find("--evaluate"); given != invocation.options.end())
    sets.push_back(inspect_set(comm, "evaluate", {given->second}));
  const verdict::ColumnNames columns = columns_of(sets[0].info);
  std::vector<const verdict::SetFacts*> facts;
  Json json = Json::object();
  for (const InspectedSet& set : sets) {
    const verdict::ColumnNames own = columns_of(set.info);
    if (own.dense != columns.dense || own.features != columns.features)
      fail(set.info.files[0].path, " has other columns than ", sets[0].info.files[0].path,
           "; compare data sets of one preprocessing");
    facts.push_back(&set.facts);
    log_set(set, columns);
    json.set(set.facts.name, set_json(set, columns));
  }
  const std::vector<verdict::Finding> findings = verdict::judge(facts, columns);
  for (const std::string& line : verdict::lines(findings)) log_info(line);
  if (invocation.json) print(comm, json.set("findings", verdict::json_of(findings)));
  const std::size_t odd = verdict::count_from(findings, verdict::Severity::warning);
  if (invocation.has("--strict") && odd > 0) fail("the data have ", counted(Index(odd), "finding"));
  return 0;
}

}  // namespace tesserec::app
