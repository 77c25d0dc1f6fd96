// SPDX-License-Identifier: Apache-2.0
#include "inference.hpp"

#include <algorithm>

#include "raw_request.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::serve {
namespace {

/// Returns the offsets of a feature: those that the request gives, or bags of equal length by the shape.
std::vector<Index> offsets_of(Inputs& inputs, const std::string& feature, const InputTensor& ids) {
  std::vector<Index> offsets;
  if (const auto given = inputs.find(feature + offsets_ending); given != inputs.end())
    return given_offsets(given->second, ids);
  if (ids.shape.empty() || ids.shape.size() > 2)
    fail("input \"", feature, "\" has shape [", join(ids.shape), "]; give [samples], [samples, ids], or offsets");
  if (ids.shape.size() == 2 && ids.shape[1] == 0)
    fail("input \"", feature, "\" has shape [", join(ids.shape), "]; give offsets where samples have no ids");
  const Index samples = ids.shape[0], each = ids.shape.size() == 2 ? ids.shape[1] : 1;
  for (Index s = 0; s <= samples; ++s) offsets.push_back(s * each);
  return offsets;
}

/// Returns parameter `name`, true or false, of a request or of a tensor.
bool flag(const Json& of, const char* name, bool otherwise) {
  const bool given = of.has("parameters") && of.at("parameters").has(name);
  return given ? of.at("parameters").at(name).boolean() : otherwise;
}

/// Reads the inputs. `items`: those for one sample are shared by all samples.
void read_inputs(const scoring::ServedModel& model, bool items, Inputs& inputs, InferRequest& request) {
  SampleCount samples(items);
  if (const Index columns = model.facts().dense_features; columns > 0) {
    InputTensor& dense = needed(inputs, dense_input);
    request.dense = floats_of(dense);
    if (dense.shape.size() != 2 || dense.shape[1] != columns)
      fail("input \"", dense_input, "\" has shape [", join(dense.shape), "]; give [samples, ", columns, "]");
    request.shared_dense = samples.add(dense_input, dense.shape[0]);
  }
  for (std::size_t f = 0; f < model.features().size(); ++f) {
    const std::string& feature = model.features()[f];
    scoring::SampleBags& bags = request.sparse.emplace_back();
    InputTensor& ids = needed(inputs, feature);
    bags.ids = integers_of(ids);
    bags.offsets = offsets_of(inputs, feature, ids);
    bags.shared = samples.add(feature, std::ssize(bags.offsets) - 1);
    if (!model.weighted(f)) continue;
    bags.weights = floats_of(needed(inputs, feature + weights_ending));
    if (bags.weights.size() != bags.ids.size())
      fail("input \"", feature, weights_ending, "\" has ", counted(std::ssize(bags.weights), "number"), " for ",
           counted(std::ssize(bags.ids), "id"));
  }
  request.samples = samples.total();
}

bool wants_binary(const Json& json) {
  const bool of_all = flag(json, "binary_data_output", false);
  if (!json.has("outputs")) return of_all;
  bool binary = false;
  for (const Json& output : json.at("outputs").elements()) {
    if (output.at("name").string() != scores_output)
      fail("there is no output \"", output.at("name").string(), "\"; the model has \"", scores_output, '"');
    binary = binary || flag(output, "binary_data", of_all);
  }
  return binary;
}

Json tensor(const std::string& name, const char* datatype, const std::vector<Index>& shape) {
  return Json::object().set("name", name).set("datatype", datatype).set("shape", shape);
}

}  // namespace

InferRequest parse_infer(const scoring::ServedModel& model, const std::string& body, Index json_bytes) {
  const Json json = parse_json(body.substr(0, std::size_t(json_bytes)));
  std::string_view binary = std::string_view(body).substr(std::size_t(json_bytes));
  InferRequest request;
  if (json.has("id")) request.id = json.at("id").string();
  request.binary_scores = wants_binary(json);
  Inputs inputs = inputs_of(json, binary);
  const bool items = flag(json, "items_of_one_user", false);
  if (is_raw(model, inputs)) {
    read_raw(*model.raw(), items, inputs, request);
    return request;
  }
  read_inputs(model, items, inputs, request);
  require_read(inputs, "its features are " + join(model.features()));
  return request;
}

Json model_metadata(const scoring::ServedModel& model, const std::string& name) {
  Json inputs = Json::array(), outputs = Json::array();
  if (model.facts().dense_features > 0) inputs.add(tensor(dense_input, "FP32", {-1, model.facts().dense_features}));
  for (std::size_t f = 0; f < model.features().size(); ++f) {
    const std::string& feature = model.features()[f];
    inputs.add(tensor(feature, "INT64", {-1}));
    inputs.add(tensor(feature + offsets_ending, "INT64", {-1}));
    if (model.weighted(f)) inputs.add(tensor(feature + weights_ending, "FP32", {-1}));
  }
  outputs.add(tensor(scores_output, "FP32", {-1}));
  Json json = Json::object()
                  .set("name", name)
                  .set("versions", std::vector<std::string>{std::to_string(model.facts().step)})
                  .set("platform", "tesserec")
                  .set("inputs", inputs)
                  .set("outputs", outputs);
  if (model.raw() != nullptr) json.set("raw_inputs", raw_metadata(*model.raw()));
  return json;
}

InferReply infer_reply(const scoring::ServedModel& model, const std::string& name, const InferRequest& request,
                       const std::vector<float>& scores) {
  Json output = tensor(scores_output, "FP32", {request.samples});
  const auto bytes = Index(scores.size() * sizeof(float));
  if (request.binary_scores) {
    output.set("parameters", Json::object().set("binary_data_size", bytes));
  } else {
    Json data = Json::array();
    for (const float score : scores) data.add(double(score));
    output.set("data", std::move(data));
  }
  Json outputs = Json::array();
  outputs.add(std::move(output));
  const scoring::TrainedFacts& facts = model.facts();
  Json json = Json::object().set("model_name", name).set("model_version", std::to_string(facts.step));
  json.set("parameters", Json::object().set("step", facts.step).set("digest", facts.seal));
  if (!request.id.empty()) json.set("id", request.id);
  InferReply reply{json.set("outputs", std::move(outputs)).text()};
  if (!request.binary_scores) return reply;
  reply.json_bytes = std::ssize(reply.body);
  reply.body.append(reinterpret_cast<const char*>(scores.data()), std::size_t(bytes));
  return reply;
}

}  // namespace tesserec::serve
