// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <tesserec/serve/service.hpp>

namespace tesserec::serve {

/// Throws Error if this build has no server, because Boost.Beast was missing.
void require_http_server();

/// Serves until `stop` is readable (Signals::event()), after a call of `ready` once it listens. Then takes no more
/// connections, finishes the requests that have begun, and returns. Throws Error if the build has no server or the
/// address cannot be listened on.
void serve_http(Service& service, const ServerSettings& settings, int stop, const std::function<void(int port)>& ready);

}  // namespace tesserec::serve
