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
  if (!given) return otherwise;
  return reading(concat("parameter \"", name, '"'), [&] { return of.at("parameters").at(name).boolean(); });
}

/// Reads the inputs. `items`: those for one sample are shared by all samples.
void read_inputs(const scoring::ServedModel& model, bool items, Inputs& inputs, InferRequest& request) {
  SampleCount samples(items);
  const auto needed = [&](const std::string& name) -> InputTensor& {
    if (const auto found = inputs.find(name); found != inputs.end()) return found->second;
    const std::string unknown = unknown_input(inputs, id_inputs(model));
    fail("the request lacks input \"", name, '"',
         unknown.empty() ? "; GET the model's metadata for all inputs" : unknown);
  };
  if (const Index columns = model.facts().dense_features; columns > 0) {
    InputTensor& dense = needed(dense_input);
    request.dense = floats_of(dense);
    if (dense.shape.size() != 2 || dense.shape[1] != columns)
      fail("input \"", dense_input, "\" has shape [", join(dense.shape), "]; give [samples, ", columns, "]");
    request.shared_dense = samples.add(dense_input, dense.shape[0]);
  }
  for (std::size_t f = 0; f < model.features().size(); ++f) {
    const std::string& feature = model.features()[f];
    scoring::SampleBags& bags = request.sparse.emplace_back();
    InputTensor& ids = needed(feature);
    bags.ids = integers_of(ids);
    bags.offsets = offsets_of(inputs, feature, ids);
    bags.shared = samples.add(feature, std::ssize(bags.offsets) - 1);
    if (!model.weighted(f)) continue;
    bags.weights = floats_of(needed(feature + weights_ending));
    if (bags.weights.size() != bags.ids.size())
      fail("input \"", feature, weights_ending, "\" has ", counted(std::ssize(bags.weights), "number"), " for ",
           counted(std::ssize(bags.ids), "id"));
  }
  request.samples = samples.total();
}

/// Returns the names of the outputs [T].
std::vector<std::string> output_names(const scoring::ServedModel& model) {
  return model.label_count() > 1 ? model.labels() : std::vector<std::string>{"scores"};
}

/// Returns the outputs that a request names, or all of them.
std::vector<InferOutput> outputs_of(const scoring::ServedModel& model, const Json& json) {
  const bool of_all = flag(json, "binary_data_output", false);
  const std::vector<std::string> names = output_names(model);
  std::vector<InferOutput> outputs;
  if (json.has("outputs"))
    for (const Json& output : elements_of(json, "outputs")) {
      const std::string name = reading("outputs", [&] {
        require_known(output, {"name", "parameters"});
        return output.at("name").string();
      });
      const auto label = std::ranges::find(names, name) - names.begin();
      if (label == std::ssize(names))
        fail("there is no output \"", name, "\"; the model has ",
             join(names, ", ", [](const std::string& n) { return concat('"', n, '"'); }));
      if (std::ranges::count(outputs, label, &InferOutput::label) > 0)
        fail("the request names output \"", name, "\" twice; name each output once");
      outputs.push_back({label, flag(output, "binary_data", of_all)});
    }
  if (!outputs.empty()) return outputs;
  for (Index label = 0; label < std::ssize(names); ++label) outputs.push_back({label, of_all});
  return outputs;
}

Json tensor(const std::string& name, const char* datatype, const std::vector<Index>& shape) {
  return Json::object().set("name", name).set("datatype", datatype).set("shape", shape);
}

}  // namespace

InferRequest parse_infer(const scoring::ServedModel& model, const std::string& body, Index json_bytes) {
  const Json json = parse_json(body.substr(0, std::size_t(json_bytes)));
  std::string_view binary = std::string_view(body).substr(std::size_t(json_bytes));
  require_known(json, {"id", "parameters", "inputs", "outputs"});
  InferRequest request;
  if (json.has("id")) request.id = reading("id", [&] { return json.at("id").string(); });
  request.outputs = outputs_of(model, json);
  Inputs inputs = inputs_of(json, binary);
  const bool items = flag(json, "items_of_one_user", false);
  if (const InputTensor* const cause = raw_input(model, inputs)) {
    read_raw(model, *cause, items, inputs, request);
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
  for (const std::string& output : output_names(model)) outputs.add(tensor(output, "FP32", {-1}));
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
  const std::vector<std::string> names = output_names(model);
  const Index labels = std::ssize(names), bytes = request.samples * Index(sizeof(float));
  std::string binary;
  Json outputs = Json::array();
  for (const InferOutput& wanted : request.outputs) {
    Json output = tensor(names[std::size_t(wanted.label)], "FP32", {request.samples});
    Json data = Json::array();
    for (Index i = wanted.label; i < std::ssize(scores); i += labels) {
      if (wanted.binary)
        binary.append(reinterpret_cast<const char*>(&scores[std::size_t(i)]), sizeof(float));
      else
        data.add(double(scores[std::size_t(i)]));
    }
    if (wanted.binary)
      output.set("parameters", Json::object().set("binary_data_size", bytes));
    else
      output.set("data", std::move(data));
    outputs.add(std::move(output));
  }
  const scoring::TrainedFacts& facts = model.facts();
  Json json = Json::object().set("model_name", name).set("model_version", std::to_string(facts.step));
  json.set("parameters", Json::object().set("step", facts.step).set("digest", facts.seal));
  if (!request.id.empty()) json.set("id", request.id);
  InferReply reply{json.set("outputs", std::move(outputs)).text()};
  const bool has_bytes = std::ranges::any_of(request.outputs, &InferOutput::binary);
  if (!has_bytes) return reply;
  reply.json_bytes = std::ssize(reply.body);
  reply.body += binary;
  return reply;
}

}  // namespace tesserec::serve
