// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <limits>
#include <thread>

#include <poll.h>
#include <sys/socket.h>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/serve/http_server.hpp>
#ifdef TESSEREC_HTTP
#include <httplib.h>
#endif

namespace tesserec::serve {

#ifdef TESSEREC_HTTP
namespace {

constexpr int keep_alive_seconds = 2;                      // of a connection without requests, which holds a thread
constexpr int listening_poll_ms = 200;                     // between looks at whether the listening thread has ended
constexpr int start_poll_ms = 1;                           // between looks at whether the listening thread has begun
constexpr int bad_request = 400, unsupported_media = 415;  // statuses of replies that the service does not make
constexpr int spare_connections = 8;  // beyond the requests in flight, for health, metrics and refusals

/// A request's body, read at most once and within a time. Beyond what the receiver wants, reads up to `limit` bytes
/// more and drops them, so that the connection can take another request.
class RequestBody {
 public:
  RequestBody(const httplib::ContentReader& reader, const ServerSettings& settings)
      : reader_(reader), limit_(settings.max_body), end_(Clock::now() + std::chrono::seconds(settings.timeout)) {}

  /// Returns whether all of the body was taken.
  bool read(const TakePiece& take) {
    was_read_ = true;
    bool wanted = true;
    Index dropped = 0;
    is_whole_ = reader_([&](const char* data, std::size_t size) {
      wanted = wanted && take({data, size});
      if (!wanted) dropped += Index(size);
      return dropped <= limit_ && Clock::now() <= end_;
    });
    return wanted && is_whole_;
  }
  /// Drops a body that nobody has read. Returns whether the body was read to its end.
  bool drop() {
    if (!was_read_) read([](std::string_view) { return false; });
    return is_whole_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const httplib::ContentReader& reader_;
  Index limit_;
  Clock::time_point end_;
  bool was_read_ = false, is_whole_ = false;
};

/// Returns whether a request says more than once, or in an unknown form, where its body ends. Another program, such as
/// a proxy, may read such a request otherwise.
bool is_ambiguous(const httplib::Request& from) {
  const std::string encoding = from.get_header_value("Transfer-Encoding"),
                    length = from.get_header_value("Content-Length");
  const auto encodings = from.get_header_value_count("Transfer-Encoding");
  const auto lengths = from.get_header_value_count("Content-Length");
  if (encodings + lengths > 1) return true;
  if (encodings == 1) return encoding != "chunked";
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return lengths == 1 && (length.empty() || !std::ranges::all_of(length, is_digit));
}

bool has_body(const httplib::Request& from) {
  if (from.has_header("Transfer-Encoding")) return true;
  return from.has_header("Content-Length") && from.get_header_value("Content-Length") != "0";
}

/// Sets a reply's body. `last`: ends the connection behind the reply, whose request has bytes that nobody read. They
/// would be taken for the next request.
void set_body(httplib::Response& to, const std::string& text, const std::string& type, bool last) {
  if (!last) {
    to.set_content(text, type.c_str());
    return;
  }
  to.set_header("Connection", "close");  // tells the client alone; the library ends a connection by a failed body
  to.set_content_provider(text.size(), type, [text](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
    sink.write(text.data() + offset, length);
    return false;
  });
}

/// Answers a request. `body` is null for a request without one. `last`: ends the connection.
void answer(Service& service, const httplib::Request& from, RequestBody* body, bool last, httplib::Response& to) {
  HttpRequest request{.method = from.method,
                      .path = from.path,
                      .json_bytes = from.get_header_value("Inference-Header-Content-Length"),
                      .authorization = from.get_header_value("Authorization")};
  if (body != nullptr) request.read_body = [body](const TakePiece& take) { return body->read(take); };
  const HttpReply reply = service.answer(request);
  if (body != nullptr) last = !body->drop() || last;
  to.status = reply.status;
  if (!reply.json_bytes.empty()) to.set_header("Inference-Header-Content-Length", reply.json_bytes);
  set_body(to, reply.body, reply.type, last);
}

/// Answers a request without reading its body, and ends the connection.
void refuse(Service& service, int status, const std::string& reason, httplib::Response& to) {
  to.status = status;
  set_body(to, service.refuse(status, reason), "application/json", true);
}

/// Sets the options of the listening socket: without SO_REUSEPORT, so that a second server on the port is refused.
void set_reuse(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

void configure(httplib::Server& server, Service& service, const ServerSettings& settings) {
  server.Get(".*", [&](const httplib::Request& from, httplib::Response& to) {
    // A reply to HEAD has no body by which the library could end the connection, so it gets that of GET.
    if (has_body(from) && from.method == "HEAD") const_cast<httplib::Request&>(from).method = "GET";
    answer(service, from, nullptr, has_body(from), to);
  });
  const auto with_body = [&](const httplib::Request& from, httplib::Response& to,
                             const httplib::ContentReader& reader) {
    if (is_ambiguous(from))
      return refuse(service, bad_request,
                    "the headers Content-Length and Transfer-Encoding do not say plainly where "
                    "the body ends; give one of them, once",
                    to);
    if (from.is_multipart_form_data())
      return refuse(service, unsupported_media, "multipart/form-data is no request of the protocol; send JSON", to);
    RequestBody body(reader, settings);
    answer(service, from, has_body(from) ? &body : nullptr, false, to);
  };
  server.Post(".*", with_body);
  server.Put(".*", with_body);
  server.Patch(".*", with_body);
  server.Delete(".*", with_body);
  server.set_read_timeout(settings.timeout, 0);
  server.set_write_timeout(settings.timeout, 0);
  server.set_keep_alive_timeout(keep_alive_seconds);
  server.set_tcp_nodelay(true);
  server.set_socket_options(set_reuse);
  server.set_payload_max_length(std::numeric_limits<std::size_t>::max());  // RequestBody and the service limit it
  const auto connections = std::size_t(settings.in_flight + spare_connections);
  server.new_task_queue = [connections] { return new httplib::ThreadPool(connections); };
  // Replies that the library makes by itself, such as to bytes that are no HTTP.
  server.set_error_handler([&service](const httplib::Request&, httplib::Response& to) {
    if (to.has_header("Content-Type")) return;  // a reply of the service
    refuse(service, to.status, concat("the server cannot read the request (HTTP status ", to.status, ")"), to);
  });
}

/// Runs the loop that accepts connections, on a thread of its own. Its end stops the loop and waits for the requests
/// that have begun.
class Listening {
 public:
  /// Blocks until the loop runs, since a stop before that would be lost.
  explicit Listening(httplib::Server& server) : server_(server) {
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    while (!ended_ && !server_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(start_poll_ms));
  }
  ~Listening() {
    server_.stop();
    thread_.join();
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  bool ended() const { return ended_; }

 private:
  httplib::Server& server_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

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
  const Listening listening(server);
  ready(port);
  pollfd file{stop, POLLIN, 0};
  while (!listening.ended() && ::poll(&file, 1, listening_poll_ms) <= 0) {
  }
  if (listening.ended()) fail("the server ended: it cannot accept connections on ", settings.host, ":", port);
}

#else

void require_http_server() {
  fail(
      "this build has no HTTP server, because cpp-httplib was missing when it was configured; install it "
      "(docs/installing.md) and build again");
}

void serve_http(Service&, const ServerSettings&, int, const std::function<void(int)>&) { require_http_server(); }

#endif

}  // namespace tesserec::serve
