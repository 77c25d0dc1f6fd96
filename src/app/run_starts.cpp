// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <vector>

#include "run_record.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/run_end.hpp>

namespace tesserec::app {
namespace {

Json object(const Start& start) {
  return Json::object().set("start_time", start.time).set("from_step", start.from_step);
}

/// Lists the starts in `run`, the content of run.json. A file of an older version has only its own start.
std::vector<Json> earlier_starts(const Json& run, const std::string& deck) {
  std::vector<Json> starts;
  if (run.has("starts"))
    starts = run.at("starts").elements();
  else
    starts.push_back(object({run.at("start_time").string(), run.at("from_step").integer(), ""}));
  if (const std::string& then = run.at("deck").string(); !starts.empty() && then != deck)
    starts.back().set("deck", then);
  return starts;
}

}  // namespace

Json starts_json(const std::string& folder, const Start& now, bool starts_over) {
  Json all = Json::array(Json::Layout::lines);
  const std::string path = folder + "/run.json";
  try {
    if (!starts_over && std::filesystem::exists(path) && (now.from_step > 0 || !store::run_end(folder).is_done()))
      for (Json& start : earlier_starts(parse_json(read_file(path)), now.deck)) all.add(std::move(start));
  } catch (const Error& error) {
    log_warning(concat(path, ": ", error.what(), "; earlier starts of this run are not listed any more"));
  }
  return all.add(object(now));
}

}  // namespace tesserec::app
