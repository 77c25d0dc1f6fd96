// SPDX-License-Identifier: Apache-2.0
// A run that trains, served while its deltas come.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "requests.hpp"
#include "scoring/followed_run.hpp"
#include <tesserec/serve/service.hpp>

namespace tesserec {

inline std::string digest_of(const serve::HttpReply& reply) {
  return parse_json(reply.body).at("parameters").at("digest").string();
}

inline ThreeSamples samples_of(FollowedRun& run) {
  ThreeSamples three;
  run.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    if (three.scores.empty()) three = ThreeSamples(batch, probabilities);
  });
  return three;
}

/// Serves a run with a log of scores, and asks `requests` times in each of `states` states.
inline void log_scores(FollowedRun& run, const serve::ServerSettings& settings,
                       std::optional<scoring::ServedFormat> rows, int states, int requests) {
  scoring::RunFollower follower(run.exec(), run.path(), rows);
  serve::Service service(follower, settings);
  const std::string body = request_of(samples_of(run).inputs());
  for (int state = 0; state < states; ++state) {
    if (state > 0) run.step();
    follower.poll();
    for (int r = 0; r < requests; ++r)
      REQUIRE(
          service.answer({.method = "POST", .path = "/v2/models/model/infer", .read_body = reader_of(body)}).status ==
          200);
  }
}

/// Requires that each request of three clients is scored with one whole state while deltas are applied.
inline void serve_while_deltas_come(FollowedRun& run) {
  scoring::RunFollower follower(run.exec(), run.path(), {});
  serve::Service service(follower, {.threads = 3});
  const std::string body = request_of(samples_of(run).inputs());
  const auto infer = [&] {
    return service.answer({.method = "POST", .path = "/v2/models/model/infer", .read_body = reader_of(body)});
  };
  std::map<std::string, std::vector<float>> expected{{follower.model().facts().seal, samples_of(run).scores}};
  std::atomic<bool> over = false;
  std::atomic<Index> answered = 0;
  std::mutex mutex;
  std::vector<serve::HttpReply> replies;
  std::vector<std::thread> clients;
  const struct Joined {  // also if a REQUIRE throws
    ~Joined() {
      over = true;
      for (std::thread& client : clients) client.join();
    }
    std::atomic<bool>& over;
    std::vector<std::thread>& clients;
  } joined{over, clients};
  for (int c = 0; c < 3; ++c)
    clients.emplace_back([&] {
      while (!over) {
        serve::HttpReply reply = infer();
        ++answered;
        const std::lock_guard lock(mutex);
        replies.push_back(std::move(reply));
      }
    });
  for (int s = 0; s < 8; ++s) {
    run.step();
    CHECK(follower.poll());
    expected[follower.model().facts().seal] = samples_of(run).scores;
    const Index before = answered;
    while (answered < before + 6) std::this_thread::yield();  // each client sees this state
    CHECK(digest_of(infer()) == follower.model().facts().seal);
  }
  over = true;
  for (std::thread& client : clients) client.join();
  clients.clear();
  std::map<std::string, Index> seen;
  for (const serve::HttpReply& reply : replies) {
    const std::string digest = digest_of(reply);
    ++seen[digest];
    REQUIRE(expected.count(digest) == 1);
    CHECK(scores_of(reply) == expected[digest]);
  }
  CHECK(seen.size() >= 8);
  const std::string metrics = service.answer({.method = "GET", .path = "/metrics"}).body;
  CHECK(mentions(metrics, "tesserec_model_step{model=\"model\"} 9\n"));
  CHECK(!mentions(metrics, "digest"));  // a label would make a time series of each state
  CHECK(mentions(metrics, "\ntesserec_deltas_total 8\n"));
  CHECK(mentions(metrics, "\ntesserec_refused_states_total 0\n"));
  CHECK(mentions(metrics, "\ntesserec_lost_states_total 0\n"));
  CHECK(mentions(metrics, "\ntesserec_model_age_seconds "));
  CHECK(service.answer({.method = "GET", .path = "/v2/models/model/versions/9"}).status == 200);
  CHECK(service.answer({.method = "GET", .path = "/v2/models/model/versions/1"}).status == 404);
}

}  // namespace tesserec
