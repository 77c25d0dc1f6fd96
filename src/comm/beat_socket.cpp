// SPDX-License-Identifier: Apache-2.0
#include "beat_socket.hpp"

#include <cerrno>
#include <cstring>

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tesserec::comm {
namespace {

sockaddr* plain(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

}  // namespace

BeatSocket::BeatSocket() : file_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  if (file_ >= 0 && ::bind(file_, plain(any), sizeof any) != 0) {
    ::close(file_);
    file_ = -1;
  }
}

BeatSocket::~BeatSocket() {
  if (file_ >= 0) ::close(file_);
}

std::array<sockaddr_in, 9> BeatSocket::addresses() const {
  std::array<sockaddr_in, 9> all{};
  sockaddr_in own{};
  socklen_t length = sizeof own;
  if (file_ < 0 || ::getsockname(file_, plain(own), &length) != 0) return all;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::size_t found = 0;
  all[found++] = own;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return all;
  for (const ifaddrs* interface = list; interface != nullptr && found < all.size(); interface = interface->ifa_next) {
    if (interface->ifa_addr == nullptr || interface->ifa_addr->sa_family != AF_INET) continue;
    if ((interface->ifa_flags & IFF_UP) == 0 || (interface->ifa_flags & IFF_LOOPBACK) != 0) continue;
    std::memcpy(&all[found], interface->ifa_addr, sizeof(sockaddr_in));
    all[found++].sin_port = own.sin_port;
  }
  ::freeifaddrs(list);
  return all;
}

void BeatSocket::send(const Heartbeat& beat, const sockaddr_in& to) const {
  if (file_ < 0 || to.sin_port == 0) return;
  sockaddr_in address = to;  // A lost datagram needs no repetition: the next one follows.
  [[maybe_unused]] const ssize_t sent = ::sendto(file_, &beat, sizeof beat, 0, plain(address), sizeof address);
}

std::optional<Heartbeat> BeatSocket::receive(const std::array<std::uint64_t, 2>& job, sockaddr_in& from) const {
  while (file_ >= 0) {
    Heartbeat beat;
    socklen_t length = sizeof from;
    const ssize_t got = ::recvfrom(file_, &beat, sizeof beat, MSG_TRUNC, plain(from), &length);
    if (got < 0 && errno != EINTR && errno != ECONNREFUSED) return std::nullopt;
    if (got != ssize_t(sizeof beat) || beat.job != job) continue;
    beat.work.back() = '\0';
    return beat;
  }
  return std::nullopt;
}

}  // namespace tesserec::comm
