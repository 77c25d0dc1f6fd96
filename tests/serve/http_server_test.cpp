// SPDX-License-Identifier: Apache-2.0
// The HTTP server: a stop that comes before its loop runs ends it, and a body has a time in all.
#include <array>
#include <chrono>
#include <future>
#include <thread>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "errors.hpp"
#include "scoring/trained.hpp"
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/serve/http_server.hpp>

using namespace tesserec;

namespace {

bool has_server() { return error_of(serve::require_http_server).empty(); }

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

/// Sends a request to a port of this machine: the headers at once, the body a byte each fifth of a second. Returns the
/// reply.
std::string post_slowly(int port, const std::string& path, const std::string& body) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(std::uint16_t(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  const auto send = [&](const std::string& text) { ::send(client, text.data(), text.size(), MSG_NOSIGNAL); };
  send("POST " + path + " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  for (const char byte : body) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    send({byte});
  }
  std::string reply;
  std::array<char, 4096> piece{};
  for (ssize_t n = 0; (n = ::recv(client, piece.data(), piece.size(), 0)) > 0;) {
    reply.append(piece.data(), std::size_t(n));
    if (reply.ends_with("}")) break;
  }
  ::close(client);
  return reply;
}

}  // namespace

TEST_CASE("serve_http: a stop that comes first ends it, and a body has a time in all") {
  if (!has_server()) return;
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "http");
  Trained trained(folder, "bottom = [8, 4]\ntop = [8, 1]\n", "");
  scoring::export_model(trained.exec, trained.checkpoint(), folder.path() + "/model", scoring::ServedFormat::fp32);
  const scoring::ServedModel model(trained.exec, folder.path() + "/model");
  serve::ServerSettings settings;
  settings.port = 0;
  settings.timeout = 1;
  serve::Service service(model, settings);
  for (int turn = 0; turn < 20; ++turn) {
    const Stop stop;
    stop.raise();
    serve::serve_http(service, settings, stop.event(), [](int) {});  // hangs if it missed the stop
  }

  const Stop stop;
  std::promise<int> port;
  std::thread server([&] { serve::serve_http(service, settings, stop.event(), [&](int at) { port.set_value(at); }); });
  const std::string reply = post_slowly(port.get_future().get(), "/v2/models/model/infer", "{\"inputs\": []}");
  stop.raise();
  server.join();
  INFO(reply);
  CHECK(mentions(reply, "HTTP/1.1 400"));
  CHECK(mentions(reply, "came too slowly"));
}
