// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/serve/service.hpp>

namespace tesserec::serve {

/// Throws Error if this build has no server, because Boost.Beast was missing.
void require_http_server();

/// Formats an address as URLs do: HOST:PORT, or [HOST]:PORT for IPv6.
std::string address_text(const std::string& host, int port);

/// Serves until one of the files `stops` is readable, as Signals::event() is after a signal; calls ready() once it
/// listens. Then takes no more connections, answers the requests whose heads have come, and returns. Throws Error if
/// the build has no server or the address cannot be listened on.
void serve_http(Service& service, const ServerSettings& settings, const std::vector<int>& stops,
                const std::function<void(int port)>& ready);

}  // namespace tesserec::serve
