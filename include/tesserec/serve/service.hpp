// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <tesserec/scoring/run_follower.hpp>
#include <tesserec/scoring/served_model.hpp>
#include <tesserec/serve/settings.hpp>

namespace tesserec::serve {

/// Receiver of a body's pieces, which returns whether it wants more.
using TakePiece = std::function<bool(std::string_view piece)>;

/// Request whose body the server has not read yet.
struct HttpRequest {
  std::string method;  ///< "GET", "POST", ...
  std::string path;    ///< without the query
  /// Reads the body, and returns whether all of it was taken. Called at most once. Unset = no body.
  std::function<bool(const TakePiece& take)> read_body = {};
  std::string json_bytes = {};     ///< header Inference-Header-Content-Length; empty without it
  std::string authorization = {};  ///< header Authorization; empty without it
};

/// Answer to a request.
struct HttpReply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::string json_bytes = {};  ///< header Inference-Header-Content-Length; empty = none
  std::string allow = {};       ///< header Allow of a reply 405; else empty
};

/// Answers of the Open Inference Protocol, version 2, about one model, and its metrics. Threads may call it at once.
class Service {
 public:
  /// Takes the model, which must outlive the service. Throws Error if a feature's name is one of the protocol's inputs.
  Service(const scoring::ServedModel& model, const ServerSettings& settings);
  /// Takes the model of a run. Each request is scored with one state, which its reply names, while the run's poll()
  /// takes newer ones.
  Service(scoring::RunFollower& run, const ServerSettings& settings);
  ~Service();

  /// Answers a request. Reads its body if it bears the token and the server is not full. A request that is wrong or too
  /// much gets a reply with the reason; only memory that runs out throws.
  HttpReply answer(const HttpRequest& request);
  /// Counts a reply that answer() did not make, such as that to bytes that are no HTTP, and returns its body.
  std::string refuse(int status, const std::string& reason);
  /// Sets the metric that says that all rows were compared with their checksums.
  void set_verified();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tesserec::serve
