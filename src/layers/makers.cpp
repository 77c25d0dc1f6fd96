// SPDX-License-Identifier: Apache-2.0
#include "makers.hpp"

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {

Index one_width(const char* layer, const InputShapes& inputs) {
  if (inputs.size() != 1) fail(layer, " takes one input, but has ", inputs.size(), "; concatenate them with a cat");
  return inputs[0].width();
}

Index same_width(const char* layer, const InputShapes& inputs, std::size_t count) {
  if (inputs.empty()) fail(layer, " has at least one input");
  if (count == 2 && inputs.size() != 2) fail(layer, " takes two inputs, but has ", inputs.size());
  for (const InputShape& input : inputs)
    if (input.width() != inputs[0].width())
      fail("the inputs of ", layer, " must have one width, but ", inputs[0].name(), " has ",
           counted(inputs[0].width(), "number"), " and ", input.name(), " has ", input.width());
  return inputs[0].width();
}

Index total_width(const char* layer, const InputShapes& inputs) {
  if (inputs.empty()) fail(layer, " has at least one input");
  Index width = 0;
  for (const InputShape& input : inputs) width += input.width();
  return width;
}

}  // namespace tesserec::layers
