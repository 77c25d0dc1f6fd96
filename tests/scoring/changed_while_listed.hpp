// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <sys/stat.h>

#include "catch.hpp"
#include <tesserec/core/file.hpp>

namespace tesserec {

/// Changes a folder when its manifest is read for the first time, just behind that read. The manifest is a FIFO until
/// then, so `change` must move or replace the folder or its manifest.
class ChangedWhileListed {
 public:
  ChangedWhileListed(const std::string& folder, const std::function<void(const std::string& manifest)>& change) {
    const std::string manifest = folder + "/manifest.json", text = read_file(manifest);
    std::filesystem::remove(manifest);
    REQUIRE(::mkfifo(manifest.c_str(), 0600) == 0);
    thread_ = std::thread([=] {
      std::ofstream fifo(manifest);  // waits for the reader
      fifo << text << std::flush;
      change(text);
    });
  }
  ~ChangedWhileListed() { thread_.join(); }
  ChangedWhileListed(const ChangedWhileListed&) = delete;
  ChangedWhileListed& operator=(const ChangedWhileListed&) = delete;

 private:
  std::thread thread_;
};

}  // namespace tesserec
