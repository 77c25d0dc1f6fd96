// SPDX-License-Identifier: Apache-2.0
// Command `tesserec inspect`: shows what data sets hold, and what is odd about them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
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

/// Data set and its facts by each label [T], of which the first has those of the rows, too.
struct InspectedSet {
  data::SourceInfo info;
  std::vector<verdict::SetFacts> labels;
  const verdict::SetFacts& facts() const { return labels[0]; }
};

/// Collectors of a data set's facts by each label [T], the rows of each file that lack it, and those of no weight.
struct LabelRows {
  std::vector<verdict::RowFacts> facts;
  std::vector<std::vector<Index>> unlabelled;
  std::vector<Index> weightless;  ///< rows of each file with weight 0
};

/// Adds a row to the facts by each label of file number `file`. A row without a label counts by its values alone.
void add_row(Index file, std::span<const float> labels, const verdict::RowValues& row, LabelRows& rows) {
  for (std::size_t t = 0; t < labels.size(); ++t) {
    if (labels.size() == 1 || !std::isnan(labels[t])) {
      rows.facts[t].add(file, labels[t] > 0.5f, row);
      continue;
    }
    ++rows.unlabelled[t][std::size_t(file)];
    std::vector<verdict::ValueRange> ranges(row.dense.size() + row.bag_ends.size());
    verdict::widen(ranges, row);
    rows.facts[t].add_ranges(file, 0, ranges);
  }
}

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
void add_rows(const comm::Communicator& comm, const data::Dataset& file, Index number, LabelRows& rows) {
  const data::SourceInfo& info = file.info();
  const std::size_t features = info.features.size(), dense = std::size_t(info.dense_features);
  data::Samples samples;
  std::vector<Index> ids;
  std::vector<std::size_t> ends(features);
  for (Index begin = comm.rank() * rows_at_once; begin < info.samples; begin += comm.size() * rows_at_once) {
    Signals::check();
    file.read({{begin, std::min(begin + rows_at_once, info.samples)}}, info.rows, samples);
    rows.weightless[std::size_t(number)] += std::count(samples.weights.begin(), samples.weights.end(), 0.0f);
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
      const std::span<const float> labels(samples.labels.data() + i * info.label_count(), info.label_count());
      add_row(number, labels, {{samples.dense.data() + std::size_t(i) * dense, dense}, ids, ends}, rows);
    }
  }
}

InspectedSet inspect_set(const comm::Communicator& comm, const std::string& name,
                         const std::vector<std::string>& paths) {
  InspectedSet set{.info = {}, .labels = {{.name = name}}};
  LabelRows rows;
  comm::agree(comm, [&] {
    const data::Dataset whole(paths, name);
    whole.verify(comm.rank(), comm.size());
    set.info = whole.info();
    const std::size_t tasks = std::size_t(set.info.label_count()), files = set.info.files.size();
    set.labels[0].labelled = set.info.labelled;
    if (set.info.sample_weights) set.labels[0].weight = "/weights";
    rows.unlabelled.assign(tasks, std::vector<Index>(files, 0));
    rows.weightless.assign(files, 0);
    for (std::size_t t = 0; t < tasks; ++t)
      rows.facts.emplace_back(std::size_t(set.info.dense_features), set.info.features.size(), files);
    for (std::size_t f = 0; f < set.info.files.size(); ++f) {
      data::Dataset file({set.info.files[f].path}, name);
      constexpr float any = std::numeric_limits<float>::infinity();
      file.limit_labels({-any, any, true}, comm.rank(), comm.size());
      add_file(set.info.files[f], file.info().samples, set.labels[0]);
      add_rows(comm, file, Index(f), rows);
    }
  });
  comm.sum(std::span<Index>(rows.weightless));
  for (std::size_t f = 0; f < rows.weightless.size(); ++f) set.labels[0].files[f].weightless = rows.weightless[f];
  set.labels.resize(rows.facts.size(), set.labels[0]);
  for (std::size_t t = 0; t < rows.facts.size(); ++t) {
    if (!set.info.tasks.empty()) set.labels[t].label = set.info.tasks[t];
    rows.facts[t].gather(comm, set.labels[t]);
    comm.sum(std::span<Index>(rows.unlabelled[t]));
    for (std::size_t f = 0; f < set.labels[t].files.size(); ++f)
      set.labels[t].files[f].unlabelled = rows.unlabelled[t][f];
  }
  return set;
}

/// Returns the first label that no row of the sets lacks, so that all rows are looked at; 0 if there is none.
std::size_t whole_label(const std::vector<InspectedSet>& sets) {
  for (std::size_t t = 0; t < sets[0].labels.size(); ++t)
    if (std::ranges::all_of(sets, [&](const InspectedSet& set) { return set.labels[t].all_unlabelled() == 0; }))
      return t;
  return 0;
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

/// Returns "25.1 % positive", with the label's name if there are several, and the rows that lack it.
std::string positive_text(const verdict::SetFacts& facts, Index positives, Index rows, Index unlabelled) {
  const std::string name = facts.label.empty() ? "" : facts.label + " ";
  return concat(name, percent_of(positives, rows - unlabelled), " positive",
                unlabelled > 0 ? concat(" of ", rows - unlabelled, " (", unlabelled, " rows lack it)") : "");
}

/// Returns the smallest or largest value of a column, or "-" if it has none.
std::string bound_text(double bound) { return std::isfinite(bound) ? significant(bound, 5) : "-"; }

void log_set(const InspectedSet& set, const verdict::ColumnNames& columns) {
  const verdict::SetFacts& facts = set.facts();
  const Index rows = facts.all_rows();
  const std::string positive = join(set.labels, ", ", [&](const verdict::SetFacts& label) {
    return positive_text(label, label.all_positives(), rows, label.all_unlabelled());
  });
  log_info(concat(facts.name, ": ", rows, " rows, ", facts.labelled ? positive : "without labels", ", in ",
                  counted(std::ssize(facts.files), "file")));
  for (std::size_t f = 0; f < facts.files.size(); ++f)
    for (const verdict::SetFacts& label : set.labels) {
      const verdict::FileFacts& file = label.files[f];
      const Index labelled = file.rows - file.unlabelled;
      std::string text = concat("  ", left(file.path, 40), " ", right(std::to_string(labelled), 12), " rows");
      if (label.labelled) text += " " + right(percent_of(file.positives, labelled), 9) + " positive";
      log_info(label.label.empty() ? text : concat(text, " (", label.label, ")"));
    }
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
             right(bound_text(range.low), 13) + right(bound_text(range.high), 13));
  }
}

Json set_json(const InspectedSet& set, const verdict::ColumnNames& columns) {
  const verdict::SetFacts& facts = set.facts();
  Json files = Json::array(), all = Json::object();
  for (const verdict::FileFacts& file : facts.files) {
    Json one = Json::object().set("path", file.path).set("rows", file.rows);
    if (facts.labelled) one.set("positives", file.positives);
    files.add(one.set("bad_rows", file.bad_rows));
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Index missing = missing_rows(facts, c);
    Json column = Json::object().set("smallest", facts.ranges[c].low).set("largest", facts.ranges[c].high);
    if (missing >= 0) column.set("missing", missing);
    all.set(columns[c], column);
  }
  Json labels = Json::object();
  for (const verdict::SetFacts& label : set.labels)
    if (!label.label.empty())
      labels.set(label.label, Json::object()
                                  .set("positives", label.all_positives())
                                  .set("rows", facts.all_rows() - label.all_unlabelled()));
  Json json = Json::object().set("rows", facts.all_rows());
  if (facts.labelled) json.set("positives", facts.all_positives());
  if (!set.info.tasks.empty()) json.set("labels", labels);
  return json.set("files", files).set("columns", all);
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
    if (set.info.tasks != sets[0].info.tasks)
      fail(set.info.files[0].path, " has other labels than ", sets[0].info.files[0].path,
           "; compare data sets of one preprocessing");
    log_set(set, columns);
    json.set(set.facts().name, set_json(set, columns));
  }
  const std::size_t whole = whole_label(sets);
  for (const InspectedSet& set : sets) facts.push_back(&set.labels[whole]);
  std::vector<verdict::Finding> findings = verdict::judge(facts, columns);
  for (std::size_t t = 0; t < sets[0].labels.size(); ++t) {
    if (t == whole) continue;
    facts.clear();
    for (const InspectedSet& set : sets) facts.push_back(&set.labels[t]);
    for (verdict::Finding& finding : verdict::judge_label(facts, columns)) findings.push_back(std::move(finding));
  }
  for (const std::string& line : verdict::lines(findings)) log_info(line);
  if (invocation.json) print(comm, json.set("findings", verdict::json_of(findings)));
  const std::size_t odd = verdict::count_from(findings, verdict::Severity::warning);
  if (invocation.has("--strict") && odd > 0) fail("the data have ", counted(Index(odd), "finding"));
  return 0;
}

}  // namespace tesserec::app
