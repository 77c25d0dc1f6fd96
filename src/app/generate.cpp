// SPDX-License-Identifier: Apache-2.0
// Command `tesserec generate`: prints batches of the training data for people, writes samples, or prints the reuse
// profile of a data set.
#include <algorithm>
#include <map>
#include <span>

#include "job.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/data/labels.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/data/reuse_profile.hpp>
#include <tesserec/preprocess/write_log.hpp>
#include <tesserec/train/tables.hpp>

namespace tesserec::app {
namespace {

/// Bags of one feature in a batch.
struct FeatureBags {
  FeatureBags(const jagged::KeyedJaggedTensor& sparse, Index f) {
    const Index begin = sparse.begin(f, 0);
    for (Index b = 0; b < sparse.stride; ++b) {
      lengths.push_back(sparse.length(f, b));
      offsets.push_back(offsets.back() + lengths.back());
    }
    const Index end = begin + offsets.back();
    ids.assign(sparse.values.data() + begin, sparse.values.data() + end);
    if (sparse.weighted()) weights.assign(sparse.weights.data() + begin, sparse.weights.data() + end);
  }

  std::vector<Index> lengths, offsets = {0}, ids;  ///< lengths [B], offsets [B + 1] from 0, and all ids
  std::vector<float> weights;                      ///< weights of the ids; empty if the data have none
};

std::string shown(float value) { return fixed(value, 4); }

std::string batch_text(const data::Batch& batch, Index number) {
  std::size_t width = 7;  // length of "targets"
  for (const std::string& feature : batch.sparse.keys) width = std::max(width, feature.size());
  std::string text = concat("batch ", number, ": ", counted(batch.size, "sample"), "\n");
  const auto line = [&](const std::string& name, const std::string& value) {
    text += "  " + left(name, width) + " " + value + "\n";
  };
  const auto numbers = [](const float* first, Index count) { return join(std::span(first, count), " ", shown); };
  const Index columns = batch.dense.extent(1);
  for (Index b = 0; b < batch.size; ++b)
    line(b == 0 ? "dense" : "", numbers(batch.dense.data() + b * columns, columns));
  for (Index f = 0; f < batch.sparse.features(); ++f) {
    const FeatureBags bags(batch.sparse, f);
    line(batch.sparse.keys[f],
         concat("lengths [", join(bags.lengths), "], offsets [", join(bags.offsets), "], ids [", join(bags.ids), "]",
                batch.sparse.weighted() ? ", weights [" + join(bags.weights, ", ", shown) + "]" : ""));
  }
  for (Index b = 0; batch.tasks > 1 && b < batch.size; ++b)
    line(b == 0 ? "targets" : "", numbers(batch.labels.data() + b * batch.tasks, batch.tasks));
  if (batch.tasks == 1) line("targets", numbers(batch.labels.data(), batch.size));
  return text;
}

Json batch_json(const data::Batch& batch, Index number) {
  Json dense = Json::array(), features = Json::array(), targets = Json::array();
  for (Index b = 0; b < batch.size; ++b) {
    const float* row = &batch.dense(b, 0);
    dense.add(std::vector<float>(row, row + batch.dense.extent(1)));
    const float* const labels = &batch.labels(b * batch.tasks);
    if (batch.tasks > 1)
      targets.add(std::vector<float>(labels, labels + batch.tasks));
    else
      targets.add(*labels);
  }
  for (Index f = 0; f < batch.sparse.features(); ++f) {
    const FeatureBags bags(batch.sparse, f);
    Json feature = Json::object();
    feature.set("name", batch.sparse.keys[f])
        .set("lengths", bags.lengths)
        .set("offsets", bags.offsets)
        .set("ids", bags.ids);
    features.add(batch.sparse.weighted() ? feature.set("weights", bags.weights) : feature);
  }
  return Json::object()
      .set("batch", number)
      .set("size", batch.size)
      .set("dense", dense)
      .set("features", features)
      .set("targets", targets);
}

std::string tables_text(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  std::string text;
  for (const embedding::EmbeddingBagConfig& table : tables)
    text += concat("table ", table.name, ": ", table.rows().size(), " rows x ", table.embedding_dim,
                   " columns; feature", table.feature_names.size() == 1 ? " " : "s ", join(table.feature_names), "\n");
  return text;
}

Json tables_json(const std::vector<embedding::EmbeddingBagConfig>& tables) {
  Json all = Json::array();
  for (const embedding::EmbeddingBagConfig& table : tables)
    all.add(Json::object()
                .set("name", table.name)
                .set("rows", table.rows().size())
                .set("dim", table.embedding_dim)
                .set("features", table.feature_names));
  return all;
}

preprocess::LogForm form_of(const std::string& name) {
  using preprocess::LogForm;
  const std::map<std::string, LogForm> forms = {
      {"hdf5", LogForm::hdf5}, {"tsv", LogForm::tsv}, {"gz", LogForm::gz}, {"parquet", LogForm::parquet}};
  return forms.at(name);
}

/// Writes the samples of the deck's sources into a folder.
int write(const Invocation& invocation, const comm::Communicator& comm) {
  const deck::Deck deck = invocation.read_deck();
  deck::require_data(deck);
  std::vector<preprocess::LogSource> sources;
  for (const auto& [name, use] : {std::pair("train", data::Use::train), std::pair("evaluate", data::Use::evaluate)})
    if (data::has_source(deck.data, use))
      sources.push_back(
          {name, [&deck, use = use](const data::Deal& deal) { return data::make_source(deck.data, use, deal); }});
  const auto format = invocation.options.find("--format");
  const std::string form = format == invocation.options.end() ? "hdf5" : format->second;
  const Timer timer;
  const std::vector<preprocess::WrittenLog> logs = preprocess::write_logs(Exec(), comm,
                                                                          {.folder = invocation.options.at("--write"),
                                                                           .form = form_of(form),
                                                                           .seed = deck.run.seed,
                                                                           .part_bytes = deck.run.part_bytes},
                                                                          sources);
  Json written = Json::array();
  for (const preprocess::WrittenLog& log : logs) {
    const std::string to = log.files.size() == 1 ? "" : " to " + log.files.back();
    log_info(concat(log.name, ": ", counted(log.samples, "sample"), " with ", counted(log.ids, "id"), " in ",
                    log.files.front(), to));
    written.add(
        Json::object().set("name", log.name).set("samples", log.samples).set("ids", log.ids).set("files", log.files));
  }
  if (invocation.json) print(comm, Json::object().set("written", written).set("seconds", timer.seconds()));
  return 0;
}

/// Prints the reuse profile of a data set.
int print_profile(const Invocation& invocation, const comm::Communicator& comm) {
  const data::ReuseProfile profile = data::record_profile(comm, {invocation.options.at("--profile")}, "--profile");
  for (const data::FeatureProfile& feature : profile.features)
    if (comm.rank() == 0)
      log_info(
          concat("feature ", feature.name, ": ", counted(feature.ids, "id"), ", ", feature.distinct, " different"));
  print(comm, profile.json());
  return 0;
}

}  // namespace

int generate(const Invocation& invocation, const comm::Communicator& comm) {
  std::vector<std::string> tasks;
  for (const char* task : {"--print", "--write", "--profile"})
    if (invocation.has(task)) tasks.emplace_back(task);
  if (tasks.size() > 1) fail("tesserec generate does one of ", join(tasks, " and "), " at a time; omit the others");
  if (invocation.has("--format") && !invocation.has("--write")) fail("--format applies only to --write FOLDER");
  if (invocation.has("--profile")) return print_profile(invocation, comm);
  if (invocation.has("--write")) return write(invocation, comm);
  const int count = count_of(invocation, "--print");
  if (count == 0)
    fail("tesserec generate needs --print N, the number of batches to show, --write FOLDER or --profile FILE");
  const deck::Deck deck = invocation.read_deck();
  deck::require_data(deck);
  if (comm.rank() != 0) return 0;  // Only a single rank has whole batches.

  const train::Job job = job_of(deck);
  const data::Deal deal{
      0,           1, Lanes(job.train.lane_count(), job.train.accumulate), job.train.step_samples(), job.train.shuffle,
      job.run.seed};
  const auto source = data::with_labels(data::make_source(job.data, data::Use::train, deal), job.model.tasks);
  const data::SourceInfo& info = source->info();
  const auto tables = known_tables(deck, info);
  source->limit_rows(train::id_limits(tables, info));
  source->find_windows();
  source->limit_labels(train::labels_taken(job, data::Use::train));
  Index window = 0;
  data::Batch batch{Exec()};
  const auto next = [&] {
    while (!source->next(batch)) {
      if (++window >= std::ssize(info.windows)) return false;
      source->seek(window, 0);
    }
    return true;
  };

  Json batches = Json::array();
  std::string text = concat(info.description, ": ", deal.batches(info) * job.train.accumulate, " batches of ",
                            job.train.batch_size, " samples\n", tables_text(tables));
  for (Index number = 0; number < count && next(); ++number) {
    if (invocation.json)
      batches.add(batch_json(batch, number));
    else
      text += batch_text(batch, number);
  }
  if (!invocation.json)
    print(comm, text);
  else
    print(comm, Json::object()
                    .set("data", info.description)
                    .set("samples", info.samples)
                    .set("batch_size", job.train.batch_size)
                    .set("tables", tables_json(tables))
                    .set("batches", batches));
  return 0;
}

}  // namespace tesserec::app
