// SPDX-License-Identifier: Apache-2.0
/// Input tensors of a request.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/core/json.hpp>

namespace tesserec::serve {

/// Reads a part of a request, `place`, and returns what read() does, which may be a reference. Puts the place before
/// the message of its Error.
template <class Read>
std::invoke_result_t<Read> reading(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    fail(place, ": ", error.what());
  }
}

/// Input tensor of a request, valid as long as its body.
struct InputTensor {
  std::string name, datatype;
  std::vector<Index> shape;
  const Json* data = nullptr;  ///< values as JSON, or null
  std::string_view bytes;      ///< values as bytes, little endian, without JSON
  bool is_read = false;        ///< true once a function below has read it

  /// Returns the number of values.
  Index size() const;
};

/// Inputs of a request by name.
using Inputs = std::map<std::string, InputTensor>;

/// Throws Error if an object of a request has a key that is not among `keys`.
void require_known(const Json& object, const std::vector<std::string>& keys);

/// Returns the elements of a list of a request. Throws Error that names it if it is missing or no list.
const std::vector<Json>& elements_of(const Json& request, const std::string& name);
/// Reads the inputs of a request; `binary`: what follows its JSON. Throws Error for a damaged one, and for bytes that
/// belong to none.
Inputs inputs_of(const Json& request, std::string_view binary);
/// Describes the first input that is not one of the model's `known` ones, with the lacking one that it may stand for;
/// "" if there is none. Inputs that belong to requests of another kind are no such ones.
std::string unknown_input(const Inputs& inputs, const std::vector<std::string>& known,
                          const std::vector<std::string>& of_other_requests = {});
/// Reads the floats of a tensor FP32, or the integers of a tensor INT64 or INT32. Throws Error for another type or
/// size.
std::vector<float> floats_of(InputTensor& tensor);
std::vector<Index> integers_of(InputTensor& tensor);
/// Returns offsets that a request gives for an input of one dimension. Throws Error unless they end with its values.
std::vector<Index> given_offsets(InputTensor& offsets, const InputTensor& values);
/// Throws Error for an input that was not read; `names`: those that the model has.
void require_read(const Inputs& inputs, const std::string& names);

}  // namespace tesserec::serve
