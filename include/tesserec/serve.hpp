// SPDX-License-Identifier: Apache-2.0
#pragma once

/// serve: scores by HTTP, in the Open Inference Protocol (docs/serving.md).
///
/// A `Service` answers requests about one model, whoever has read them; `serve_http` reads them by Boost.Beast.
/// src/serve/README.md says more.
///
/// ```cpp
/// const scoring::ServedModel model(exec, "model");
/// serve::Service service(model, {.name = "clicks", .threads = 2});
/// const serve::HttpReply reply = service.answer({.method = "GET", .path = "/v2/models/clicks"});
/// if (reply.status != 200) fail(reply.body);
/// ```

#include <tesserec/serve/http_server.hpp>
#include <tesserec/serve/program.hpp>
#include <tesserec/serve/replay.hpp>
#include <tesserec/serve/service.hpp>
#include <tesserec/serve/settings.hpp>
