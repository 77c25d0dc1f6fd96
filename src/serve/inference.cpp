// SPDX-License-Identifier: Apache-2.0
#include "inference.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <optional>

#include <tesserec/core/text.hpp>

namespace tesserec::serve {
namespace {

/// Input tensor of a request.
struct InputTensor {
  std::string name, datatype;
  std::vector<Index> shape;
  const Json* data = nullptr;  // numbers as JSON, or
  std::string_view bytes;      // as bytes, little endian
  bool is_read = false;

  Index size() const {
    Index size = 1;
    for (const Index extent : shape) size *= extent;
    return size;
  }
};

constexpr Index most_numbers = Index{1} << 40;  // of a tensor, so that no product of extents overflows

InputTensor tensor_of(const Json& json, std::string_view& binary) {
  InputTensor tensor{
      .name = json.at("name").string(), .datatype = json.at("datatype").string(), .shape = {}, .bytes = {}};
  Index size = 1;
  for (const Json& extent : json.at("shape").elements()) {
    const Index n = extent.integer();
    if (n < 0 || n > most_numbers || (n > 0 && size > most_numbers / n))
      fail("input \"", tensor.name, "\": the shape has the extent ", n, "; give the numbers of the data");
    tensor.shape.push_back(n);
    size *= n;
  }
  const bool is_binary = json.has("parameters") && json.at("parameters").has("binary_data_size");
  if (!is_binary) {
    tensor.data = &json.at("data");
    return tensor;
  }
  const Index bytes = json.at("parameters").at("binary_data_size").integer();
  if (bytes < 0 || bytes > std::ssize(binary))
    fail("input \"", tensor.name, "\": binary_data_size is ", bytes, ", but ", binary.size(), " bytes follow the JSON");
  tensor.bytes = binary.substr(0, std::size_t(bytes));
  binary.remove_prefix(std::size_t(bytes));
  return tensor;
}

/// Appends the numbers of a nested or flat list.
template <class T>
void append_numbers(const Json& list, std::vector<T>& to) {
  for (const Json& element : list.elements()) {
    if (element.kind() == Json::Kind::array)
      append_numbers(element, to);
    else if constexpr (std::is_same_v<T, float>)
      to.push_back(float(element.number()));
    else
      to.push_back(element.integer());
  }
}

/// Numbers of bytes of type From.
template <class From, class T>
void append_bytes(std::string_view bytes, std::vector<T>& to) {
  to.resize(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < to.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    to[i] = T(value);
  }
}

/// Reads a tensor's numbers: floats of FP32, or integers of INT64 or INT32. Throws Error for another type or size.
template <class T>
std::vector<T> numbers_of(InputTensor& tensor) {
  constexpr bool floats = std::is_same_v<T, float>;
  const bool fits = floats ? tensor.datatype == "FP32" : tensor.datatype == "INT64" || tensor.datatype == "INT32";
  if (!fits)
    fail("input \"", tensor.name, "\" has datatype \"", tensor.datatype, "\"; give ",
         floats ? "FP32" : "INT64 or INT32");
  tensor.is_read = true;
  std::vector<T> numbers;
  if (tensor.data != nullptr) {
    try {
      append_numbers(*tensor.data, numbers);
    } catch (const Error& error) {
      fail("input \"", tensor.name, "\": data: ", error.what());
    }
  } else if (const std::size_t size = tensor.datatype == "INT64" ? 8 : 4; tensor.bytes.size() % size != 0) {
    fail("input \"", tensor.name, "\" has ", counted(std::ssize(tensor.bytes), "byte"), ", which is no multiple of ",
         size, " (binary_data_size)");
  } else if constexpr (floats) {
    append_bytes<float>(tensor.bytes, numbers);
  } else if (tensor.datatype == "INT64") {
    append_bytes<std::int64_t>(tensor.bytes, numbers);
  } else {
    append_bytes<std::int32_t>(tensor.bytes, numbers);
  }
  if (std::ssize(numbers) != tensor.size())
    fail("input \"", tensor.name, "\" has ", counted(std::ssize(numbers), "number"), ", but its shape [",
         join(tensor.shape), "] has ", tensor.size());
  return numbers;
}

using Inputs = std::map<std::string, InputTensor>;

InputTensor& needed(Inputs& inputs, const std::string& name) {
  const auto found = inputs.find(name);
  if (found == inputs.end()) fail("the request lacks input \"", name, "\"; GET the model's metadata for all inputs");
  return found->second;
}

/// Returns the offsets of a feature: those that the request gives, or bags of equal length by the shape.
std::vector<Index> offsets_of(Inputs& inputs, const std::string& feature, const InputTensor& ids) {
  std::vector<Index> offsets;
  if (const auto given = inputs.find(feature + offsets_ending); given != inputs.end()) {
    if (ids.shape.size() != 1)
      fail("input \"", feature, "\" has shape [", join(ids.shape), "]; with offsets give one dimension");
    offsets = numbers_of<Index>(given->second);
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != ids.size())
      fail("input \"", feature, offsets_ending, "\" must begin with 0 and end with the number of ids, ", ids.size());
    return offsets;
  }
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
  std::optional<Index> samples;
  bool any_shared = false;
  const auto agree = [&](const std::string& name, Index count) {
    if (items && count == 1) return any_shared = true;
    if (samples.value_or(count) != count)
      fail("input \"", name, "\" is for ", counted(count, "sample"), ", but the inputs before are for ", *samples);
    samples = count;
    return false;
  };
  if (const Index columns = model.facts().dense_features; columns > 0) {
    InputTensor& dense = needed(inputs, dense_input);
    request.dense = numbers_of<float>(dense);
    if (dense.shape.size() != 2 || dense.shape[1] != columns)
      fail("input \"", dense_input, "\" has shape [", join(dense.shape), "]; give [samples, ", columns, "]");
    request.shared_dense = agree(dense_input, dense.shape[0]);
  }
  for (std::size_t f = 0; f < model.features().size(); ++f) {
    const std::string& feature = model.features()[f];
    InferRequest::InputBags& bags = request.sparse.emplace_back();
    InputTensor& ids = needed(inputs, feature);
    bags.ids = numbers_of<Index>(ids);
    bags.offsets = offsets_of(inputs, feature, ids);
    bags.shared = agree(feature, std::ssize(bags.offsets) - 1);
    if (!model.weighted(f)) continue;
    bags.weights = numbers_of<float>(needed(inputs, feature + weights_ending));
    if (bags.weights.size() != bags.ids.size())
      fail("input \"", feature, weights_ending, "\" has ", counted(std::ssize(bags.weights), "number"), " for ",
           counted(std::ssize(bags.ids), "id"));
  }
  request.samples = samples.value_or(any_shared ? 1 : 0);
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

std::vector<scoring::ScoredBags> InferRequest::bags() const {
  std::vector<scoring::ScoredBags> all;
  for (const InputBags& feature : sparse)
    all.push_back({.offsets = feature.offsets.data(),
                   .ids = feature.ids.data(),
                   .weights = feature.weights.empty() ? nullptr : feature.weights.data(),
                   .shared = feature.shared});
  return all;
}

InferRequest parse_infer(const scoring::ServedModel& model, const std::string& body, Index json_bytes) {
  const Json json = parse_json(body.substr(0, std::size_t(json_bytes)));
  std::string_view binary = std::string_view(body).substr(std::size_t(json_bytes));
  InferRequest request;
  if (json.has("id")) request.id = json.at("id").string();
  request.binary_scores = wants_binary(json);
  Inputs inputs;
  for (const Json& input : json.at("inputs").elements()) {
    InputTensor read = tensor_of(input, binary);
    const std::string name = read.name;
    if (!inputs.emplace(name, std::move(read)).second) fail("the request has input \"", name, "\" twice");
  }
  if (!binary.empty()) fail(counted(std::ssize(binary), "byte"), " behind the JSON belong to no input");
  read_inputs(model, flag(json, "items_of_one_user", false), inputs, request);
  for (const auto& [name, input] : inputs)
    if (!input.is_read) fail("the model has no input \"", name, "\"; its features are ", join(model.features()));
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
  return Json::object()
      .set("name", name)
      .set("versions", std::vector<std::string>{std::to_string(model.facts().step)})
      .set("platform", "tesserec")
      .set("inputs", inputs)
      .set("outputs", outputs);
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
