// SPDX-License-Identifier: Apache-2.0
#include "outputs.hpp"

#include <filesystem>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {

void warn_of_older(const std::array<Output*, 3>& outputs) {
  for (const Output* output : outputs)
    if (!output->wanted() && std::filesystem::exists(output->path))
      log_warning(output->path +
                  " is from an earlier run and may not share the vocabulary of the new train.h5; preprocess its raw "
                  "files again");
}

void publish(const std::array<Output*, 3>& outputs) {
  const Signals::Orderly orderly;
  std::vector<std::string> published;
  for (Output* output : outputs) {
    if (!output->wanted()) continue;
    try {
      output->file->publish();
    } catch (const Error& error) {
      if (published.empty()) throw;
      fail(error.what(), "; ", join(published), " is new already, so start the command again before you use it");
    }
    published.push_back(output->path);
  }
}

}  // namespace tesserec::preprocess
