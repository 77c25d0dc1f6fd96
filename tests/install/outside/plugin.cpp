// SPDX-License-Identifier: Apache-2.0
// A plugin of another program, which uses the library.
#include <tesserec/train/model_state.hpp>

extern "C" bool plugin_loads(tesserec::model::ShardedModel& model, const char* folder) {
  return tesserec::train::load(tesserec::Exec(), model, {}, folder);
}
