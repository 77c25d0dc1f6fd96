// SPDX-License-Identifier: Apache-2.0
// Pages of made-up runs, also of runs that crashed: well-formed, with all points and units, without outside sources.
#include <cmath>
#include <regex>
#include <sstream>

#include "catch.hpp"
#include "made_runs.hpp"
#include "src/report/chart.hpp"
#include <tesserec/report/report.hpp>

TEST_CASE("make_page: one run has its points and plan and memory and phases and scores and deck") {
  const Folder folder;
  const std::string run = folder.path + "/a<b>&\"c";
  write_metrics(run, 30);
  write_records(run);
  const report::Page made = report::make_page({run});
  CHECK(made.runs == 1);
  CHECK(made.warnings.empty());
  const std::vector<Element> page = checked(made.html);
  CHECK(fact(page, "end") == "stopped by signal 15|it has no checkpoint");
  CHECK(fact(page, "first started (UTC)") == "2026-01-02T03:04:05Z");
  // A single value is a number, not a chart.
  CHECK(fact(page, "AUC, best") == "0.75");
  CHECK(fact(page, "NE, best") == "0.9");
  CHECK(fact(page, "training: learning rate") == "no tile training: learning rate");
  CHECK(fact(page, "base rate") == "0.2");
  CHECK(has_text(page, "td", "tesserec 0 & <more>"));
  CHECK(has_text(page, "code", "tesserec train d.toml"));
  CHECK(all(page, "details").empty());  // these would not be printed
  CHECK(has_text(page, "pre", "[run]\nname = \"a\"\n\n[train]\nepochs = 3\n"));
  for (const char* const title :
       {"Training loss", "Speed", "Calibration at the last evaluation", "Scores of the evaluation set",
        "Clicks among the highest scores", "Phases of the step", "Memory", "Memory of each rank, a<b>&\"c",
        "Plan: which rank holds which table, a<b>&\"c"}) {
    INFO(title);
    CHECK(has_text(page, "h3", title));
  }
  CHECK(texts(page, "h3", "Evaluation").empty());
  const std::vector<Element> lines = all(page, "polyline");
  REQUIRE(lines.size() == 9);  // loss by samples and time, speed so and since the start; calibration, scores, gain
  CHECK(points_of(lines[0]) == 30);
  CHECK(points_of(lines[1]) == 30);
  CHECK(points_of(lines[5]) == 20);   // 100 bins in twentieths of the samples
  CHECK(points_of(lines[6]) == 50);   // both edges of each bin, four of the hundred together
  CHECK(points_of(lines[8]) == 101);  // from 0
  // A switch has two words, the first of them chosen. Links name only files that exist.
  CHECK(all(page, "input").size() == 2 + 3);
  CHECK(has_text(page, "label", "by time"));
  CHECK(texts(page, "a", "") == std::vector<std::string>{"metrics", "start and plan", "result"});
  for (const Element& link : all(page, "a")) CHECK(std::filesystem::exists(run + "/" + link.attributes.at("href")));
  // A table has 3 of 32 numbers on rank 0, another one is on both ranks. Phases have 2 bars, memory has 2 x 3.
  const std::vector<Element> bars = all(page, "rect");
  std::vector<std::string> shades;
  for (const Element& bar : bars)
    if (bar.attributes.count("fill-opacity") == 1) shades.push_back(bar.attributes.at("fill-opacity"));
  CHECK(shades == std::vector<std::string>{"0.23", "1.00", "1.00"});
  CHECK(bars.size() == 3 + 2 + 6 + 4);
  CHECK(has_text(page, "td", "5.50 KiB"));  // fullest rank
  CHECK(has_text(page, "td", "8.79 KiB"));  // peak
  CHECK(has_text(page, "title", "a<b>&\"c, dense: 1.5 ms, 75.0 %"));
  CHECK(has_text(page, "title", "rank 0, states: 1.00 KiB"));
  CHECK(has_text(page, "title", "rank 1, peak: 7.81 KiB"));
  // The fill of a rank: bytes of the plan and bytes taken before it, of 10^6 bytes. A bar has its frame first.
  CHECK(has_text(page, "title", "rank 0: 488.3 KiB of 976.6 KiB, 50 %"));
  CHECK(has_text(page, "title", "rank 1: 976.6 KiB of 976.6 KiB, 100 %"));
  const std::vector<Element> rooms = all(page, "rect", "room");
  REQUIRE(rooms.size() == 2);
  CHECK(rooms[0].attributes.at("width") == "129");
  CHECK(bars[bars.size() - 3].attributes.at("width") == "64.5");
}

TEST_CASE("make_page: shows a crashed run with a cut last line and a run of one step") {
  const Folder folder;
  write_metrics(folder.path + "/crashed", 3, "{\"step\": 4, \"kind\": \"tr");
  write_metrics(folder.path + "/one", 1);
  const std::vector<Element> page = checked(report::make_page({folder.path + "/crashed", folder.path + "/one/"}).html);
  CHECK(has_text(page, "td", "running or crashed"));
  CHECK(has_text(page, "small", " (the last line of metrics.jsonl was cut)"));
  CHECK(has_text(page, "td", "one"));
  const std::vector<Element> lines = all(page, "polyline");
  REQUIRE(lines.size() == 2 * 5);   // loss and speed; metrics have one value a run
  CHECK(points_of(lines[0]) == 1);  // the first run is drawn last, on top
  CHECK(points_of(lines[1]) == 3);
  CHECK(lines[0].inside.size() > 3);
  // A leader connects the end of a line that is shorter than the plot with its name.
  const std::vector<Element> leaders = all(page, "line", "leader");
  REQUIRE(leaders.size() == 2 * 5);
  const auto is_end = [&](const Element& leader, const Element& line) {
    const auto [x, y] = last_point(line);
    return std::stod(leader.attributes.at("x1")) == x && std::stod(leader.attributes.at("y1")) == y;
  };
  CHECK(is_end(leaders[0], lines[0]));  // in the order of their heights
  CHECK(is_end(leaders[1], lines[1]));
  CHECK(last_point(lines[0]).first < last_point(lines[1]).first);
}

TEST_CASE("make_page: fifty long runs make a small page that keeps each peak") {
  const Folder folder;
  std::vector<std::string> runs;
  for (int r = 0; r < 50; ++r) {
    runs.push_back(folder.path + "/r" + std::to_string(r));
    write_metrics(runs.back(), 1000);
    write_records(runs.back(), r % 2 == 0 ? "[3, 1]" : "[2, 1]");
  }
  const report::Page made = report::make_page(runs);
  CHECK(made.runs == 50);
  CHECK(made.html.size() < 2000000);
  const std::vector<Element> page = checked(made.html);
  CHECK(all(page, "polyline").size() ==
        50 * (3 * 4));  // loss and speed with their means, speed since the start; scores
  CHECK(has_text(page, "th", "train.epochs"));
  CHECK_FALSE(has_text(page, "th", "run.name"));
  // The loss of step 507 is the highest of its run, so it lies at the top of the plot in every line.
  std::size_t on_top = 0, most = 0;
  const std::vector<Element> lines = all(page, "polyline");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    most = std::max(most, points_of(lines[i]));
    on_top += lines[i].attributes.at("points").find(",21.3") != std::string::npos;
  }
  CHECK(on_top >= 2 * 50);
  CHECK(texts(page, "p", "Line: mean of 25 log lines. Faint: every line.").size() == 2);
  CHECK(most <= 4 * 61);
  CHECK(std::count_if(lines.begin(), lines.end(), [](const Element& l) { return points_of(l) == 50; }) ==
        50);  // 25 bins
  // Equal machines share a row.
  const std::vector<std::string> names = texts(page, "td", "r");
  REQUIRE(names.size() == 50);
  CHECK(texts(page, "h2", "Deck of ") == std::vector<std::string>{"Deck of " + names[0]});
  CHECK(texts(page, "td", "50 runs").size() == 1);
}

TEST_CASE("make_page: decks that differ in many keys have a table of their own") {
  const Folder folder;
  const auto write_deck = [&](const std::string& name, int keys, int value) {
    std::string deck = "[train]\nzeal = " + std::to_string(value) + "\n[model]\n";
    for (int k = 0; k < keys; ++k) deck += "a" + std::to_string(10 + k) + " = 5\n";
    write_metrics(folder.path + "/" + name, 3);
    write(folder.path + "/" + name + "/run.json", Json::object().set("deck", deck).text());
  };
  const auto page_of = [&](int keys, int runs) {
    std::vector<std::string> folders;
    for (int r = 0; r < runs; ++r) {
      write_deck("r" + std::to_string(r), r == 0 ? keys : 0, r);
      folders.push_back(folder.path + "/r" + std::to_string(r));
    }
    return checked(report::make_page(folders).html);
  };
  const std::vector<Element> few = page_of(15, 2);  // with train.zeal as many as the summary shows
  CHECK(has_text(few, "th", "model.a24"));
  CHECK_FALSE(has_text(few, "h2", "All keys that differ"));
  const std::vector<Element> many = page_of(16, 2);
  CHECK(has_text(many, "th", "train.zeal"));  // which both decks have
  CHECK(has_text(many, "th", "model.a24"));
  CHECK_FALSE(has_text(many, "th", "model.a25"));
  CHECK(has_text(many, "h2", "All keys that differ"));
  CHECK(has_text(many, "td", "model.a25"));
  CHECK(has_text(page_of(16, 7), "p",
                 "17 keys differ, of which the table above has 16; a report of at most 6 runs lists all"));
}

TEST_CASE("make_page: several starts are one run with the gaps between them") {
  const Folder folder;
  const std::string run = folder.path + "/a";
  write_metrics(run, 30);  // up to 1700000003 s; the evaluation is a second later
  write(run + "/run.json", R"({"start_time": "2023-11-14T22:15:07Z", "from_step": 20, "deck": "[train]\nepochs = 3\n",
"starts": [{"start_time": "2023-11-14T22:13:20Z", "from_step": 0, "deck": "[train]\nepochs = 2\n"},
{"start_time": "2023-11-14T22:13:31Z", "from_step": 10}, {"start_time": "2023-11-14T22:15:07Z", "from_step": 30}]})");
  write(run + "/result.json", R"({"steps": 34, "samples": 3400, "loss": 0.125, "exit_reason": "diverged",
"message": "step 35: the loss is not a number", "start_time": "2023-11-14T22:15:07Z"})");
  const std::vector<Element> page = checked(report::make_page({run}).html);
  CHECK(fact(page, "first started (UTC)") == "2023-11-14T22:13:20Z");
  CHECK(fact(page, "starts") == "3|gaps 113 s; from step 0, 10 after 10 s, 30 after 103 s");
  CHECK(fact(page, "end") == "diverged|step 35: the loss is not a number");
  CHECK(fact(page, "steps") == "34");  // result.json has more steps than the last line
  CHECK(fact(page, "samples") == "3400");
  CHECK(fact(page, "training loss, last") == "0.125");
  CHECK(fact(page, "AUC, best") == "0.75|at step 30");
  CHECK(has_text(page, "td", "a, until start 1"));
  CHECK(has_text(page, "th", "train.epochs"));
  CHECK(all(page, "line", "mark").size() == 3);  // the start from step 10; the others lie outside the axes

  // The run.json of an older version has only the newest start. A result.json of an earlier start is left out.
  write(run + "/run.json", R"({"start_time": "2023-11-14T22:15:08Z", "from_step": 20})");
  const std::vector<Element> older = checked(report::make_page({run}).html);
  CHECK(fact(older, "first started (UTC)") == "before 2023-11-14T22:15:08Z|when it resumed from step 20");
  CHECK(fact(older, "end") == "running or crashed| (result.json is from an earlier start and is ignored)");
  CHECK(fact(older, "steps") == "30");
}

TEST_CASE("make_page: shows a run without a line by its other files") {
  const Folder folder;
  write(folder.path + "/a/metrics.jsonl", "");
  write(folder.path + "/a/run.json", R"({"start_time": "2023-11-14T22:15:07Z", "from_step": 0, "ranks": 2})");
  write(folder.path + "/a/result.json", R"({"exit_reason": "failed", "message": "no space"})");
  const std::vector<Element> page = checked(report::make_page({folder.path + "/a"}).html);
  CHECK(fact(page, "end") == "failed|no space");
  CHECK(all(page, "polyline").empty());
}

TEST_CASE("make_page: the last bins of scores count in the calibration however few samples they have") {
  const Folder folder;
  write_metrics(folder.path, 1);
  write(folder.path + "/result.json",
        R"({"evaluation": {"bins": {"samples": [90, 2, 8, 0, 3], "clicks": [9, 1, 4, 0, 3],
"scores": [9, 1, 6, 0, 2.7]}}})");
  const std::vector<Element> page = checked(report::make_page({folder.path}).html), lines = all(page, "polyline");
  REQUIRE(lines.size() == 4);       // one value is no chart; the first is drawn last
  CHECK(points_of(lines[0]) == 3);  // 90; 2 + 8; 3, less than a twentieth of 103
  // Bins are taken by fours, so five bins make two. A height is the share of all clicks, or of all other samples.
  const auto heights = [&](const Element& line) {
    std::vector<double> y;
    std::istringstream points(line.attributes.at("points"));
    for (std::string point; points >> point;) y.push_back(std::stod(point.substr(point.find(',') + 1)));
    return y;
  };
  const std::vector<double> others = heights(lines[1]), clicks = heights(lines[2]), gain = heights(lines[3]);
  REQUIRE(clicks.size() == 4);  // up to the last bin with some
  REQUIRE(others.size() == 2);
  CHECK((clicks[2] - clicks[0]) / (clicks[2] - others[0]) ==
        Approx(11.0 / 14).margin(0.001));  // 14 and 3 of 17; all 86
  REQUIRE(gain.size() == 5);               // from no sample on, bins with the highest scores first
  CHECK((gain[0] - gain[1]) / (gain[0] - gain[4]) == Approx(3.0 / 17).margin(0.001));
  CHECK((gain[0] - gain[2]) / (gain[0] - gain[4]) == Approx(7.0 / 17).margin(0.001));
}

TEST_CASE("make_page: a bar that ranks share shows the fullest rank") {
  const Folder folder;
  write_metrics(folder.path, 1);
  std::vector<Index> weights(300, 1024), states(300, 1024), peaks(300, 4096);
  weights[1] = 2048;
  peaks[1] = 8192;
  states[299] = 3072;
  write(folder.path + "/run.json",
        Json::object()
            .set("memory_bytes", Json::object().set("weights", weights).set("states", states))
            .set("plan", parse_json(R"({"ranks": 1, "memory_bytes": 8192, "tables": []})"))
            .text());
  write(folder.path + "/result.json", Json::object().set("peak_memory_bytes_of_ranks", peaks).text());
  const std::vector<Element> page = checked(report::make_page({folder.path}).html);
  CHECK(has_text(page, "title", "rank 1, weights: 2.00 KiB"));
  CHECK(has_text(page, "title", "rank 1, peak: 8.00 KiB"));
  CHECK_FALSE(has_text(page, "title", "rank 0, weights: 1.00 KiB"));
  CHECK(has_text(page, "title", "rank 3, weights: 1.00 KiB"));  // the next three ranks are equal, so the first is shown
  CHECK(has_text(page, "title", "rank 299, states: 3.00 KiB"));
  CHECK(has_text(page, "td", "4.00 KiB"));  // of the fullest rank
}

TEST_CASE("make_page: draws a plan once for the runs that share it") {
  const Folder folder;
  for (const char* const name : {"a", "b", "c"}) {
    write_metrics(folder.path + "/" + name, 3);
    write_records(folder.path + "/" + name, *name == 'b' ? "[2, 1]" : "[3, 1]");
  }
  const std::vector<Element> page =
      checked(report::make_page({folder.path + "/a", folder.path + "/b", folder.path + "/c"}).html);
  CHECK(texts(page, "h3", "Plan") ==
        std::vector<std::string>{"Plan: which rank holds which table, a, c", "Plan: which rank holds which table, b"});
  CHECK(texts(page, "h3", "Memory") == std::vector<std::string>{"Memory", "Memory of each rank, a, b, c"});
}

TEST_CASE("thinned: keeps four points in a column of pixels and skips points without a place") {
  std::vector<report::Point> points;
  for (int i = 0; i < 1000; ++i) points.push_back({i % 10 == 5 ? NAN : 1e-6 * i, i == 500 ? 3.0 : i == 700 ? -3.0 : 0});
  const std::vector<report::Point> kept = report::thinned(points, 0, 1, 10);
  REQUIRE(kept.size() == 4);
  CHECK(kept[1].y == 3);
  CHECK(kept[2].y == -3);
  CHECK(kept[3].x == 1e-6 * 999);
  points.resize(40);
  CHECK(report::thinned(points, 0, 1, 10).size() == 36);
}

TEST_CASE("make_page: each color of a line contrasts with the page in light and dark") {
  const Folder folder;
  write_metrics(folder.path, 1);
  const std::string html = report::make_page({folder.path}).html;
  const auto light_of = [](const std::string& hex) {  // relative luminance, WCAG 2
    double sum = 0;
    for (const auto& [at, weight] : {std::pair{0, 0.2126}, {2, 0.7152}, {4, 0.0722}}) {
      const double c = std::stoi(hex.substr(std::size_t(at), 2), nullptr, 16) / 255.0;
      sum += weight * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
  };
  const std::regex color("--(page|[sq][0-9]): #([0-9a-f]{6})");
  double behind = 0;
  int lines = 0;
  for (std::sregex_iterator found(html.begin(), html.end(), color), end; found != end; ++found) {
    const double light = light_of(found->str(2));
    if (found->str(1) == "page") {
      behind = light;
      continue;
    }
    ++lines;
    INFO(found->str());
    CHECK((std::max(light, behind) + 0.05) / (std::min(light, behind) + 0.05) >= 3);
  }
  CHECK(lines == 2 * (6 + 9));
}
