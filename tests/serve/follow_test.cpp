// SPDX-License-Identifier: Apache-2.0
// Service of a run that trains: requests that several threads send while deltas are applied are each scored with one
// whole state, which the reply names, and the log of their scores is replayed bit for bit.
#include <filesystem>
#include <fstream>
#include <functional>

#include "file_limit.hpp"
#include "scoring/changed_while_listed.hpp"
#include "served_run.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/serve/replay.hpp>

using namespace tesserec;

TEST_CASE("Service: while deltas are applied each request is scored with one whole state") {
  FollowedRun run("serve_follow");
  serve_while_deltas_come(run);
}

TEST_CASE("Service: a request for a version is not scored by the version that comes while its body is read") {
  FollowedRun run("serve_version");
  scoring::RunFollower follower(run.exec(), run.path(), {});
  serve::Service service(follower, {});
  const std::string body = request_of(samples_of(run).inputs());
  const auto infer = [&](const std::string& version, const std::function<void()>& meanwhile) {
    const auto read = reader_of(body);
    const auto slow = [&](const serve::TakePiece& take) {
      meanwhile();
      return read(take);
    };
    return service.answer(
        {.method = "POST", .path = "/v2/models/model/versions/" + version + "/infer", .read_body = slow});
  };
  CHECK(infer("1", [] {}).status == 200);
  const serve::HttpReply late = infer("1", [&] {
    run.step();
    REQUIRE(follower.poll());
  });
  CHECK(late.status == 404);
  CHECK(mentions(late.body, "version 1 is not served any more; the model has step 2"));
  CHECK(infer("2", [] {}).status == 200);
}

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("replay: logged scores of a run that trains are proven bit for bit, in each format of rows") {
  for (const std::optional<scoring::ServedFormat> rows :
       {std::optional<scoring::ServedFormat>(), {scoring::ServedFormat::int8}, {scoring::ServedFormat::bf16}}) {
    FollowedRun run("replay");
    const std::string log = run.path() + "/scores.jsonl";
    log_scores(run, {.log = log}, rows, 4, 2);
    run.step();
    const serve::Replayed result = serve::replay_scores(run.exec(), log, run.path());
    CHECK(result.proven());
    CHECK(result.requests == 8);
    CHECK(result.scores == 24);
    CHECK(result.states == 4);
    CHECK(result.first == "");
    const std::string kept = run.path() + "/kept";
    Index missing = 0;
    const ChangedWhileListed changed(run.delta(4),
                                     [&](const std::string&) { std::filesystem::rename(run.delta(4), kept); });
    const serve::Replayed meanwhile = serve::replay_scores(run.exec(), log, run.path());
    for (const std::string& state : meanwhile.missing_states) missing += mentions(state, "step 4, ");
    CHECK(missing == 1);
    CHECK(meanwhile.missing == 6);
    run.save();  // removes the deltas
    const serve::Replayed later = serve::replay_scores(run.exec(), log, run.path());
    CHECK(!later.proven());
    CHECK(later.missing == 18);
    REQUIRE(later.missing_states.size() == 3);
    CHECK(mentions(later.missing_states[0], ": 6 scores, the first in line 4"));
  }
}

TEST_CASE("replay: names the first score that differs, a cut line, a damaged one, and another model") {
  FollowedRun run("replay_differs");
  const std::string log = run.path() + "/scores.jsonl";
  log_scores(run, {.log = log}, {}, 2, 2);
  const std::string text = read_file(log);
  const auto replay = [&](const std::string& content, const std::string& folder) {
    std::ofstream(log) << content;
    return serve::replay_scores(run.exec(), log, folder);
  };
  const auto first = text.find("\"scores\": [") + 11;
  const std::string wrong = text.substr(0, first) + "0.125" + text.substr(text.find(',', first));
  const serve::Replayed differs = replay(wrong, run.path());
  CHECK(differs.differ == 1);
  CHECK(!differs.proven());
  CHECK(mentions(differs.first, "scores.jsonl:2: sample 0: the log has 0.125, but the state of step 1 gives "));
  const serve::Replayed cut = replay(text.substr(0, text.size() - 10), run.path());
  CHECK(cut.cut_lines == 1);
  CHECK(cut.requests == 3);
  CHECK(cut.proven());
  CHECK(mentions(error_of([&] { replay(replaced(text, "\"ids\": [", "\"ids\": [1,"), run.path()); }),
                 "scores.jsonl:2: the offsets of feature 0 do not fit its ids"));
  CHECK(mentions(error_of([&] { replay("{}\n", run.path()); }), "is not that of a log of scores"));
  CHECK(mentions(error_of([&] { replay(replaced(text, "\"version\": 1", "\"version\": 3"), run.path()); }),
                 "use the program that wrote it"));
  const std::string model = run.path() + "/model";
  scoring::export_model(run.exec(), run.path() + "/checkpoints/step_000000001", model, scoring::ServedFormat::int8);
  CHECK(mentions(error_of([&] { replay(text, model); }), "name the model that was served"));
  CHECK(mentions(error_of([&] { replay(replaced(text, R"("mlp": "fp32")", R"("mlp": "int8")"), run.path()); }),
                 "products of another precision than the model of"));
}

TEST_CASE("replay: a damaged line is refused with its number") {
  FollowedRun run("replay_damaged");
  const std::string log = run.path() + "/scores.jsonl";
  log_scores(run, {.log = log}, {}, 1, 1);
  const std::string text = read_file(log);
  const auto replay = [&] { serve::replay_scores(run.exec(), log, run.path()); };
  const std::string head = text.substr(0, text.find('\n') + 1);
  const std::string line = text.substr(head.size(), text.find('\n', head.size()) - head.size());
  const auto damaged = [&](const std::string& content, const std::string& reason) {
    INFO(content);
    std::ofstream(log) << head << content << '\n';
    CHECK(error_of(replay) == log + ":2: " + reason + "; the log is damaged, or of another program");
  };
  const auto bags = [](const std::string& more) {
    return R"("dense": [], "sparse": [{"offsets": [], "ids": []}, {"offsets": [], "ids": []}, )"
           R"({"offsets": [], "ids": []}], )" +
           more + "}";
  };
  const std::string head_of_line = R"({"step": 1, "digest": "x", "id": "", "samples": )";
  damaged(head_of_line + "-1, " + bags(R"("scores": [])"), "samples is -1, but the line has 0 scores");
  damaged(head_of_line + "9223372036854775807, " + bags(R"("scores": [0])"),
          "samples is 9223372036854775807, but the line has 1 score");
  damaged(head_of_line + "0, " + bags(R"("scores": [])"), "the offsets of feature 0 do not fit its ids");
  damaged(replaced(line, "\"samples\": 3", "\"samples\": 1"), "samples is 1, but the line has 3 scores");
  damaged(replaced(line, "\"step\": 1", "\"step\": -1"), "step is -1");
  damaged(replaced(line, "\"dense\": ", "\"shared_dense\": 1, \"dense\": "), "1 is not true or false");
  damaged(replaced(line, "\"offsets\": [0,", "\"offsets\": [-1,"),
          "feature C1: the first offset is -1; give 0 or more");
  const auto id = line.find("\"ids\": [") + 8;
  damaged(line.substr(0, id) + "-7" + line.substr(line.find_first_of(",]", id)),
          "feature C1, sample 0: id -7 is outside table C1 of 50 rows");
  for (const char* columns : {"-3", "4611686018427387904"}) {
    std::ofstream(log) << replaced(text, R"("dense_features": 3)", concat(R"("dense_features": )", columns));
    CHECK(mentions(error_of(replay), concat("scores.jsonl:1: dense_features is ", columns, "; the log is damaged")));
  }
}

TEST_CASE(
    "replay: a log is renamed when it is full, continued by the next server, and the file of others is left alone") {
  FollowedRun run("replay_rotates");
  const std::string log = run.path() + "/scores.jsonl";
  const serve::ServerSettings settings{.log = log, .log_bytes = 2000, .log_files = 3};
  log_scores(run, settings, {}, 1, 2);
  log_scores(run, settings, {}, 1, 1);
  CHECK(serve::replay_scores(run.exec(), log, run.path()).requests <= 3);
  log_scores(run, settings, {}, 1, 20);
  Index requests = 0;
  for (const char* ending : {"", ".1", ".2"}) {
    CHECK(std::filesystem::file_size(log + ending) <= 2000);
    const serve::Replayed result = serve::replay_scores(run.exec(), log + ending, run.path());
    CHECK(result.proven());
    requests += result.requests;
  }
  CHECK(requests > 3);
  CHECK(!std::filesystem::exists(log + ".3"));
  std::ofstream(log) << read_file(log + ".1") << "{\"time";  // as a kill leaves it
  const std::string oldest = read_file(log + ".2");
  CHECK(error_of([&] { log_scores(run, settings, {}, 1, 1); }) ==
        log + " cannot be continued, since its last line has no end, and a new file would delete " + log +
            ".2; move that file away, or raise --log-files");
  CHECK(read_file(log + ".2") == oldest);
  std::filesystem::rename(log + ".2", log + ".kept");
  log_scores(run, settings, {}, 1, 1);
  CHECK(serve::replay_scores(run.exec(), log, run.path()).requests == 1);
  CHECK(serve::replay_scores(run.exec(), log + ".1", run.path()).cut_lines == 1);
  {
    scoring::RunFollower follower(run.exec(), run.path(), {});
    const serve::Service first(follower, settings);
    serve::ServerSettings second = settings;
    second.timeout = 0;
    CHECK(mentions(error_of([&] { log_scores(run, second, {}, 1, 1); }), "is written by process "));
  }
  const std::string alone = run.path() + "/alone.jsonl";
  const serve::ServerSettings one{.log = alone, .log_files = 1};
  log_scores(run, one, {}, 1, 1);
  log_scores(run, one, {}, 1, 1);
  const std::string whole = read_file(alone);
  CHECK(mentions(error_of([&] { log_scores(run, one, scoring::ServedFormat::int8, 1, 1); }),
                 "since it is of a model with other inputs, rows or precision, and a new file would delete " + alone));
  CHECK(read_file(alone) == whole);
  std::ofstream(log) << "not ours\n";
  CHECK(mentions(error_of([&] { log_scores(run, settings, {}, 1, 1); }), "name another file with --log"));
  CHECK(read_file(log) == "not ours\n");
}

TEST_CASE("replay: a log whose first line a full disk did not take has it before the next request") {
  FollowedRun run("replay_full");
  const std::string log = run.path() + "/scores.jsonl";
  const serve::ServerSettings settings{.log = log, .log_bytes = 1, .log_files = 3};  // a file a request
  scoring::RunFollower follower(run.exec(), run.path(), {});
  serve::Service service(follower, settings);
  const std::string body = request_of(samples_of(run).inputs());
  const auto ask = [&] {
    return service.answer({.method = "POST", .path = "/v2/models/model/infer", .read_body = reader_of(body)}).status;
  };
  CHECK(ask() == 200);
  const auto ask_without_space = [&] {
    const FileLimit none(0);
    return ask();
  };
  const int full = ask_without_space();
  CHECK(full == 200);
  CHECK(std::filesystem::file_size(log) == 0);
  CHECK(ask() == 200);
  for (const char* ending : {"", ".1"}) {
    const serve::Replayed result = serve::replay_scores(run.exec(), log + ending, run.path());
    CHECK(result.proven());
    CHECK(result.requests == 1);
  }
}
