// SPDX-License-Identifier: Apache-2.0
/// Requests that give raw values by the names of columns, instead of ids and transformed numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inference.hpp"
#include "input_tensor.hpp"

namespace tesserec::serve {

/// Number of samples of a request, on which its inputs must agree.
class SampleCount {
 public:
  /// `items`: inputs for one sample are shared by all samples.
  explicit SampleCount(bool items) : items_(items) {}
  /// Adds an input for `count` samples. Returns whether all samples share it. Throws Error if inputs differ.
  bool add(const std::string& name, Index count);
  /// Returns the samples.
  Index total() const { return count_.value_or(any_shared_ ? 1 : 0); }

 private:
  bool items_;
  bool any_shared_ = false;
  std::optional<Index> count_;
};

/// Lists a model's inputs of ids and transformed numbers.
std::vector<std::string> id_inputs(const scoring::ServedModel& model);
/// Returns an input by which a request gives raw values, not ids: a text, a column that is no feature, or floats of a
/// column with buckets. Returns null if there is none. Throws Error if the model takes no raw values.
const InputTensor* raw_input(const scoring::ServedModel& model, const Inputs& inputs);
/// Reads and encodes raw values; `cause`: the raw_input(). Throws Error that names input, sample and text for a value
/// that does not fit.
void read_raw(const scoring::ServedModel& model, const InputTensor& cause, bool items, Inputs& inputs,
              InferRequest& request);
/// Describes the columns of raw values.
Json raw_metadata(const scoring::RawInputs& raw);

}  // namespace tesserec::serve
