// SPDX-License-Identifier: Apache-2.0
#include "input_tensor.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/schema/suggest.hpp>

namespace tesserec::serve {
namespace {

constexpr Index most_numbers = Index{1} << 40;  // of a tensor, so that no product of extents overflows

/// Throws Error unless a list has the shape of extents `from` to the last one.
void require_nested(const Json& list, const std::vector<Index>& shape, std::size_t from) {
  const std::vector<Json>& elements = list.elements();
  if (std::ssize(elements) != shape[from])
    fail("a list of dimension ", from, ", counted from 0, has ", counted(std::ssize(elements), "element"),
         ", but the shape is [", join(shape), "]; nest the lists as the shape says, or give one flat list");
  for (const Json& element : elements) {
    const bool is_list = element.kind() == Json::Kind::array;
    if (is_list != (from + 1 < shape.size()))
      fail("a list of dimension ", from, ", counted from 0, holds ", is_list ? "lists" : "values",
           ", but the shape is [", join(shape), "]; nest the lists as the shape says, or give one flat list");
    if (is_list) require_nested(element, shape, from + 1);
  }
}

/// Throws Error unless the data are one flat list, or lists that are nested as the shape says.
void require_shape(const Json& data, const std::vector<Index>& shape) {
  const auto is_list = [](const Json& element) { return element.kind() == Json::Kind::array; };
  if (std::ranges::none_of(data.elements(), is_list)) return;
  if (shape.empty()) fail("data has lists inside of its list, but the shape is []");
  require_nested(data, shape, 0);
}

/// Reads the tensor `name`.
InputTensor tensor_of(const std::string& name, const Json& json, std::string_view& binary) {
  InputTensor tensor{.name = name, .datatype = json.at("datatype").string(), .shape = {}, .bytes = {}};
  Index size = 1;
  for (const Json& extent : json.at("shape").elements()) {
    const Index n = extent.integer();
    if (n < 0 || n > most_numbers || (n > 0 && size > most_numbers / n))
      fail("the shape has the extent ", n, "; give the numbers of the data");
    tensor.shape.push_back(n);
    size *= n;
  }
  const bool is_binary = json.has("parameters") && json.at("parameters").has("binary_data_size");
  require_known(json, {"name", "datatype", "shape", "parameters", "data"});
  if (!is_binary) {
    tensor.data = &json.at("data");
    reading("data", [&] { require_shape(*tensor.data, tensor.shape); });
    return tensor;
  }
  if (json.has("data")) fail("it has data and binary_data_size; give one of them");
  const Index bytes = json.at("parameters").at("binary_data_size").integer();
  if (bytes < 0 || bytes > std::ssize(binary))
    fail("binary_data_size is ", bytes, ", but ", binary.size(), " bytes follow the JSON");
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
    reading(concat("input \"", tensor.name, "\": data"), [&] { append_numbers(*tensor.data, numbers); });
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

}  // namespace

Index InputTensor::size() const {
  Index size = 1;
  for (const Index extent : shape) size *= extent;
  return size;
}

void require_known(const Json& object, const std::vector<std::string>& keys) {
  for (const std::string& name : object.names()) {
    if (std::ranges::find(keys, name) != keys.end()) continue;
    const std::string near = schema::nearest(name, keys);
    fail("\"", name, "\" is no key here; ",
         near.empty() ? concat("the keys are ", join(keys)) : concat("did you mean \"", near, "\"?"));
  }
}

const std::vector<Json>& elements_of(const Json& request, const std::string& name) {
  const Json& list = request.at(name);
  return reading(name, [&]() -> const std::vector<Json>& { return list.elements(); });
}

Inputs inputs_of(const Json& request, std::string_view binary) {
  Inputs inputs;
  const std::vector<Json>& all = elements_of(request, "inputs");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name =
        reading(concat("input ", i, ", counted from 0"), [&] { return all[i].at("name").string(); });
    InputTensor read = reading(concat("input \"", name, '"'), [&] { return tensor_of(name, all[i], binary); });
    if (!inputs.emplace(name, std::move(read)).second) fail("the request has input \"", name, "\" twice");
  }
  if (!binary.empty()) fail(counted(std::ssize(binary), "byte"), " behind the JSON belong to no input");
  return inputs;
}

std::string unknown_input(const Inputs& inputs, const std::vector<std::string>& known,
                          const std::vector<std::string>& of_other_requests) {
  const auto has = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const auto unknown = std::ranges::find_if(
      inputs, [&](const auto& input) { return !has(known, input.first) && !has(of_other_requests, input.first); });
  if (unknown == inputs.end()) return "";
  std::vector<std::string> lacking;
  std::ranges::copy_if(known, std::back_inserter(lacking), [&](const auto& name) { return !inputs.contains(name); });
  const std::string near = schema::nearest(unknown->first, lacking);
  const std::string advice = near.empty() ? concat("it has ", join(known)) : concat("did you mean \"", near, "\"?");
  return concat(", and has input \"", unknown->first, "\", which the model does not have; ", advice);
}

std::vector<float> floats_of(InputTensor& tensor) { return numbers_of<float>(tensor); }
std::vector<Index> integers_of(InputTensor& tensor) { return numbers_of<Index>(tensor); }

std::vector<Index> given_offsets(InputTensor& given, const InputTensor& values) {
  if (values.shape.size() != 1)
    fail("input \"", values.name, "\" has shape [", join(values.shape), "]; with offsets give one dimension");
  std::vector<Index> offsets = integers_of(given);
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != values.size())
    fail("input \"", given.name, "\" must begin with 0 and end with the number of ids, ", values.size());
  return offsets;
}

void require_read(const Inputs& inputs, const std::string& names) {
  for (const auto& [name, input] : inputs)
    if (!input.is_read) fail("the model has no input \"", name, "\"; ", names);
}

}  // namespace tesserec::serve
