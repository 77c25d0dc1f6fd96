// SPDX-License-Identifier: Apache-2.0
// What a plugin of another program has of the library.
#include <tesserec/train/model_state.hpp>

extern "C" bool plugin_loads(tesserec::model::ShardedModel& model, const char* folder) {
  return tesserec::train::load(tesserec::Exec(), model, {}, folder);
}
