// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::serve {

/// Settings of a server.
struct ServerSettings {
  std::string name = "model";      ///< name of the model in addresses
  std::string host = "127.0.0.1";  ///< address to listen on
  int port = 8080;                 ///< 0 = any free port
  int threads = 1;                 ///< requests that are scored at once
  int in_flight = 64;              ///< requests that are read, wait or are scored at once; more are refused
  Index max_body = 4 << 20;        ///< bytes of a request's body, decompressed
  int timeout = 10;                ///< seconds to read headers, to read a body, or to write a reply
  std::string token = {};          ///< token that requests must bear; empty = none
  std::string log = {};            ///< file for the log of scores; empty = none
  Index log_bytes = 1 << 30;       ///< size at which that file is renamed and a new one begun
  int log_files = 8;               ///< number of such files kept, the newest included
};

}  // namespace tesserec::serve
