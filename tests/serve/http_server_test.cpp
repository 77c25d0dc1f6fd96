// SPDX-License-Identifier: Apache-2.0
// The HTTP server by clients that send bytes as they are: where requests end, how large and slow they may be, and the
// stop.
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "errors.hpp"
#include "serve/http_client.hpp"

using namespace tesserec;

namespace {

bool has_server() { return error_of(serve::require_http_server).empty(); }

int replies_in(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("HTTP/1.1 "); at != std::string::npos; at = text.find("HTTP/1.1 ", at + 1)) ++count;
  return count;
}

/// Returns a reply without its header Date.
std::string undated(std::string reply) {
  const std::size_t begin = reply.find("\r\nDate: ");
  return begin == std::string::npos ? reply : reply.erase(begin, reply.find("\r\n", begin + 2) - begin);
}

const std::string live = "GET /v2/health/live HTTP/1.1\r\nHost: x\r\n", close_then = "Connection: close\r\n\r\n",
                  infer = "POST /v2/models/model/infer HTTP/1.1\r\nHost: x\r\n";

}  // namespace

TEST_CASE("serve_http: a stop that comes first ends it, and a body has a time in all") {
  if (!has_server()) return;
  Small small("http");
  for (int turn = 0; turn < 20; ++turn) {
    const Stop stop;
    stop.raise();
    serve::serve_http(*small.service, small.settings, {stop.event()}, [](int) {});  // hangs if it missed the stop
  }

  const Server server(*small.service, small.settings);
  const std::string body = R"({"inputs": []})";
  for (const std::string& slow : {"Content-Length: 14\r\n\r\n" + body, "Transfer-Encoding: chunked\r\n\r\nE;" + body}) {
    const std::size_t head = slow.find("\r\n\r\n") + 4;
    const Client client(server.port());
    client.send(infer + slow.substr(0, head));
    client.send_slowly(slow.substr(head));
    const std::string reply = client.receive();
    INFO(reply);
    CHECK(mentions(reply, "HTTP/1.1 400"));
    CHECK(mentions(reply, "came too slowly"));
  }
  const Client client(server.port());
  client.send_slowly(live + close_then);
  CHECK(client.receive().empty());
}

TEST_CASE("serve_http: a reply is whole, whatever ranges a request names") {
  if (!has_server()) return;
  Small small("http_ranges");
  const Server server(*small.service, small.settings);
  const std::string dated = server.reply(live + close_then), plain = undated(dated);
  std::tm time{};
  const std::size_t date = dated.find("\r\nDate: ");
  REQUIRE(date != std::string::npos);
  REQUIRE(::strptime(dated.c_str() + date + 8, "%a, %d %b %Y %H:%M:%S GMT\r\n", &time) != nullptr);
  CHECK(std::abs(std::difftime(::timegm(&time), std::time(nullptr))) < 600);
  REQUIRE(plain.ends_with("\r\n\r\n{\"live\": true}"));
  std::string many = "Range: bytes=0-";
  for (int i = 0; i < 2000; ++i) many += ",0-";
  for (const std::string& range : {std::string("Range: bytes=0-60000"), std::string("Range: bytes=0-3"), many,
                                   std::string("Range: bytes=0-60000,5-2")}) {
    CHECK(undated(server.reply(live + range + "\r\n" + close_then)) == plain);
    CHECK(undated(server.reply(live + range + "\r\nContent-Length: 2\r\n\r\nhi")) == plain);
    CHECK(server.reply("OPTIONS /x HTTP/1.1\r\nHost: x\r\n" + range + "\r\n" + close_then).size() < 400);
  }
}

TEST_CASE("serve_http: heads and lines of chunks have a most size") {
  if (!has_server()) return;
  Small small("http_heads");
  const Server server(*small.service, small.settings);
  const std::string endless(1 << 20, 'a');
  for (const std::string& head : {live + "X: " + endless, "GET /" + endless}) {
    const std::string reply = server.reply(head);
    CHECK(mentions(reply, "HTTP/1.1 431"));
    CHECK(mentions(reply, "the headers have more than 16384 bytes"));
  }
  const std::string chunk = "Transfer-Encoding: chunked\r\n\r\n1;" + endless + "\r\nx\r\n0\r\n\r\n";
  CHECK(mentions(server.reply(infer + chunk), "ended early, came too slowly or is damaged"));
}

TEST_CASE("serve_http: bytes of a request are never taken for another one") {
  if (!has_server()) return;
  Small small("http_bounds");
  const Server server(*small.service, small.settings);
  const std::string hidden = live + close_then;
  const std::string length = "Content-Length: " + std::to_string(hidden.size()) + "\r\n";
  for (const std::string method : {"GET", "HEAD", "POST", "DELETE"}) {
    const std::string head = method + " /v2/health/live HTTP/1.1\r\nHost: x\r\n";
    for (const std::string& more : {"Content-Length: 0\r\n" + length + "\r\n" + hidden,
                                    "Transfer-Encoding: chunked\r\n" + length + "\r\n0\r\n\r\n" + hidden,
                                    "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" + hidden}) {
      const std::string reply = server.reply(head + more);
      INFO(method << ' ' << more << '\n' << reply);
      CHECK(replies_in(reply) == 1);
      CHECK(mentions(reply, "HTTP/1.1 400"));
    }
  }
  const std::string chunked = " /none HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n";
  const std::string body = "3\r\nabc\r\n0\r\n\r\n";
  for (const std::string method : {"POST", "DELETE"}) {
    const std::string reply = server.reply(method + chunked + body + hidden);
    CHECK(replies_in(reply) == 2);
    CHECK(mentions(reply, "HTTP/1.1 404"));
    CHECK(mentions(reply, "{\"live\": true}"));
    // A body that nobody wants is not waited for.
    const Client client(server.port());
    client.send(method + chunked);
    client.send(body + hidden);
    CHECK(client.receive().starts_with("HTTP/1.1 404"));
  }
  const std::string unread = server.reply("GET" + chunked + body + hidden);
  CHECK(replies_in(unread) == 1);
  for (const std::string host : {"", "Host: a\r\nHost: b\r\n"})
    CHECK(mentions(server.reply("GET /v2/health/live HTTP/1.1\r\n" + host + close_then), "the header Host, once"));
  const std::string refused = server.reply("POST /v2/models/model HTTP/1.1\r\nHost: x\r\n" + close_then);
  CHECK(refused.starts_with("HTTP/1.1 405"));
  CHECK(mentions(refused, "\r\nAllow: GET, HEAD\r\n"));
}

TEST_CASE("serve_http: requests in one piece are answered in their order") {
  if (!has_server()) return;
  Small small("http_pipeline");
  const Server server(*small.service, small.settings);
  const std::string reply = server.reply(live + "\r\n" + infer + "Content-Length: 2\r\n\r\n{}" +
                                         "\r\nGET http://x/v2/models/model?a=b HTTP/1.1\r\nHost: x\r\n" + close_then);
  CHECK(replies_in(reply) == 3);
  const std::size_t first = reply.find("\"live\": true"), second = reply.find("HTTP/1.1 400"),
                    third = reply.find("\"versions\"");
  CHECK(first < second);
  CHECK(second < third);
  CHECK(third != std::string::npos);
  CHECK(replies_in(server.reply("HEAD /v2/health/live HTTP/1.1\r\nHost: x\r\n" + close_then)) == 1);
  CHECK(server.reply("HEAD /v2/health/live HTTP/1.1\r\nHost: x\r\n" + close_then).ends_with("\r\n\r\n"));
  CHECK(replies_in(server.reply("GET /v2/health/live HTTP/1.0\r\n\r\n")) == 1);
  CHECK(server.reply(infer + "Expect: 100-continue\r\nContent-Length: 0\r\n" + close_then).starts_with("HTTP/1.1 400"));
}

TEST_CASE("serve_http: clients that wait take no thread, and a stop answers who has asked") {
  if (!has_server()) return;
  Small small("http_waiting");
  small.settings.in_flight = 1;
  small.settings.timeout = 600;  // who waits for it hangs
  std::vector<std::unique_ptr<Client>> waiting;
  Server server(*small.service, small.settings);
  for (int i = 0; i < 300; ++i) {
    waiting.push_back(std::make_unique<Client>(server.port()));
    if (i % 3 == 0) waiting.back()->send("GET /v2/health");  // some have begun
    if (i % 3 == 1) waiting.back()->send("POST /none HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n");
  }
  CHECK(mentions(server.reply(live + close_then), "{\"live\": true}"));
  for (std::size_t i = 1; i < waiting.size(); i += 3) CHECK(mentions(waiting[i]->receive(), "HTTP/1.1 404"));
  std::vector<std::unique_ptr<Client>> asking;
  for (int i = 0; i < 100; ++i) {
    asking.push_back(std::make_unique<Client>(server.port()));
    asking.back()->send(live + "\r\n");
  }
  server.stop();
  for (const auto& client : asking) CHECK(mentions(client->receive(), "{\"live\": true}"));
}

TEST_CASE("serve_http: a stop answers requests that have come while all threads are busy") {
  if (!has_server()) return;
  Small small("http_busy");
  small.settings.in_flight = 1;
  small.settings.timeout = 600;
  Server server(*small.service, small.settings);
  std::string many;
  for (int i = 0; i < 8000; ++i) many += "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  std::vector<std::unique_ptr<Client>> busy, asking;
  do {  // A client that does not read its replies keeps a thread, which waits to send the next one.
    busy.push_back(std::make_unique<Client>(server.port(), nullptr, 4096));
    busy.back()->send(many);
    asking.push_back(std::make_unique<Client>(server.port()));
    asking.back()->send(live + "\r\n");
    REQUIRE(busy.size() < 100);
  } while (asking.back()->has_reply(1500));
  server.stop();
  REQUIRE(server.refuses(10));
  std::vector<std::jthread> readers;
  for (const auto& client : busy) readers.emplace_back([&client] { client->receive(); });
  for (const auto& client : asking) CHECK(mentions(client->receive(), "{\"live\": true}"));
}
