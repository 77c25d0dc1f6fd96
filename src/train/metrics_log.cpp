// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <fstream>

#include <fcntl.h>

#include <tesserec/train/metrics_log.hpp>

namespace tesserec::train {
namespace {

/// The lines of steps up to `step`, without the evaluation of step `last`. A line cut off by a kill has no closing
/// brace and goes too.
std::string lines_until(const std::string& path, Index step, Index last) {
  std::ifstream in(path);
  std::string kept, line;
  while (std::getline(in, line)) {
    long long at = 0;
    if (line.empty() || line.back() != '}' || std::sscanf(line.c_str(), "{\"step\": %lld", &at) != 1 || at > step)
      continue;
    if (at == last && line.find("\"kind\": \"evaluate\"") != std::string::npos) continue;
    kept += line + "\n";
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(const std::string& folder, Index step, Index last) : path_(folder + "/metrics.jsonl") {
  store::make_folder_durably(folder);
  // Through another name: a kill here loses no line.
  store::write_proven(path_ + ".tmp", lines_until(path_, step, last));
  store::rename_durably(path_ + ".tmp", path_);
  file_.emplace(path_, O_WRONLY | O_APPEND, "write to it");
}

void MetricsLog::sync() const { store::sync_path(path_); }

void MetricsLog::close() {
  sync();
  file_->close();
}

void MetricsLog::write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values) {
  std::string line = "{\"step\": " + std::to_string(step) + ", \"kind\": \"" + kind + "\"";
  for (const auto& [name, value] : values) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", value);
    line += ", \"" + name + "\": " + (std::isfinite(value) ? number : "null");
  }
  line += "}\n";
  store::write_all(*file_, path_, std::as_bytes(std::span(line.data(), line.size())));
}

}  // namespace tesserec::train
