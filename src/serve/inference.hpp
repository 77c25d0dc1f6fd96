// SPDX-License-Identifier: Apache-2.0
/// Requests and replies of the Open Inference Protocol, version 2.
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/scoring/owned_samples.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec::serve {

/// Name of the input with the dense features.
inline constexpr const char* dense_input = "dense";
/// Endings of the inputs that a feature has besides its ids.
inline constexpr const char *offsets_ending = ".offsets", *weights_ending = ".weights";

/// Output of a reply: the scores of one label.
struct InferOutput {
  Index label = 0;
  bool binary = false;  ///< as bytes behind the reply's JSON
};

/// Samples of a request.
struct InferRequest : scoring::OwnedSamples {
  std::string id = {};
  std::vector<InferOutput> outputs = {};
  scoring::RawCounts counts = {};  ///< of raw values; empty if the request gave ids
};

/// Parses a body whose first `json_bytes` bytes are JSON; the tensors that it calls binary follow. Throws Error with
/// the reason if the request does not fit the model.
InferRequest parse_infer(const scoring::ServedModel& model, const std::string& body, Index json_bytes);

/// Describes the model's inputs and outputs: "scores", or an output for each of several labels, of its name.
Json model_metadata(const scoring::ServedModel& model, const std::string& name);

/// Body of a reply with scores. `json_bytes`: size of its JSON if bytes follow, else 0.
struct InferReply {
  std::string body;
  Index json_bytes = 0;
};
/// Makes the reply of the outputs that the request asks for. `scores` [samples, T] of T labels.
InferReply infer_reply(const scoring::ServedModel& model, const std::string& name, const InferRequest& request,
                       const std::vector<float>& scores);

}  // namespace tesserec::serve
