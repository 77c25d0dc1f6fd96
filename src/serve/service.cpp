// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cctype>
#include <optional>
#include <string_view>

#include "context_pool.hpp"
#include "inference.hpp"
#include "score_log.hpp"
#include "service_metrics.hpp"
#include "version.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/serve/service.hpp>

namespace tesserec::serve {
namespace {

/// Refusal of a request, with its HTTP status.
class Refusal : public Error {
 public:
  Refusal(int status, const std::string& reason, const char* allow = "")
      : Error(reason), status_(status), allow_(allow) {}
  int status() const { return status_; }
  /// Returns the methods that the path takes, of a refused one.
  const char* allow() const { return allow_; }

 private:
  int status_;
  const char* allow_;
};

std::string error_body(const std::string& reason) { return Json::object().set("error", reason).text(); }

/// Returns the token of a header Authorization of the scheme Bearer, in letters of any case.
std::optional<std::string> bearer_token(const std::string& authorization) {
  constexpr std::string_view scheme = "bearer ";
  const auto same = [](unsigned char a, char b) { return std::tolower(a) == b; };
  const std::string_view begin = std::string_view(authorization).substr(0, scheme.size());
  if (!std::ranges::equal(begin, scheme, same)) return std::nullopt;
  const std::size_t at = authorization.find_first_not_of(' ', scheme.size());
  return at == std::string::npos ? "" : authorization.substr(at);
}

/// Compares two texts in a time that depends on their lengths alone.
bool same_secret(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= unsigned(a[i] ^ b[i]);
  return difference == 0;
}

/// Throws Error if a feature's name is one of the protocol's inputs.
void require_servable(const scoring::ServedModel& model) {
  if (model.facts().dense_features > 0 && std::ranges::count(model.features(), dense_input) > 0)
    fail("feature \"", dense_input, "\" has the name of the protocol's input of dense numbers, so it cannot be served");
  for (const std::string& feature : model.features())
    for (const char* ending : {offsets_ending, weights_ending})
      if (std::ranges::count(model.features(), feature + ending) > 0)
        fail("feature \"", feature, ending, "\" has the name of an input of feature \"", feature,
             "\", so the model cannot be served");
}

}  // namespace

struct Service::Inside {
  Inside(const ModelInUse& served, const scoring::RunFollower* run, const ServerSettings& given)
      : in_use(served), follower(run), settings(given), contexts(in_use, given.threads) {
    if (!settings.log.empty()) log.emplace(settings, ModelView(in_use).model());
  }

  HttpReply route(const HttpRequest& request);
  /// Scores. `version`: step that must score, as text; empty = any. Throws Refusal if another step is served by then.
  HttpReply infer(const HttpRequest& request, const std::string& version);
  /// Returns the body. Throws Refusal if it has more bytes than the limit or ends early.
  std::string body_of(const HttpRequest& request) const;
  /// Throws Refusal unless the request bears the token.
  void check_token(const HttpRequest& request) const;

  std::string metrics_text() const;

  ModelInUse in_use;
  const scoring::RunFollower* follower;  // null = the model stays as it is
  ServerSettings settings;
  ContextPool contexts;
  ServiceMetrics metrics;
  std::optional<ScoreLog> log;
  std::atomic<int> in_flight{0};
  std::atomic<bool> verified{false};
};

void Service::Inside::check_token(const HttpRequest& request) const {
  if (settings.token.empty()) return;
  const std::optional<std::string> token = bearer_token(request.authorization);
  if (token && same_secret(*token, settings.token)) return;
  throw Refusal(401, concat("the request ", token ? "has another token than the server" : "lacks the server's token",
                            "; send the header \"Authorization: Bearer TOKEN\""));
}

std::string Service::Inside::body_of(const HttpRequest& request) const {
  std::string body;
  bool fits = true;
  const auto take = [&](std::string_view piece) {
    fits = std::ssize(body) + std::ssize(piece) <= settings.max_body;
    if (fits) body += piece;
    return fits;
  };
  const bool whole = !request.read_body || request.read_body(take);
  if (!fits) throw Refusal(413, concat("the body has more than ", settings.max_body, " bytes; score fewer samples"));
  if (!whole) throw Refusal(400, "the body could not be read: it ended early, came too slowly or is damaged");
  return body;
}

HttpReply Service::Inside::infer(const HttpRequest& request, const std::string& version) {
  if (request.method != "POST") throw Refusal(405, request.path + " takes POST, not " + request.method, "POST");
  const int before = in_flight.fetch_add(1);
  struct Leaving {
    std::atomic<int>& count;
    ~Leaving() { --count; }
  } leaving{in_flight};
  if (before >= settings.in_flight)
    throw Refusal(503, concat("the server has ", before, " requests in flight, which is its limit; try again later"));
  const std::string body = body_of(request);
  auto json_bytes = std::ssize(body);
  if (!request.json_bytes.empty()) {
    const auto given = parse_number<Index>(request.json_bytes);
    if (!given || *given < 0 || *given > json_bytes)
      throw Refusal(400, concat("Inference-Header-Content-Length is \"", request.json_bytes, "\", but the body has ",
                                json_bytes, " bytes"));
    json_bytes = *given;
  }
  const Timer timer;
  const ContextPool::Lease lease(contexts);  // also for the JSON, whose numbers take many times their text's memory
  const scoring::ServedModel& model = lease.model();
  if (const Index step = model.facts().step; !version.empty() && version != std::to_string(step))
    throw Refusal(404, concat("version ", version, " is not served any more; the model has step ", step));
  InferRequest batch = parse_infer(model, body, json_bytes);
  std::vector<float> scores(std::size_t(batch.samples * model.label_count()));
  lease.context().score({.samples = batch.samples,
                         .dense = batch.dense.data(),
                         .sparse = batch.bags(),
                         .shared_dense = batch.shared_dense},
                        scores.data());
  if (const std::string reason = scoring::not_finite_reason(model, scores); !reason.empty()) {
    metrics.not_finite();
    fail(reason);
  }
  if (log) log->add(model.facts(), batch, scores);
  InferReply reply = infer_reply(model, settings.name, batch, scores);
  metrics.scored(batch.samples, timer.seconds());
  std::vector<Index> without_row;
  for (std::size_t f = 0; f < model.features().size(); ++f) without_row.push_back(lease.context().without_row(f));
  metrics.lacked_rows(without_row);
  for (std::size_t f = 0; f < batch.counts.unknown.size(); ++f) batch.counts.unknown[f] += without_row[f];
  if (!batch.counts.values.empty()) metrics.encoded(batch.counts);
  HttpReply answer{.body = std::move(reply.body)};
  if (reply.json_bytes > 0) {
    answer.type = "application/octet-stream";
    answer.json_bytes = std::to_string(reply.json_bytes);
  }
  return answer;
}

std::string Service::Inside::metrics_text() const {
  const ModelView view(in_use);
  const scoring::ServedModel& model = view.model();
  std::string text = metrics.text(settings.name, model.facts().step, in_flight);
  text += verified_metric(verified);
  if (model.raw() != nullptr) text += metrics.raw_text(*model.raw(), model.features());
  const auto grows = [](const scoring::ServedTable& table) { return table.ids != nullptr; };
  if (std::ranges::any_of(model.tables(), grows)) text += metrics.ids_text(model.features());
  if (follower != nullptr) text += follow_metrics(follower->figures());
  if (log) text += log_metrics(log->lost());
  return text;
}

HttpReply Service::Inside::route(const HttpRequest& request) {
  const std::string root = "/v2/models/" + settings.name;
  std::string path = request.path, version;
  if (path.starts_with(root + "/versions/")) {
    const std::string step = std::to_string(ModelView(in_use).model().facts().step), start = root + "/versions/" + step;
    if (path == start || path.starts_with(start + "/")) {
      path = root + path.substr(start.size());
      version = step;
    }
  }
  if (path == "/v2/health/live") return {.body = Json::object().set("live", true).text()};
  if (path == "/v2/health/ready") return {.body = Json::object().set("ready", true).text()};
  check_token(request);
  if (path == root + "/infer") return infer(request, version);
  const bool is_known = path == "/metrics" || path == "/v2" || path == root || path == root + "/ready";
  if (!is_known) throw Refusal(404, concat("there is no ", request.path, "; the model is at ", root));
  if (request.method != "GET") throw Refusal(405, request.path + " takes GET, not " + request.method, "GET, HEAD");
  if (path == "/metrics") return {.body = metrics_text(), .type = "text/plain; version=0.0.4"};
  if (path == "/v2")
    return {.body = Json::object()
                        .set("name", "tesserec")
                        .set("version", TESSEREC_VERSION)
                        .set("extensions", std::vector<std::string>{"binary_tensor_data"})
                        .text()};
  if (path == root) return {.body = model_metadata(ModelView(in_use).model(), settings.name).text()};
  return {.body = Json::object().set("name", settings.name).set("ready", true).text()};
}

Service::Service(const scoring::ServedModel& model, const ServerSettings& settings) {
  require_servable(model);
  inside_ = std::make_unique<Inside>(ModelInUse{.fixed = &model}, nullptr, settings);
}

Service::Service(scoring::RunFollower& run, const ServerSettings& settings) {
  require_servable(run.model().copy(0));
  inside_ = std::make_unique<Inside>(ModelInUse{.live = &run.model()}, &run, settings);
}

Service::~Service() = default;

void Service::set_verified() { inside_->verified = true; }

HttpReply Service::answer(const HttpRequest& request) {
  try {
    HttpReply reply = inside_->route(request);
    inside_->metrics.replied(reply.status);
    return reply;
  } catch (const Refusal& refusal) {
    return {.status = refusal.status(), .body = refuse(refusal.status(), refusal.what()), .allow = refusal.allow()};
  } catch (const Error& error) {
    return {.status = 400, .body = refuse(400, error.what())};
  }
}

std::string Service::refuse(int status, const std::string& reason) {
  inside_->metrics.replied(status);
  return error_body(reason);
}

}  // namespace tesserec::serve
