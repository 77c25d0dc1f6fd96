// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <filesystem>

#include <unistd.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/store/lock.hpp>
#include <tesserec/store/run_end.hpp>

namespace tesserec::store {
namespace {

/// Reads a file of one JSON object; returns null if it is missing.
Json object_of(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  const std::string text = read_file(path);
  try {
    Json json = parse_json(text);
    json.names();
    return json;
  } catch (const Error& error) {
    fail(path, ": ", error.what(), "; tesserec did not write this file: move it away");
  }
}

std::string text_of(const Json& json, const char* name) {
  return json.has(name) && json.at(name).kind() == Json::Kind::string ? json.at(name).string() : "";
}

/// Returns whether the owner of a lock runs on this host.
bool is_on_this_host(const std::string& owner) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return owner.ends_with(concat(" on ", host.data())) || owner.find(concat(" on ", host.data(), ",")) != owner.npos;
}

RunEnd end_of_result(const Json& result) {
  const std::string reason = text_of(result, "exit_reason");
  const Json signal = result.has("signal") ? result.at("signal") : Json(0);
  if (signal.kind() == Json::Kind::integer && signal.integer() != 0) {
    const bool saved = !text_of(result, "checkpoint").empty();
    return {concat("stopped by signal ", signal.integer()),
            saved ? "the same command resumes from its checkpoint" : "it has no checkpoint"};
  }
  if (reason == "auc") return {"auc", "evaluate.stop_at_auc is reached"};
  if (reason == "patience") return {"patience", "stopped by evaluate.patience: the metric did not improve"};
  if (reason == "diverged" || reason == "failed") return {reason, text_of(result, "message")};
  return {"finished", ""};  // Older versions wrote no reason.
}

RunEnd end_without_result(const LockStatus& lock) {
  switch (lock.state) {
    case LockStatus::State::held:
      return {"running", lock.owner};
    case LockStatus::State::free:
      if (is_on_this_host(lock.owner)) return {"crashed", ""};
      return {"crashed", lock.owner + " no longer holds its lock, as seen from this host"};
    case LockStatus::State::missing:
    case LockStatus::State::unknown:
      break;
  }
  return {"running or crashed", ""};
}

}  // namespace

std::string RunEnd::text() const {
  std::string text = state + (detail.empty() ? "" : ": " + detail);
  if (state != "running" && in_use) text += "; its folder is in use";
  return text;
}

RunEnd run_end(const std::string& folder) {
  const Json start = object_of(folder + "/run.json"), result = object_of(folder + "/result.json");
  const std::string begun = text_of(start, "start_time"), result_start = text_of(result, "start_time");
  const bool stale = !begun.empty() && !result_start.empty() && begun != result_start;
  const LockStatus lock = probe_lock(folder + "/lock");
  const bool has_result = result.kind() == Json::Kind::object && !stale;
  RunEnd end = has_result ? end_of_result(result) : end_without_result(lock);
  end.stale = stale;
  end.in_use = lock.state == LockStatus::State::held;
  return end;
}

std::string state_of_started(const std::string& folder) {
  if (!std::filesystem::exists(folder + "/run.json")) return "started";
  const RunEnd end = run_end(folder);
  return end.is_done() ? "started" : end.state;
}

}  // namespace tesserec::store
