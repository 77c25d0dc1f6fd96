// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tesserec/serve/service.hpp>
#include <tesserec/serve/settings.hpp>

namespace tesserec::serve {

/// Connection of a client, which owns its socket. Bytes come and go within a time, however slowly the client is.
class HttpConnection {
 public:
  using Clock = std::chrono::steady_clock;

  /// Takes a socket that does not block.
  explicit HttpConnection(int socket) : socket_(socket) {}
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int socket() const { return socket_; }
  /// Returns whether the head of a request was received, or more bytes than one may have.
  bool has_head();
  /// Answers the request whose head was received; blocks until then. `last`: no request may follow it. Returns whether
  /// the connection can take another one. Else it is finished, or broken.
  bool answer(Service& service, const ServerSettings& settings, bool last);
  /// Returns bytes that were received and not yet read.
  std::string_view received() const { return std::string_view(received_).substr(read_); }
  /// Removes the first `bytes` of them.
  void consume(std::size_t bytes);
  /// Receives more bytes. Returns false if none came until then, or if the client ended. A time that is past takes what
  /// has come.
  bool receive(Clock::time_point until);
  /// Sends texts, one behind the other. Returns false if the client did not take them until then.
  bool send(std::string_view head, std::string_view body, Clock::time_point until);
  /// Ends sending. What the client still sends must be dropped for a while: a socket that is closed with bytes which
  /// nobody read takes the last reply from its client.
  void finish();
  bool is_finished() const { return is_finished_; }
  /// Drops what has been received.
  void drop() { consume(received().size()); }

 private:
  bool wait(short events, Clock::time_point until) const;

  int socket_;
  std::string received_;
  std::size_t read_ = 0;  ///< bytes of it that were read
  int empty_lines_ = 0;   ///< read in front of a request
  bool is_finished_ = false;
};

}  // namespace tesserec::serve
