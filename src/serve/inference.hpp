// SPDX-License-Identifier: Apache-2.0
/// Requests and replies of the Open Inference Protocol, version 2.
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>

namespace tesserec::serve {

/// Name of the input with the dense features, and of the output.
inline constexpr const char *dense_input = "dense", *scores_output = "scores";
/// Endings of the inputs that a feature has besides its ids.
inline constexpr const char *offsets_ending = ".offsets", *weights_ending = ".weights";

/// Samples of a request, in memory of its own.
struct InferRequest {
  std::string id;
  Index samples = 0;
  std::vector<float> dense;  ///< [samples, dense features], or one row if shared
  bool shared_dense = false;
  struct InputBags {
    std::vector<Index> offsets, ids;
    std::vector<float> weights;
    bool shared = false;  ///< one bag, which all samples have
  };
  std::vector<InputBags> sparse;  ///< in the order of ServedModel::features()
  bool binary_scores = false;     ///< scores as bytes behind the reply's JSON

  /// Returns the features as a context reads them, valid while this object does not change.
  std::vector<scoring::ScoredBags> bags() const;
};

/// Parses a body whose first `json_bytes` bytes are JSON; the tensors that it calls binary follow. Throws Error with
/// the reason if the request does not fit the model.
InferRequest parse_infer(const scoring::ServedModel& model, const std::string& body, Index json_bytes);

/// Describes the model's inputs and output.
Json model_metadata(const scoring::ServedModel& model, const std::string& name);

/// Body of a reply with scores. `json_bytes`: size of its JSON if bytes follow, else 0.
struct InferReply {
  std::string body;
  Index json_bytes = 0;
};
InferReply infer_reply(const scoring::ServedModel& model, const std::string& name, const InferRequest& request,
                       const std::vector<float>& scores);

}  // namespace tesserec::serve
