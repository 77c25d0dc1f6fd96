// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/serve/http_server.hpp>
#ifdef TESSEREC_HTTP
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection_pool.hpp"
#endif

namespace tesserec::serve {

std::string address_text(const std::string& host, int port) {
  return host.find(':') == std::string::npos ? concat(host, ":", port) : concat("[", host, "]:", port);
}

#ifdef TESSEREC_HTTP
namespace {

constexpr int look_ms = 1000;  // between looks for connections that have been idle too long
constexpr int events_at_once = 64;
constexpr auto no_files_pause = std::chrono::milliseconds(10);

/// File descriptor that is closed with its owner.
class FileHandle {
 public:
  explicit FileHandle(int file) : file_(file) {}
  ~FileHandle() { close(); }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  int get() const { return file_; }
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

 private:
  int file_;
};

/// Returns a socket that listens on the address. Throws Error with the system's reason if there is none.
int listening_socket(const std::string& host, int port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  std::string reason;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found); error != 0)
    reason = error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    const int file = ::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol);
    const int yes = 1;  // not SO_REUSEPORT: a second server on the port is refused
    if (file >= 0) ::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (file >= 0 && ::bind(file, at->ai_addr, at->ai_addrlen) == 0 && ::listen(file, SOMAXCONN) == 0) return file;
    reason = std::strerror(errno);
    if (file >= 0) ::close(file);
  }
  fail("cannot listen on ", address_text(host, port), ": ", reason, "; name another --host or --port");
}

int port_of(int file) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(file, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

/// Accepts clients that wait, at most so many. Returns false if the listening socket is broken.
bool accept_some(int listening, int most, ConnectionPool& connections) {
  for (int i = 0; i < most; ++i) {
    const int socket = ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) {
      const int yes = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      connections.add(socket);
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      if (connections.end_oldest()) continue;
      std::this_thread::sleep_for(no_files_pause);
      return true;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return true;
    } else if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK || errno == EOPNOTSUPP) {
      return false;
    }
  }
  return true;
}

}  // namespace

void require_http_server() {}

void serve_http(Service& service, const ServerSettings& settings, const std::vector<int>& stops,
                const std::function<void(int port)>& ready) {
  FileHandle listening(listening_socket(settings.host, settings.port));
  ConnectionPool connections(service, settings);
  const auto watch = [&](int file) {
    if (!report_input(connections.events(), file)) fail("cannot wait for connections: ", std::strerror(errno));
  };
  watch(listening.get());
  std::ranges::for_each(stops, watch);
  ready(port_of(listening.get()));
  auto looked = std::chrono::steady_clock::now();
  for (std::array<epoll_event, events_at_once> events;;) {
    const int count = ::epoll_wait(connections.events(), events.data(), events_at_once, look_ms);
    for (int i = 0; i < count; ++i) {
      const int file = events[std::size_t(i)].data.fd;
      if (std::ranges::count(stops, file) > 0) {
        accept_some(listening.get(), SOMAXCONN, connections);  // the kernel has taken their connections already
        listening.close();
        return;
      }
      if (file != listening.get())
        connections.wake(file);
      else if (!accept_some(file, events_at_once, connections))
        fail("the server ended: it cannot accept connections on ", address_text(settings.host, settings.port));
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - looked < std::chrono::milliseconds(look_ms)) continue;
    looked = now;
    connections.end_old();
  }
}

#else

void require_http_server() {
  fail(
      "this build has no HTTP server, because Boost.Beast was missing when it was configured; install it "
      "(docs/installing.md) and build again");
}

void serve_http(Service&, const ServerSettings&, const std::vector<int>&, const std::function<void(int)>&) {
  require_http_server();
}

#endif

}  // namespace tesserec::serve
