// SPDX-License-Identifier: Apache-2.0
#include "raw_request.hpp"

#include <algorithm>
#include <cstring>

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::serve {
namespace {

using scoring::RawColumn;

constexpr const char* raw_datatype = "BYTES";

/// Texts of a column in one array.
struct SampleTexts {
  std::string bytes;
  std::vector<Index> offsets;  ///< [samples + 1]
};

/// Calls take(text) for each value of a nested or flat list.
template <class Take>
void each_json(const Json& list, const std::string& datatype, const Take& take) {
  for (const Json& element : list.elements()) {
    if (element.kind() == Json::Kind::array)
      each_json(element, datatype, take);
    else if (datatype == raw_datatype)
      take(element.string());
    else if (datatype == "FP32")
      take(raw::number_text(float(element.number())));
    else if (datatype == "FP64")
      take(raw::number_text(element.number()));
    else
      take(std::to_string(element.integer()));
  }
}

template <class Number, class Take>
void each_number(const InputTensor& tensor, const Take& take) {
  if (tensor.bytes.size() % sizeof(Number) != 0)
    fail("input \"", tensor.name, "\" has ", counted(std::ssize(tensor.bytes), "byte"), ", which is no multiple of ",
         sizeof(Number), " (binary_data_size)");
  for (std::size_t at = 0; at < tensor.bytes.size(); at += sizeof(Number)) {
    Number number;
    std::memcpy(&number, tensor.bytes.data() + at, sizeof number);
    if constexpr (std::is_floating_point_v<Number>)
      take(raw::number_text(number));
    else
      take(std::to_string(number));
  }
}

/// Calls take(text) for each text of a tensor BYTES: its length in 4 bytes, then its bytes.
template <class Take>
void each_text(const InputTensor& tensor, const Take& take) {
  for (std::string_view rest = tensor.bytes; !rest.empty();) {
    std::uint32_t size = 0;
    if (rest.size() >= sizeof size) std::memcpy(&size, rest.data(), sizeof size);
    if (rest.size() < sizeof size || rest.size() - sizeof size < size)
      fail("input \"", tensor.name, "\": its bytes end inside of a text; each has its length in 4 bytes before it");
    take(rest.substr(sizeof size, size));
    rest.remove_prefix(sizeof size + size);
  }
}

template <class Take>
void each_value(const InputTensor& tensor, const Take& take) {
  if (tensor.data != nullptr) {
    reading(concat("input \"", tensor.name, "\": data"), [&] { each_json(*tensor.data, tensor.datatype, take); });
  } else if (tensor.datatype == raw_datatype) {
    each_text(tensor, take);
  } else if (tensor.datatype == "FP32") {
    each_number<float>(tensor, take);
  } else if (tensor.datatype == "FP64") {
    each_number<double>(tensor, take);
  } else if (tensor.datatype == "INT64") {
    each_number<std::int64_t>(tensor, take);
  } else {
    each_number<std::int32_t>(tensor, take);
  }
}

bool is_float(const InputTensor& tensor) { return tensor.datatype == "FP32" || tensor.datatype == "FP64"; }

/// Throws Error unless a column takes values of the tensor's type.
void require_datatype(const InputTensor& tensor, const RawColumn& column) {
  const bool takes_numbers = column.numbers || column.kind == raw::ColumnKind::time;
  const bool is_bucket = column.kind == raw::ColumnKind::category;  // INT64 would be ids of its feature
  const bool is_number = is_float(tensor) || (!is_bucket && (tensor.datatype == "INT64" || tensor.datatype == "INT32"));
  if (tensor.datatype == raw_datatype || (is_number && takes_numbers)) return;
  if (takes_numbers)
    fail("input \"", tensor.name, "\" has datatype \"", tensor.datatype, "\"; give BYTES, FP32",
         is_bucket ? " or FP64, for whole numbers are ids of its feature" : ", FP64, INT64 or INT32");
  fail("input \"", tensor.name, "\" has datatype \"", tensor.datatype,
       "\", but the request has raw values; give its texts as BYTES, for raw values and ids are not mixed");
}

/// Reads the values of a tensor, one text each.
SampleTexts read_values(const InputTensor& tensor) {
  SampleTexts values{.bytes = {}, .offsets = {0}};
  each_value(tensor, [&](std::string_view text) {
    values.bytes += text;
    values.offsets.push_back(std::ssize(values.bytes));
  });
  if (const Index found = std::ssize(values.offsets) - 1; found != tensor.size())
    fail("input \"", tensor.name, "\" has ", counted(found, "value"), ", but its shape [", join(tensor.shape), "] has ",
         tensor.size());
  return values;
}

/// Joins the values of each sample by the separator of their column; a sample without values is missing. `ends`: values
/// up to each sample [samples + 1].
SampleTexts join_values(const RawColumn& column, const SampleTexts& values, const std::vector<Index>& ends) {
  const std::string &name = column.name, &separator = column.separator;
  SampleTexts texts{.bytes = {}, .offsets = {0}};
  for (std::size_t s = 0; s + 1 < ends.size(); ++s) {
    for (Index v = ends[s]; v < ends[s + 1]; ++v) {
      const std::string_view text =
          std::string_view(values.bytes)
              .substr(std::size_t(values.offsets[v]), std::size_t(values.offsets[v + 1] - values.offsets[v]));
      if (text.find(separator[0]) != std::string_view::npos)
        fail("input \"", name, "\", sample ", s, ": ", shown(text), " has the separator ", shown(separator),
             " of its column; give its values one by one");
      if (v > ends[s]) texts.bytes += separator;
      texts.bytes += text;
    }
    if (std::ssize(texts.bytes) == texts.offsets.back()) texts.bytes += column.missing;  // as a list of a Parquet file
    texts.offsets.push_back(std::ssize(texts.bytes));
  }
  return texts;
}

/// Lists the inputs of raw values.
std::vector<std::string> raw_names(const scoring::RawInputs& raw) {
  std::vector<std::string> names;
  for (const RawColumn& column : raw.columns()) {
    names.push_back(column.name);
    if (!column.separator.empty()) names.push_back(column.name + offsets_ending);
  }
  return names;
}

/// Throws Error for a column that the request lacks, which names an input that the model does not have either way.
void require_column(const scoring::ServedModel& model, const Inputs& inputs, const std::string& column) {
  if (inputs.contains(column)) return;
  const std::string unknown = unknown_input(inputs, raw_names(*model.raw()), id_inputs(model));
  if (!unknown.empty()) fail("the request lacks input \"", column, '"', unknown);
}

SampleTexts read_column(Inputs& inputs, const RawColumn& column, const InputTensor& cause) {
  if (inputs.count(column.name) == 0)
    fail("the request lacks input \"", column.name, "\", for input \"", cause.name, "\" of datatype \"", cause.datatype,
         "\" says that it gives raw values; give all raw inputs, or ids as INT64 or INT32");
  InputTensor& tensor = inputs.at(column.name);
  tensor.is_read = true;
  require_datatype(tensor, column);
  SampleTexts values = read_values(tensor);  // before any memory for samples, whose number a wrong shape makes up
  const bool is_list = !column.separator.empty();
  if (const auto offsets = inputs.find(tensor.name + offsets_ending); is_list && offsets != inputs.end()) {
    const std::vector<Index> ends = given_offsets(offsets->second, tensor);
    if (!std::ranges::is_sorted(ends)) fail("input \"", offsets->first, "\" decreases; offsets must not");
    return join_values(column, values, ends);
  }
  const std::vector<Index>& shape = tensor.shape;
  if (shape.size() == 1 || (shape.size() == 2 && shape[1] == 1)) return values;
  if (shape.size() != 2 || !is_list || shape[1] == 0)
    fail("input \"", tensor.name, "\" has shape [", join(shape), "]; give ",
         is_list ? "[samples], [samples, values], or offsets" : "[samples], since a sample has one value");
  std::vector<Index> ends;
  for (Index s = 0; s <= shape[0]; ++s) ends.push_back(s * shape[1]);
  return join_values(column, values, ends);
}

}  // namespace

bool SampleCount::add(const std::string& name, Index count) {
  if (items_ && count == 1) return any_shared_ = true;
  if (count_.value_or(count) != count)
    fail("input \"", name, "\" is for ", counted(count, "sample"), ", but the inputs before are for ", *count_);
  count_ = count;
  return false;
}

std::vector<std::string> id_inputs(const scoring::ServedModel& model) {
  std::vector<std::string> names;
  if (model.facts().dense_features > 0) names.push_back(dense_input);
  for (std::size_t f = 0; f < model.features().size(); ++f) {
    const std::string& feature = model.features()[f];
    names.insert(names.end(), {feature, feature + offsets_ending});
    if (model.weighted(f)) names.push_back(feature + weights_ending);
  }
  return names;
}

const InputTensor* raw_input(const scoring::ServedModel& model, const Inputs& inputs) {
  const auto is_of_ids = [&](const std::string& name) {
    return (name == dense_input && model.facts().dense_features > 0) ||
           std::ranges::any_of(model.features(), [&](const std::string& feature) {
             if (!name.starts_with(feature)) return false;
             const std::string_view ending = std::string_view(name).substr(feature.size());
             return ending.empty() || ending == offsets_ending || ending == weights_ending;
           });
  };
  const bool has_dense = model.facts().dense_features > 0 && inputs.count(dense_input) != 0;
  for (const auto& [name, input] : inputs) {
    const bool is_text = input.datatype == raw_datatype;
    if (is_text && model.raw() == nullptr)
      fail("input \"", name, "\" has texts, but the model takes no raw values: ", model.no_raw());
    if (is_text) return &input;
    if (model.raw() == nullptr) continue;
    const auto column = std::ranges::find(model.raw()->columns(), name, &RawColumn::name);
    if (column == model.raw()->columns().end()) continue;
    // Numbers of a feature are ids, but floats of a column with buckets are raw values, unless `dense` comes with ids.
    const bool is_bucket = column->kind == raw::ColumnKind::category && column->numbers;
    if (!is_of_ids(name) || (is_bucket && is_float(input) && !has_dense)) return &input;
  }
  return nullptr;
}

void read_raw(const scoring::ServedModel& model, const InputTensor& cause, bool items, Inputs& inputs,
              InferRequest& request) {
  const scoring::RawInputs& raw = *model.raw();
  SampleCount samples(items);
  std::vector<SampleTexts> texts;
  std::vector<scoring::RawTexts> columns;
  for (const RawColumn& column : raw.columns()) {
    require_column(model, inputs, column.name);
    texts.push_back(read_column(inputs, column, cause));
  }
  require_read(inputs, "its raw inputs are " + join(raw.columns(), ", ", [](const RawColumn& c) { return c.name; }));
  for (std::size_t c = 0; c < texts.size(); ++c)
    columns.push_back({.bytes = texts[c].bytes.data(),
                       .offsets = texts[c].offsets.data(),
                       .shared = samples.add(raw.columns()[c].name, std::ssize(texts[c].offsets) - 1)});
  raw.encode(samples.total(), columns, request, request.counts);
}

Json raw_metadata(const scoring::RawInputs& raw) {
  Json inputs = Json::array();
  for (const RawColumn& column : raw.columns()) {
    Json input = Json::object().set("name", column.name).set("datatype", raw_datatype);
    input.set("shape", std::vector<Index>{-1});
    input.set("kind", raw::kind_name(column.kind));
    if (!column.separator.empty()) input.set("separator", column.separator);
    inputs.add(std::move(input));
  }
  return inputs;
}

}  // namespace tesserec::serve
