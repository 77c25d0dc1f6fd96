// SPDX-License-Identifier: Apache-2.0
// A folder for one test run. It has the same name on all ranks; rank 0 makes and removes it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <unistd.h>

#include "errors.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/error.hpp>

class Scratch {
 public:
  explicit Scratch(const tesserec::comm::Communicator& comm) : comm_(comm) {
    const tesserec::Index id = comm.max(comm.rank() == 0 ? tesserec::Index{getpid()} : 0);
    path_ = (std::filesystem::temp_directory_path() / ("tesserec_store_" + std::to_string(id))).string();
    if (comm.rank() == 0) {
      std::filesystem::remove_all(path_);
      std::filesystem::create_directories(path_);
    }
    comm.barrier();
  }
  ~Scratch() {
    comm_.barrier();
    std::error_code ignored;
    if (comm_.rank() == 0) std::filesystem::remove_all(path_, ignored);
    comm_.barrier();
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  const tesserec::comm::Communicator& comm_;
  std::string path_;
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
