// SPDX-License-Identifier: Apache-2.0
#include "connection_pool.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <tesserec/core/error.hpp>

namespace tesserec::serve {
namespace {

constexpr int spare_threads = 8;                      // beyond the requests in flight, for health, metrics and refusals
constexpr auto idle_time = std::chrono::seconds(60);  // of a connection without a request
constexpr auto farewell_time = std::chrono::seconds(1);  // for a client to read the last reply

bool is_readable(int file) {
  pollfd one{file, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace

bool report_input(int events, int file) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = file;
  return ::epoll_ctl(events, EPOLL_CTL_ADD, file, &event) == 0;
}

ConnectionPool::ConnectionPool(Service& service, const ServerSettings& settings)
    : service_(service), settings_(settings), events_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (events_ < 0) fail("cannot wait for connections: ", std::strerror(errno));
  const int threads = settings.in_flight + spare_threads;
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    const std::size_t started = threads_.size();
    stop();
    fail("the server may start ", started, " threads, but needs ", threads, "; lower --in-flight, or raise the limit");
  }
}

ConnectionPool::~ConnectionPool() { stop(); }

void ConnectionPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [socket, idle] : idle_) take(idle.connection);
    idle_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  ::close(events_);
}

void ConnectionPool::add(int socket) {
  std::unique_ptr<HttpConnection> connection(new (std::nothrow) HttpConnection(socket));
  if (connection == nullptr)
    ::close(socket);
  else
    watch(std::move(connection));
}

void ConnectionPool::watch(std::unique_ptr<HttpConnection> connection) {
  const int socket = connection->socket();
  const std::lock_guard lock(mutex_);
  take(connection);
  if (connection == nullptr || stopping_) return;
  try {
    idle_.emplace(socket, Idle{std::move(connection), Clock::now()});
    if (!report_input(events_, socket)) idle_.erase(socket);
  } catch (const std::bad_alloc&) {  // ends the connection
  }
}

void ConnectionPool::wake(int socket) {
  const std::lock_guard lock(mutex_);
  const auto found = idle_.find(socket);
  if (found != idle_.end()) wake(found);
}

bool ConnectionPool::wake(std::map<int, Idle>::iterator at) {
  Idle& idle = at->second;
  const bool was_empty = idle.connection->received().empty();
  take(idle.connection);
  if (idle.connection == nullptr) {
    idle_.erase(at);
    return false;
  }
  if (was_empty && !idle.connection->received().empty()) idle.since = Clock::now();
  return true;
}

void ConnectionPool::take(std::unique_ptr<HttpConnection>& connection) {
  try {
    const bool has_input = is_readable(connection->socket());
    const bool is_open = !has_input || connection->receive(Clock::now());
    if (connection->is_finished()) connection->drop();
    if (connection->has_head()) {
      ::epoll_ctl(events_, EPOLL_CTL_DEL, connection->socket(), nullptr);
      ready_.push_back(std::move(connection));
      changed_.notify_one();
    } else if (!is_open) {
      connection = nullptr;
    }
  } catch (const std::bad_alloc&) {
    connection = nullptr;
  }
}

ConnectionPool::Clock::duration ConnectionPool::most_wait(const HttpConnection& connection) const {
  if (connection.is_finished()) return farewell_time;
  return connection.received().empty() ? idle_time : std::chrono::seconds(settings_.timeout);
}

void ConnectionPool::end_old() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  for (auto at = idle_.begin(); at != idle_.end();) {
    const auto here = at++;
    const bool is_old = now - here->second.since > most_wait(*here->second.connection);
    if (is_old && wake(here)) idle_.erase(here);
  }
}

bool ConnectionPool::end_oldest() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    const auto oldest = std::ranges::min_element(idle_, {}, [](const auto& entry) { return entry.second.since; });
    if (!wake(oldest)) continue;  // its request has come
    idle_.erase(oldest);
    return true;
  }
  return false;
}

std::unique_ptr<HttpConnection> ConnectionPool::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopping_ || !ready_.empty(); });
  if (ready_.empty()) return nullptr;
  auto connection = std::move(ready_.front());
  ready_.pop_front();
  return connection;
}

bool ConnectionPool::answer(HttpConnection& connection) {
  do {
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      last = stopping_;
    }
    if (!connection.answer(service_, settings_, last)) return connection.is_finished();
  } while (connection.has_head());
  return true;
}

void ConnectionPool::work() {
  while (auto connection = next()) {
    try {
      if (answer(*connection)) watch(std::move(connection));
    } catch (const std::bad_alloc&) {  // ends one connection, not the server
      std::fputs("tesserec: a connection was ended: not enough memory\n", stderr);
    }
  }
}

}  // namespace tesserec::serve
