// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http_connection.hpp"

namespace tesserec::serve {

/// Lets `events`, a file of epoll, name a file when it is readable. Returns false if the system has no memory for it.
bool report_input(int events, int file);

/// Connections and the threads that answer their requests. A connection without the head of a request takes no thread.
class ConnectionPool {
 public:
  /// Throws Error if the machine does not let it start its threads.
  ConnectionPool(Service& service, const ServerSettings& settings);
  /// Answers the requests whose heads have come, and ends.
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// Returns the file of epoll that names sockets which have become readable.
  int events() const { return events_; }
  /// Takes a new client's socket.
  void add(int socket);
  /// Takes what has come over a readable socket. A thread answers once the head of a request is there.
  void wake(int socket);
  /// Ends the connections that have waited too long for a request or for the rest of a head.
  void end_old();
  /// Ends the connection that has been idle for longest and has no request. Returns whether there was one.
  bool end_oldest();

 private:
  using Clock = HttpConnection::Clock;
  struct Idle {
    std::unique_ptr<HttpConnection> connection;
    Clock::time_point since;  ///< when it came here, or its request began
  };

  void stop();
  void watch(std::unique_ptr<HttpConnection> connection);
  /// Takes what has come over a connection that waits. Returns whether it still waits.
  bool wake(std::map<int, Idle>::iterator at);
  /// Takes what has come over a connection, which a thread gets if it asks, and which ends if its client has ended or
  /// there is no memory for it.
  void take(std::unique_ptr<HttpConnection>& connection);
  Clock::duration most_wait(const HttpConnection& connection) const;
  std::unique_ptr<HttpConnection> next();
  void work();
  bool answer(HttpConnection& connection);

  Service& service_;
  const ServerSettings& settings_;
  int events_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, Idle> idle_;                           ///< by socket
  std::deque<std::unique_ptr<HttpConnection>> ready_;  ///< with a request that no thread has taken
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tesserec::serve
