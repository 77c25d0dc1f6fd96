// SPDX-License-Identifier: Apache-2.0
#include "data_then.hpp"

#include "checkpoint_parts.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/content.hpp>

namespace tesserec::train {
namespace {

/// Returns the data.window of the run that wrote a checkpoint; "" if the program was too old for windows.
std::string window_then(const store::Attributes& attributes, const std::string& file) {
  return attributes.count("data.window") == 0 ? "" : store::attribute<std::string>(attributes, "data.window", file);
}

}  // namespace

void check_same_bytes(const Session& session, const std::string& then, const std::string& file) {
  const std::string now = data::content_digest(session.contents);
  if (then == now || now.empty()) return;
  const std::string& data = session.data.description;
  if (then.empty())
    return log_info(file + " has no digest of its training data, so " + data + " is not compared with it");
  const std::string difference =
      concat(file, " was made with other data than ", data, " has now (data_digest ", then, ", now ", now, ")");
  if (!accepts(session.job.checkpoint, "data.train"))
    fail(difference,
         "; give the data that it was made with, allow other data with checkpoint.accept = [\"data\"], or start anew "
         "with checkpoint.resume = \"never\"");
  log_info(difference + ", as checkpoint.accept allows");
}

void check_same_windows(const Session& session, const store::Attributes& attributes, const std::string& file) {
  const std::string then = window_then(attributes, file), &now = session.job.data.window;
  if (then == now || accepts(session.job.checkpoint, "data.train")) return;
  fail(file, " was made with data.window = \"", then, "\", but this run has \"", now,
       "\"; set it back, go on with the first window by checkpoint.accept = [\"data\"], or start anew with "
       "checkpoint.resume = \"never\"");
}

bool same_files(const Session& session, const std::string& then) {
  return !session.contents.empty() && data::content_digest(session.contents) == then;
}

std::string content_then(const store::Attributes& attributes, const std::string& file) {
  return attributes.count("data_digest") == 0 ? "" : store::attribute<std::string>(attributes, "data_digest", file);
}

bool has_another_dataset(const Session& session, Index epoch_samples, const store::Attributes& attributes,
                         const std::string& file) {
  const bool may_differ = accepts(session.job.checkpoint, "data.train");
  if (!may_differ) return false;
  if (store::attribute<std::int64_t>(attributes, "samples_per_epoch", file) != epoch_samples) return true;
  if (window_then(attributes, file) != session.job.data.window) return true;
  if (same_files(session, content_then(attributes, file))) return false;
  if (!session.job.data.window.empty()) return true;  // the bounds of windows come from the bytes
  const auto files = [](const std::string& deck) { return flat_deck(deck)["data.train"]; };
  return files(store::attribute<std::string>(attributes, "deck", file)) != files(session.job.deck);
}

}  // namespace tesserec::train
