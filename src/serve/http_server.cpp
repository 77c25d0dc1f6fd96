// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include <poll.h>
#include <sys/socket.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/serve/http_server.hpp>
#ifdef TESSEREC_HTTP
#include <httplib.h>
#endif

namespace tesserec::serve {

#ifdef TESSEREC_HTTP
namespace {

constexpr int listening_poll_ms = 200;  // between looks at whether the listening thread has ended
constexpr int http_no_form = 415;       // status: a form, which the library would read into parts
constexpr int spare_connections = 8;    // beyond the requests in flight, for health, metrics and refusals

/// A request's body, read at most once, in at most `seconds`.
class RequestBody {
 public:
  RequestBody(const httplib::ContentReader& reader, Index limit, double seconds)
      : reader_(reader), limit_(limit), seconds_(seconds) {}

  bool read(const TakePiece& take) {
    was_read_ = true;
    const Timer timer;
    return reader_([&](const char* data, std::size_t size) {
      return timer.seconds() < seconds_ && take({data, size});
    });
  }
  /// Drops a body that nobody has read, up to the limit, so that the client gets the reply before the connection ends.
  void drop() {
    Index dropped = 0;
    if (!was_read_)
      read([&](std::string_view piece) {
        dropped += std::ssize(piece);
        return dropped <= limit_;
      });
  }

 private:
  const httplib::ContentReader& reader_;
  Index limit_;
  double seconds_;
  bool was_read_ = false;
};

/// Answers a request. `body` is null for methods without one.
void answer(Service& service, const httplib::Request& from, RequestBody* body, httplib::Response& to) {
  HttpRequest request{.method = from.method,
                      .path = from.path,
                      .json_bytes = from.get_header_value("Inference-Header-Content-Length"),
                      .authorization = from.get_header_value("Authorization")};
  if (body != nullptr) request.read_body = [body](const TakePiece& take) { return body->read(take); };
  const HttpReply reply = service.answer(request);
  if (body != nullptr) body->drop();
  to.status = reply.status;
  if (!reply.json_bytes.empty()) to.set_header("Inference-Header-Content-Length", reply.json_bytes);
  to.set_content(reply.body, reply.type.c_str());
}

void configure(httplib::Server& server, Service& service, const ServerSettings& settings) {
  server.Get(".*", [&](const httplib::Request& from, httplib::Response& to) { answer(service, from, nullptr, to); });
  const auto with_body = [&](const httplib::Request& from, httplib::Response& to,
                             const httplib::ContentReader& reader) {
    if (from.is_multipart_form_data()) {
      to.status = http_no_form;
      to.set_content(service.refuse(to.status, "the body is a form; send JSON, or JSON and bytes"), "application/json");
      return;
    }
    RequestBody body(reader, settings.max_body, double(settings.timeout));
    answer(service, from, &body, to);
  };
  server.Post(".*", with_body);
  server.Put(".*", with_body);
  server.Patch(".*", with_body);
  server.Delete(".*", with_body);
  server.set_read_timeout(settings.timeout, 0);
  server.set_write_timeout(settings.timeout, 0);
  // One request a connection: the library neither ends a connection after a reply nor drops a body that was not read,
  // whose rest would then be the next request.
  server.set_keep_alive_max_count(1);
  server.set_payload_max_length(std::numeric_limits<std::size_t>::max());  // the service has the limit
  // Without SO_REUSEPORT, by which two servers would share a port.
  server.set_socket_options([](int socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_tcp_nodelay(true);
  const auto connections = std::size_t(settings.in_flight + spare_connections);
  server.new_task_queue = [connections] { return new httplib::ThreadPool(connections); };
  // Replies that the library makes by itself, such as to bytes that are no HTTP.
  server.set_error_handler([&service](const httplib::Request&, httplib::Response& to) {
    if (!to.body.empty()) return;
    to.set_content(
        service.refuse(to.status, concat("the server cannot read the request (HTTP status ", to.status, ")")),
        "application/json");
  });
}

}  // namespace

void require_http_server() {}

void serve_http(Service& service, const ServerSettings& settings, int stop,
                const std::function<void(int port)>& ready) {
  httplib::Server server;
  configure(server, service, settings);
  int port = settings.port;
  if (port == 0)
    port = server.bind_to_any_port(settings.host);
  else if (!server.bind_to_port(settings.host, port))
    port = -1;
  if (port < 0)
    fail("cannot listen on ", settings.host, ":", settings.port,
         ": the port is in use, the address is not this machine's, or ports below 1024 need privilege");
  std::atomic<bool> ended = false;
  std::thread listening([&] {
    server.listen_after_bind();
    ended = true;
  });
  // A stop before the server runs would be lost.
  while (!ended && !server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  try {
    ready(port);
  } catch (...) {
    server.stop();
    listening.join();
    throw;
  }
  pollfd file{stop, POLLIN, 0};
  while (!ended && ::poll(&file, 1, listening_poll_ms) <= 0) continue;
  const bool was_stopped = !ended;
  server.stop();
  listening.join();
  if (!was_stopped) fail("the server ended: it cannot accept connections on ", settings.host, ":", port);
}

#else

void require_http_server() {
  fail(
      "this build has no HTTP server, because cpp-httplib was missing when it was configured; install it "
      "(docs/installing.md) and build again");
}

void serve_http(Service&, const ServerSettings&, int, const std::function<void(int port)>&) { require_http_server(); }

#endif

}  // namespace tesserec::serve
