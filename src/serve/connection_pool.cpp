// SPDX-License-Identifier: Apache-2.0
#include "connection_pool.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::serve {
namespace {

constexpr int spare_threads = 8;                      // beyond the requests in flight, for health, metrics and refusals
constexpr auto idle_time = std::chrono::seconds(60);  // of a connection without a request

bool is_readable(int file) {
  pollfd one{file, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace

void report_input(int events, int file) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = file;
  ::epoll_ctl(events, EPOLL_CTL_ADD, file, &event);
}

ConnectionPool::ConnectionPool(Service& service, const ServerSettings& settings)
    : service_(service), settings_(settings), events_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (int i = 0; i < settings.in_flight + spare_threads; ++i) threads_.emplace_back([this] { work(); });
}

ConnectionPool::~ConnectionPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (auto& [socket, idle] : idle_) take(idle.connection);
    idle_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  ::close(events_);
}

void ConnectionPool::watch(std::unique_ptr<HttpConnection> connection) {
  const int socket = connection->socket();
  const std::lock_guard lock(mutex_);
  take(connection);
  if (connection == nullptr || stopping_) return;
  report_input(events_, socket);
  idle_.emplace(socket, Idle{std::move(connection), Clock::now()});
}

void ConnectionPool::wake(int socket) {
  const std::lock_guard lock(mutex_);
  const auto found = idle_.find(socket);
  if (found == idle_.end()) return;
  Idle& idle = found->second;
  if (idle.connection->received().empty()) idle.since = Clock::now();
  take(idle.connection);
  if (idle.connection == nullptr) idle_.erase(found);
}

void ConnectionPool::take(std::unique_ptr<HttpConnection>& connection) {
  const bool has_input = is_readable(connection->socket());
  const bool is_open = !has_input || connection->receive(Clock::now());
  if (connection->has_head()) {
    ::epoll_ctl(events_, EPOLL_CTL_DEL, connection->socket(), nullptr);
    ready_.push_back(std::move(connection));
    changed_.notify_one();
  } else if (!is_open) {
    connection = nullptr;
  }
}

void ConnectionPool::end_old() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  std::erase_if(idle_, [&](const auto& entry) {
    const bool has_begun = !entry.second.connection->received().empty();
    return now - entry.second.since > (has_begun ? std::chrono::seconds(settings_.timeout) : idle_time);
  });
}

bool ConnectionPool::end_oldest() {
  const std::lock_guard lock(mutex_);
  const auto oldest = std::ranges::min_element(idle_, {}, [](const auto& entry) { return entry.second.since; });
  if (oldest == idle_.end()) return false;
  idle_.erase(oldest);
  return true;
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
  bool last = false;
  do {
    {
      const std::lock_guard lock(mutex_);
      last = stopping_;
    }
    if (!connection.answer(service_, settings_, last)) return false;
  } while (connection.has_head());
  return !last;
}

void ConnectionPool::work() {
  while (auto connection = next()) {
    try {
      if (answer(*connection)) watch(std::move(connection));
    } catch (const std::exception& error) {  // memory that ran out ends one connection, not the server
      log_warning(concat("a connection was ended: ", error.what()));
    }
  }
}

}  // namespace tesserec::serve
