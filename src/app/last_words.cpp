// SPDX-License-Identifier: Apache-2.0
#include "last_words.hpp"

#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <thread>

#include "run_record.hpp"
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/drafts.hpp>

namespace tesserec::app {

void last_words(const std::string& message) {
  constexpr std::chrono::seconds longest{5};
  try {
    const auto done = std::make_shared<std::promise<void>>();
    const std::future<void> is_done = done->get_future();
    std::thread([done, message] {
      record_failure(message);
      store::remove_open_drafts();
      done->set_value();
    }).detach();
    is_done.wait_for(longest);
  } catch (const std::exception& error) {
    log_warning(concat(error.what(), "; files of this command may stay half written under names that end with .tmp"));
  }
}

}  // namespace tesserec::app
