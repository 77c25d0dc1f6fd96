// SPDX-License-Identifier: Apache-2.0
// Folders of made-up runs, and functions that query their pages.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "catch.hpp"
#include "markup.hpp"
#include <tesserec/core/index.hpp>
#include <tesserec/core/json.hpp>

using namespace tesserec;

struct Folder {
  std::string path =
      (std::filesystem::temp_directory_path() / ("tesserec_report_" + std::to_string(getpid()))).string();
  Folder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

inline void write(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

/// Writes a run of `lines` lines, of which the last is an evaluation.
inline void write_metrics(const std::string& folder, int lines, const std::string& tail = "") {
  std::string text;
  for (int i = 1; i <= lines; ++i)
    text += Json::object()
                .set("step", i)
                .set("kind", "train")
                .set("samples", 100.0 * i)
                .set("loss", 0.5 + 0.1 / i + 0.01 * (i % 7) + (i == 507 ? 0.3 : 0))
                .set("lr", 0.1)
                .set("samples_per_second", 1000.0 + i % 3)
                .set("time", 1.7e9 + 0.1 * i)
                .text() +
            "\n";
  text += Json::object()
              .set("step", lines)
              .set("kind", "evaluate")
              .set("samples", 100.0 * lines)
              .set("auc", 0.75)
              .set("ne", 0.9)
              .set("time", 1.7e9 + 0.1 * lines + 1)
              .text() +
          "\n";
  write(folder + "/metrics.jsonl", text + tail);
}

inline void write_records(const std::string& folder, const std::string& rows = "[3, 1]") {
  write(
      folder + "/run.json",
      R"({"start_time": "2026-01-02T03:04:05Z", "versions": "tesserec 0 & <more>", "ranks": 2, "hosts": [{"name": "n1", "ranks": 2}],
"argv": ["train", "d.toml"], "deck_file": "d.toml", "deck_text": "[run]", "deck": "[run]\nname = \"a\"\n\n[train]\nepochs = )" +
          rows.substr(1, 1) + R"(\n",
"memory_bytes": {"weights": [4096, 0], "states": [1024, 0], "messages": [512, 512]},
"plan": {"ranks": 2, "memory_bytes": 1000000, "gap": 0.25, "critical_path_seconds": 0.001,
"taken_bytes": 50000, "per_rank": [{"rank": 0, "seconds": 1, "bytes": 450000}, {"rank": 1, "seconds": 1, "bytes": 950000}], "tables": [
{"name": "t<1>", "rows": 4, "dim": 8, "type": "row_wise", "shards": [{"rank": 0, "offset": [0, 0], "size": )" +
          rows + R"(}]}, {"name": "t2", "rows": 2, "dim": 4, "type": "data_parallel", "shards": []}]}})");
  std::vector<Index> samples(100, 5), clicks(100, 1);
  std::vector<double> scores;
  for (int b = 0; b < 100; ++b) scores.push_back(5 * (b + 0.5) / 100);
  write(folder + "/result.json",
        Json::object()
            .set("signal", 15)
            .set("step_seconds", 0.002)
            .set("peak_memory_bytes", 9000)
            .set("peak_memory_bytes_of_ranks", std::vector<Index>{9000, 8000})
            .set("phase_seconds", Json::object().set("dense", 3.0).set("send ids", 1.0))
            .set("evaluation",
                 Json::object()
                     .set("auc", 0.75)
                     .set("bins", Json::object().set("samples", samples).set("clicks", clicks).set("scores", scores)))
            .text());
}

inline std::vector<Element> all(const std::vector<Element>& page, const std::string& name,
                                const std::string& css = "") {
  std::vector<Element> found;
  for (const Element& element : page)
    if (element.name == name && (css.empty() || element.has_class(css))) found.push_back(element);
  return found;
}

inline bool has_text(const std::vector<Element>& page, const std::string& name, const std::string& text) {
  return std::any_of(page.begin(), page.end(), [&](const Element& e) { return e.name == name && e.text == text; });
}

/// Returns whether a title of an axis or a column, or a text at a reference line, needs no unit.
inline bool is_without_unit(const std::string& title) {
  for (const char* const known : {"table", "sharding", "training samples", "AUC", "accuracy"})
    if (title == known) return true;
  return title.starts_with("1: ") || title.starts_with("final ") || title.find(" lies ") != std::string::npos ||
         title == "AUC of the planted truth";
}

/// Returns the value of a tile and the line below it: "finished", "0.75|at step 3".
inline std::string fact(const std::vector<Element>& page, const std::string& name) {
  for (std::size_t i = 0; i + 2 < page.size(); ++i)
    if (page[i].name == "span" && page[i].text == name && page[i + 1].name == "b")
      return page[i + 1].text + (page[i + 2].name == "small" ? "|" + page[i + 2].text : "");
  return "no tile " + name;
}

/// Checks a page and returns its elements: well-formed, without scripts or sources, each axis with a unit, each
/// coordinate a number.
inline std::vector<Element> checked(const std::string& html) {
  const std::vector<Element> page = elements_of(html);
  CHECK(html.find("://") == std::string::npos);
  CHECK(all(page, "script").empty());
  for (const Element& element : page) {
    if (element.attributes.count("src") != 0) FAIL_CHECK("an element with a source: " << element.name);
    if (element.name == "text" && element.has_class("title") && element.text.find("×") == std::string::npos &&
        element.text.find('.') == std::string::npos && !is_without_unit(element.text))
      CHECK(element.text.find('(') != std::string::npos);
    for (const auto& [name, value] : element.attributes)
      if (value.find("nan") != std::string::npos || value.find("inf") != std::string::npos)
        FAIL_CHECK(element.name << " " << name << " " << value);
  }
  return page;
}

/// Returns the last point of a line.
inline std::pair<double, double> last_point(const Element& polyline) {
  const std::string& points = polyline.attributes.at("points");
  const std::size_t at = points.rfind(' ') + 1, comma = points.find(',', at);
  return {std::stod(points.substr(at, comma - at)), std::stod(points.substr(comma + 1))};
}

/// Returns the texts that begin with `head` of all elements of a name, in the order of the page.
inline std::vector<std::string> texts(const std::vector<Element>& page, const std::string& name,
                                      const std::string& head) {
  std::vector<std::string> found;
  for (const Element& element : all(page, name))
    if (element.text.starts_with(head)) found.push_back(element.text);
  return found;
}

inline std::size_t points_of(const Element& polyline) {
  return 1 + std::count(polyline.attributes.at("points").begin(), polyline.attributes.at("points").end(), ' ');
}
