// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <tesserec/core/error.hpp>
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
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail("cannot make the folder ", folder, ": ", error.message(), "; set run.output");
  const std::string kept = lines_until(path_, step, last);
  // Through another name: a kill here loses no line.
  const std::string whole = path_ + ".tmp";
  file_ = std::fopen(whole.c_str(), "w");
  if (file_ == nullptr) fail("cannot write ", whole, ": ", std::strerror(errno));
  const bool written = std::fputs(kept.c_str(), file_) >= 0 && std::fflush(file_) == 0;
  if (!written || std::rename(whole.c_str(), path_.c_str()) != 0) {
    const int why = errno;
    std::fclose(file_);
    fail("cannot write ", path_, ": ", std::strerror(why));
  }
}

MetricsLog::~MetricsLog() { std::fclose(file_); }

void MetricsLog::write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values) {
  std::string line = "{\"step\": " + std::to_string(step) + ", \"kind\": \"" + kind + "\"";
  for (const auto& [name, value] : values) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", value);
    line += ", \"" + name + "\": " + (std::isfinite(value) ? number : "null");
  }
  if (std::fputs((line + "}\n").c_str(), file_) < 0 || std::fflush(file_) != 0)
    fail("cannot write ", path_, ": ", std::strerror(errno));
}

}  // namespace tesserec::train
