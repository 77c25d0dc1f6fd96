// SPDX-License-Identifier: Apache-2.0
// Command `tesserec export`: writes the model of a checkpoint as a model folder, and says what each table lost.
#include <algorithm>
#include <optional>
#include <string>

#include "command.hpp"
#include "score_comparison.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/scoring/export_tensors.hpp>
#include <tesserec/scoring/raw_inputs.hpp>

namespace tesserec::app {
namespace {

Index bytes_of(const scoring::ModelManifest& manifest) {
  Index bytes = manifest.network.bytes;
  for (const scoring::FolderTable& table : manifest.tables)
    bytes += table.file.bytes + (table.ids ? table.ids->bytes : 0);
  if (manifest.raw)
    for (const scoring::FolderVocabulary& vocabulary : *manifest.raw) bytes += vocabulary.file.bytes;
  return bytes;
}

std::string error_text(double error) { return error == 0 ? "0" : scientific(error, 3); }

/// Lists the tables: rows, format, bytes, and the largest errors of a number and of a row.
std::string table_lines(const scoring::ModelManifest& manifest) {
  std::size_t width = 8;
  for (const scoring::FolderTable& table : manifest.tables) width = std::max(width, table.name.size());
  std::string text = "  " + left("table", width) + right("rows", 13) + right("dim", 6) + right("format", 8) +
                     right("bytes", 12) + right("number off by", 15) + right("row off by", 12) + "\n";
  for (const scoring::FolderTable& table : manifest.tables)
    text += "  " + left(table.name, width) + right(std::to_string(table.rows), 13) +
            right(std::to_string(table.dim), 6) + right(name(table.format), 8) +
            right(bytes_text(double(table.file.bytes)), 12) + right(error_text(table.errors.number), 15) +
            right(error_text(table.errors.row), 12) + "\n";
  return text + concat("  network: ", counted(std::ssize(manifest.tensors), "tensor"), ", ",
                       bytes_text(double(manifest.network.bytes)), ", products in ",
                       products::name(manifest.mlp.value_or(products::Precision::fp32)));
}

Json json_of(const scoring::ModelManifest& manifest, const std::string& folder) {
  Json tables = Json::array(Json::Layout::lines);
  for (const scoring::FolderTable& table : manifest.tables)
    tables.add(Json::object()
                   .set("name", table.name)
                   .set("rows", table.rows)
                   .set("dim", table.dim)
                   .set("format", name(table.format))
                   .set("bytes", table.file.bytes)
                   .set("error", table.errors.number)
                   .set("row_error", table.errors.row));
  return Json::object()
      .set("folder", folder)
      .set("step", manifest.facts.step)
      .set("checkpoint", manifest.facts.seal)
      .set("weights_digest", manifest.weights_digest)
      .set("mlp", products::name(manifest.mlp.value_or(products::Precision::fp32)))
      .set("bytes", bytes_of(manifest))
      .set("raw_values", manifest.raw.has_value())
      .set("tables", tables);
}

/// Returns --format, else "safetensors" if --to ends so, else "model". Throws Error if the two disagree.
std::string form_of(const Invocation& invocation) {
  const std::string& to = invocation.options.at("--to");
  const bool ends_so = to.ends_with(".safetensors");
  if (!invocation.has("--format")) return ends_so ? "safetensors" : "model";
  const std::string& form = invocation.options.at("--format");
  if (ends_so && form != "safetensors")
    fail("--format ", form, " writes a folder, which --to \"", to,
         "\" does not fit; give it a name without this ending");
  return form;
}

/// Writes the weights in another program's form, and says so.
void export_for_others(const Invocation& invocation, const comm::Communicator& comm, const std::string& checkpoint,
                       const std::string& form, scoring::ServedFormat format) {
  const std::string& to = invocation.options.at("--to");
  const bool is_npy = form == "npy";
  const Timer timer;
  const scoring::ExportedTensors written = scoring::export_tensors(
      Exec(), checkpoint, to, is_npy ? scoring::TensorsForm::npy : scoring::TensorsForm::safetensors, format);
  log_info(concat("weights of ", checkpoint, ", step ", written.step, ", ", written.weights_digest, ": ",
                  counted(written.tensors, "tensor"), ", ", bytes_text(double(written.bytes)), " in ", to, ", ",
                  seconds_text(timer.seconds())));
  if (invocation.json)
    print(comm, Json::object()
                    .set("to", to)
                    .set("step", written.step)
                    .set("weights_digest", written.weights_digest)
                    .set("tensors", written.tensors)
                    .set("bytes", written.bytes));
}

}  // namespace

int export_model(const Invocation& invocation, const comm::Communicator& comm) {
  require_one_rank(invocation, comm);
  if (!invocation.has("--to")) fail("tesserec export needs --to PATH, the folder or file to write");
  const std::string& folder = invocation.options.at("--to");
  const std::string form = form_of(invocation);
  const scoring::ServedFormat format =
      scoring::row_format_named(invocation.has("--rows") ? invocation.options.at("--rows") : "fp32");
  std::optional<products::Precision> mlp;
  if (invocation.has("--mlp")) mlp = scoring::served_precision_named(invocation.options.at("--mlp"));
  const std::string vocabulary = invocation.has("--vocabulary") ? invocation.options.at("--vocabulary") : "";
  const std::string checkpoint = parallel_io::find_checkpoint(comm, invocation.deck);
  require_gpu();
  const Kokkos::ScopeGuard kokkos;
  if (form != "model") {
    for (const char* option : {"--mlp", "--data", "--vocabulary"})
      if (invocation.has(option)) fail(option, " is for model folders alone; leave it out, or export a model folder");
    export_for_others(invocation, comm, checkpoint, form, format);
    return 0;
  }
  std::optional<ComparedData> data;
  if (invocation.has("--data")) data = compared_data(checkpoint, invocation.options.at("--data"));
  const Timer timer;
  const scoring::ModelManifest manifest = scoring::export_model(Exec(), checkpoint, folder, format, mlp, vocabulary);
  log_info(concat("model of ", checkpoint, ", step ", manifest.facts.step, ", weights ", manifest.weights_digest, ":\n",
                  table_lines(manifest)));
  if (manifest.raw)
    log_info(concat("raw values: requests may give the columns of [preprocess]; ",
                    counted(std::ssize(*manifest.raw), "feature"), " with a vocabulary"));
  else if (!scoring::has_raw_data(manifest.facts))
    log_info("raw values: none, since the model was not trained on a data set of `tesserec preprocess`");
  else
    log_warning(concat("requests must give ids and transformed numbers, not raw values: ", manifest.no_raw));
  const double bytes = double(bytes_of(manifest));
  log_info(concat(folder, ": ", bytes_text(bytes), " in ", seconds_text(timer.seconds())));
  Json json = json_of(manifest, folder);
  if (data) {
    const ScoreComparison scores = compare_scores(comm, checkpoint, folder, *data);
    log_info(scores.text());
    json.set("scores", scores.json());
  }
  if (invocation.json) print(comm, json);
  return 0;
}

}  // namespace tesserec::app
