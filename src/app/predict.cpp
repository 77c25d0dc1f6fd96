// SPDX-License-Identifier: Apache-2.0
// Command `tesserec predict`: writes the scores of a checkpoint, even for rows without labels, as HDF5 or CSV.
#include <filesystem>
#include <string>

#include "job.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/disk.hpp>
#include <tesserec/train/evaluate.hpp>

namespace tesserec::app {

namespace {

using train::ScoresFormat;

/// Returns the format of --format, else of the ending of --scores, else HDF5. Throws Error if the options disagree.
ScoresFormat format_of(const Invocation& invocation) {
  const bool chosen = invocation.has("--format"), named = invocation.has("--scores");
  const bool csv = chosen && invocation.options.at("--format") == "csv";
  if (!named) return csv ? ScoresFormat::csv : ScoresFormat::h5;
  const std::string& path = invocation.options.at("--scores");
  const std::string ending = std::filesystem::path(path).extension().string();
  const bool is_csv = ending == ".csv", is_h5 = ending == ".h5" || ending == ".hdf5" || ending.empty();
  const char* const format = csv ? "csv" : "h5";
  if (chosen && !ending.empty() && (csv ? is_h5 : is_csv))
    fail("--format ", format, " does not fit --scores \"", path, "\"; give the file the ending .", format,
         ", or leave --format out");
  if (!chosen && !is_csv && !is_h5)
    fail("--scores \"", path, "\": the ending \"", ending, "\" names no format; add --format h5 or --format csv");
  return csv || (!chosen && is_csv) ? ScoresFormat::csv : ScoresFormat::h5;
}

/// Logs the raw rows that have no score.
void report_left_out(const data::SourceInfo& info) {
  if (info.left_out == 0) return;
  log_warning(concat(info.description, ": there is no score for ", counted(info.left_out, "bad row"),
                     " that preprocess left out", info.skipped.empty() ? "" : ":"));
  for (const std::string& row : info.skipped) log_info("  " + row);
  if (const Index more = info.left_out - std::ssize(info.skipped); more > 0 && !info.skipped.empty())
    log_info(concat("  and ", more, " more"));
}

}  // namespace

int predict(const Invocation& invocation, const comm::Communicator& comm) {
  const ScoresFormat format = format_of(invocation);
  LoadedModel loaded(invocation.read_deck(), comm, data::Use::predict);
  const std::string name = format == ScoresFormat::csv ? "/scores.csv" : "/scores.h5";
  const std::string path =
      invocation.has("--scores") ? invocation.options.at("--scores") : loaded.job.run.folder() + name;
  comm::agree(comm, [&] {
    if (comm.rank() == 0) store::make_output_folder_of(path, invocation.has("--scores") ? "--scores" : "run.output");
  });
  const Index samples = train::predict(*loaded.session, *loaded.source, path, format);
  const data::SourceInfo& info = loaded.source->info();
  if (comm.rank() == 0) report_left_out(info);
  log_info(counted(samples, "score") + " in " + path);
  if (invocation.json)
    print(comm, Json::object()
                    .set("scores", path)
                    .set("samples", samples)
                    .set("left_out", info.left_out)
                    .set("checkpoint", loaded.checkpoint));
  return 0;
}

}  // namespace tesserec::app
