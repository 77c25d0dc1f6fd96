// SPDX-License-Identifier: Apache-2.0
#include "checkpoint_parts.hpp"

#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/train/model_state.hpp>

namespace tesserec::train {

std::vector<store::StateItem> all_items(const Session& session) {
  std::vector<store::StateItem> items = model_weights(session.comm, session.model);
  const std::vector<store::StateItem> states = model_states(session.comm, session.model);
  items.insert(items.end(), states.begin(), states.end());
  return items;
}

void fill_content_checksums(Session& session) {
  if (session.contents.empty()) session.contents = data::contents(session.comm, session.data.files);
}

std::string rate_of(const store::StateRecords& records, double seconds) {
  double bytes = 0;
  for (const auto& [name, record] : records) bytes += double(sizeof(float)) * double(record.rows * record.columns);
  return concat(": ", bytes_text(bytes), " in ", seconds_text(seconds), ", ", bytes_text(bytes / seconds), "/s");
}

NamedCheckpoint open_named(const comm::Communicator& comm, const std::string& path, const std::string& key) {
  try {
    const std::string folder = parallel_io::find_checkpoint(comm, path);
    return {folder, parallel_io::open_checkpoint(comm, folder)};
  } catch (const Stopped&) {
    throw;
  } catch (const Error& error) {
    throw Error((key.empty() ? "" : key + ": ") + error.what());
  }
}

}  // namespace tesserec::train
