// SPDX-License-Identifier: Apache-2.0
// A server of a small model on a thread, and clients of it that send bytes as they are.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "catch.hpp"
#include "scoring/trained.hpp"
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/serve/http_server.hpp>

namespace tesserec {

/// A pipe whose reading end tells a server to stop.
class Stop {
 public:
  Stop() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~Stop() {
    for (const int end : ends_) ::close(end);
  }
  int event() const { return ends_[0]; }
  void raise() const { REQUIRE(::write(ends_[1], "x", 1) == 1); }

 private:
  std::array<int, 2> ends_{};
};

/// A client that sends bytes as they are.
class Client {
 public:
  /// Connects to the port. `refused`: where to say that the server takes no client; null if it must.
  /// `received_bytes`: size of its buffer for what comes; 0 = the system's.
  explicit Client(int port, bool* refused = nullptr, int received_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval most{5, 0};
    REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) == 0);
    if (received_bytes > 0)
      REQUIRE(::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &received_bytes, sizeof received_bytes) == 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(std::uint16_t(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool connected = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    if (refused == nullptr) REQUIRE(connected);
    if (refused != nullptr) *refused = !connected;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Returns whether the server took the bytes.
  bool send(const std::string& text) const {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t bytes = ::send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (bytes < 0) return false;
      at += std::size_t(bytes);
    }
    return true;
  }
  /// Sends a byte each fifth of a second, until the server answers.
  void send_slowly(const std::string& text) const {
    for (const char byte : text)
      if (has_reply(200) || !send({byte})) return;
  }
  /// Returns whether something has come within the time.
  bool has_reply(int milliseconds) const {
    pollfd file{socket_, POLLIN, 0};
    return ::poll(&file, 1, milliseconds) > 0;
  }
  /// Returns what comes until the server ends the connection.
  std::string receive() const {
    std::string reply;
    std::array<char, 4096> piece{};
    for (ssize_t n = 0; (n = ::recv(socket_, piece.data(), piece.size(), 0)) > 0;)
      reply.append(piece.data(), std::size_t(n));
    return reply;
  }

 private:
  int socket_;
};

/// A server of a small model on a thread.
class Server {
 public:
  Server(serve::Service& service, const serve::ServerSettings& settings) {
    std::promise<int> port;
    thread_ = std::thread([&service, &settings, &port, this] {
      serve::serve_http(service, settings, {stop_.event()}, [&](int at) { port.set_value(at); });
    });
    port_ = port.get_future().get();
  }
  ~Server() {
    stop_.raise();
    if (thread_.joinable()) thread_.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const { return port_; }
  /// Returns all that a client gets for some bytes.
  std::string reply(const std::string& text) const {
    const Client client(port_);
    client.send(text);
    return client.receive();
  }
  void stop() { stop_.raise(); }
  /// Waits up to so many seconds until the server refuses clients. Returns whether it does.
  bool refuses(int seconds) const {
    bool refused = false;
    for (int tenths = 0; tenths < 10 * seconds && !refused; ++tenths) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const Client client(port_, &refused);
    }
    return refused;
  }

 private:
  Stop stop_;
  std::thread thread_;
  int port_ = 0;
};

/// A service of a small model, with a time-out of a second.
struct Small {
  explicit Small(const std::string& name) : folder(world, name) {
    Trained trained(folder, "bottom = [8, 4]\ntop = [8, 1]\n", "");
    scoring::export_model(trained.exec, trained.checkpoint(), folder.path() + "/model", scoring::ServedFormat::fp32);
    model.emplace(trained.exec, folder.path() + "/model");
    settings.port = 0;
    settings.timeout = 1;
    service.emplace(*model, settings);
  }

  comm::Communicator world{MPI_COMM_WORLD};
  Folder folder;
  std::optional<scoring::ServedModel> model;
  serve::ServerSettings settings;
  std::optional<serve::Service> service;
};

}  // namespace tesserec
