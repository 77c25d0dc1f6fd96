// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/index.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/verdict/finding.hpp>

namespace tesserec::verdict {
namespace {

constexpr std::size_t lines_shown = 20;

}  // namespace

const char* name_of(Severity severity) {
  if (severity == Severity::note) return "note";
  return severity == Severity::warning ? "warning" : "error";
}

std::size_t count_from(const std::vector<Finding>& findings, Severity severity) {
  return std::size_t(
      std::count_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.severity >= severity; }));
}

std::vector<std::string> lines(const std::vector<Finding>& findings) {
  if (findings.empty()) return {"verdict: nothing odd was found"};
  const std::size_t errors = count_from(findings, Severity::error),
                    warnings = count_from(findings, Severity::warning) - errors;
  std::vector<std::string> all = {concat("verdict: ", counted(Index(errors), "error"), ", ",
                                         counted(Index(warnings), "warning"), ", ",
                                         counted(Index(findings.size() - errors - warnings), "note"))};
  std::vector<const Finding*> gravest;
  for (const Finding& finding : findings) gravest.push_back(&finding);
  std::stable_sort(gravest.begin(), gravest.end(),
                   [](const Finding* a, const Finding* b) { return a->severity > b->severity; });
  for (const Finding* finding : gravest) {
    if (all.size() > lines_shown) {
      all.push_back(concat("  and ", gravest.size() - lines_shown, " more, which --json has"));
      break;
    }
    all.push_back("  " + left(name_of(finding->severity), 8) + finding->text);
  }
  return all;
}

Json json_of(const std::vector<Finding>& findings) {
  Json all = Json::array();
  for (const Finding& finding : findings) {
    Json figures = Json::object();
    for (const auto& [name, value] : finding.figures) figures.set(name, value);
    all.add(Json::object()
                .set("severity", name_of(finding.severity))
                .set("kind", finding.kind)
                .set("text", finding.text)
                .set("columns", finding.columns)
                .set("files", finding.files)
                .set("figures", figures));
  }
  return all;
}

}  // namespace tesserec::verdict
