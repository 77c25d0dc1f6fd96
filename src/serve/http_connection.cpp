// SPDX-License-Identifier: Apache-2.0
#include "http_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "body_coding.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::serve {
namespace {

namespace http = boost::beast::http;
using Clock = HttpConnection::Clock;

constexpr std::size_t piece_bytes = 1 << 16;          // received or unpacked at once
constexpr std::uint32_t most_header_bytes = 1 << 14;  // of a request's head, and of the line before a chunk
constexpr std::size_t least_packed = 1024;            // bytes of a reply that is worth packing
constexpr std::size_t most_packed = 1u << 31;         // bytes that zlib takes at once, which it counts in 32 bits
constexpr int most_empty_lines = 2;  // in front of a request, which some clients send behind the one before
constexpr std::string_view head_end = "\r\n\r\n";

/// Judgement of a request's head.
struct Refused {
  int status = 200;  ///< of the reply; 200 = the service makes it
  std::string reason;
};

/// A request while it is read: its head, then its body, at most once.
class RequestReader {
 public:
  RequestReader(HttpConnection& from, const ServerSettings& settings)
      : from_(from), settings_(settings), until_(Clock::now() + std::chrono::seconds(settings.timeout)) {
    parser_.header_limit(most_header_bytes);
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());  // the service limits the unpacked body
    parser_.eager(false);
  }

  /// Reads the head, which was received. Returns what is wrong with it, or status 200.
  Refused read_head();
  /// Reads the body into `take`. Returns whether all of it was taken.
  bool read_body(const TakePiece& take);
  /// Drops what has come of a body that is not read, without waiting for more. Returns whether that was all of it.
  bool drop();

  std::string header(const char* name) const { return std::string(parser_.get()[name]); }
  std::string method() const { return std::string(parser_.get().method_string()); }
  std::string path() const;
  /// Returns whether the request was read to its end.
  bool is_done() const { return parser_.is_done(); }
  bool takes_gzip() const { return takes_gzip_; }
  bool keeps_alive() const { return parser_.keep_alive() && !(is_old() && parser_.chunked()); }

 private:
  /// Returns whether the client speaks HTTP/1.0.
  bool is_old() const { return parser_.get().version() < 11; }
  /// Returns what is wrong with the headers, or status 200.
  Refused judge();
  /// Parses the next bytes of the body. Returns them if `ok`, perhaps none.
  std::string_view next_piece(bool& ok);

  HttpConnection& from_;
  const ServerSettings& settings_;
  Clock::time_point until_;
  http::request_parser<http::buffer_body> parser_;
  bool takes_gzip_ = false;
  std::array<char, piece_bytes> piece_;
};

bool says_end_twice(const boost::system::error_code& error) {
  return error == http::error::bad_content_length || error == http::error::bad_transfer_encoding;
}

boost::asio::const_buffer buffer(std::string_view text) { return {text.data(), text.size()}; }

const char* const no_plain_end =
    "the headers Content-Length and Transfer-Encoding do not say plainly where the body ends; give one of them, once";

Refused RequestReader::read_head() {
  boost::system::error_code error = http::error::header_limit;
  if (const std::size_t end = from_.received().find(head_end); end <= most_header_bytes - head_end.size())
    from_.consume(parser_.put(buffer(from_.received()), error));
  if (!error) return judge();
  if (says_end_twice(error)) return {400, no_plain_end};
  if (error == http::error::header_limit)
    return {431, concat("the headers have more than ", most_header_bytes, " bytes")};
  return {400, concat("the server cannot read the request: ", error.message())};
}

std::string RequestReader::path() const {
  std::string target(parser_.get().target());
  if (target.starts_with("http://")) target.erase(0, std::min(target.find('/', 7), target.size()));
  return target.substr(0, target.find_first_of("?#"));
}

Refused RequestReader::judge() {
  const auto& head = parser_.get();
  const std::string coding = header("Content-Encoding"), type = header("Content-Type");
  takes_gzip_ = accepts_gzip(header("Accept-Encoding"));
  if (!is_old() && head.count("Host") != 1) return {400, "a request of HTTP/1.1 has the header Host, once"};
  if (head.count("Transfer-Encoding") > 0 && !boost::beast::iequals(head["Transfer-Encoding"], "chunked"))
    return {400, no_plain_end};
  if (head.count("Transfer-Encoding") + head.count("Content-Length") > 1) return {400, no_plain_end};
  if (!is_known_coding(coding))
    return {415, concat("Content-Encoding ", shown(coding, 40), " is unknown; send gzip, deflate or none")};
  if (type.starts_with("multipart/form-data"))
    return {415, "multipart/form-data is no request of the protocol; send JSON"};
  return {200, ""};
}

std::string_view RequestReader::next_piece(bool& ok) {
  auto& body = parser_.get().body();
  body.data = piece_.data();
  body.size = piece_.size();
  body.more = true;
  boost::system::error_code error = http::error::need_more;
  std::size_t used = 0;
  if (!from_.received().empty()) used = parser_.put(buffer(from_.received()), error);
  from_.consume(used);
  const std::size_t bytes = piece_.size() - body.size;
  const bool stands_still = used == 0 && bytes == 0 && !parser_.is_done();
  if (error == http::error::need_more || (!error && stands_still))
    ok = from_.received().size() <= most_header_bytes && from_.receive(until_);
  else
    ok = !error || error == http::error::need_buffer;
  return {piece_.data(), bytes};
}

bool RequestReader::read_body(const TakePiece& take) {
  until_ = Clock::now() + std::chrono::seconds(settings_.timeout);
  const bool waits = !is_old() && boost::beast::iequals(parser_.get()["Expect"], "100-continue");
  if (waits && from_.received().empty() && !from_.send("HTTP/1.1 100 Continue\r\n\r\n", "", until_)) return false;
  BodyUnpacker unpacker(header("Content-Encoding"));
  while (!parser_.is_done()) {
    bool ok = true;
    const std::string_view piece = next_piece(ok);
    if (!ok || Clock::now() > until_) return false;
    if (!piece.empty() && !unpacker.unpack(piece, take)) return false;
  }
  return unpacker.is_whole();
}

bool RequestReader::drop() {
  bool ok = true;
  until_ = Clock::now();
  for (Index dropped = 0; ok && !parser_.is_done() && dropped <= settings_.max_body;)
    dropped += std::ssize(next_piece(ok));
  return parser_.is_done();
}

/// Returns the time of day as the header Date has it.
std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 30> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", ::gmtime_r(&now, &parts));
  return text.data();
}

/// Sends a reply. `last`: says that the connection ends.
bool send_reply(HttpConnection& to, const HttpReply& reply, const RequestReader& request, bool last, int timeout) {
  const bool is_packed = reply.type == "application/json" && reply.body.size() >= least_packed &&
                         reply.body.size() <= most_packed && request.takes_gzip();
  const std::string packed = is_packed ? gzipped(reply.body) : "";
  const std::string& body = is_packed ? packed : reply.body;
  std::string head = concat(
      "HTTP/1.1 ", reply.status, " ", std::string(http::obsolete_reason(http::int_to_status(unsigned(reply.status)))),
      "\r\nDate: ", date_now(), "\r\nContent-Type: ", reply.type, "\r\nContent-Length: ", body.size());
  if (!reply.json_bytes.empty()) head += "\r\nInference-Header-Content-Length: " + reply.json_bytes;
  if (!reply.allow.empty()) head += "\r\nAllow: " + reply.allow;
  if (reply.status == 401) head += "\r\nWWW-Authenticate: Bearer";
  if (is_packed) head += "\r\nContent-Encoding: gzip";
  head += last ? "\r\nConnection: close\r\n\r\n" : "\r\nConnection: keep-alive\r\n\r\n";
  return to.send(head, request.method() == "HEAD" ? "" : body, Clock::now() + std::chrono::seconds(timeout));
}

}  // namespace

HttpConnection::~HttpConnection() { ::close(socket_); }

void HttpConnection::consume(std::size_t bytes) {
  read_ += bytes;
  if (read_ < received_.size()) return;
  received_ = {};  // a connection that waits holds no memory
  read_ = 0;
}

bool HttpConnection::wait(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd file{socket_, events, 0};
    const int ready = ::poll(&file, 1, int(std::max<std::int64_t>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool HttpConnection::has_head() {
  for (; received().starts_with("\r\n") && empty_lines_ < most_empty_lines; ++empty_lines_) consume(2);
  return received().size() > most_header_bytes || received().find(head_end) != std::string_view::npos;
}

bool HttpConnection::receive(Clock::time_point until) {
  std::array<char, piece_bytes> piece;
  for (;;) {
    const ssize_t bytes = ::recv(socket_, piece.data(), piece.size(), 0);
    if (bytes > 0) {
      received_.erase(0, std::exchange(read_, 0));
      received_.append(piece.data(), std::size_t(bytes));
      return true;
    }
    if (bytes == 0) return false;
    if (errno == EINTR) continue;
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait(POLLIN, until)) return false;
  }
}

bool HttpConnection::send(std::string_view head, std::string_view body, Clock::time_point until) {
  while (!head.empty() || !body.empty()) {
    std::array<iovec, 2> parts{
        {{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t bytes = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
    if (bytes >= 0) {
      const std::size_t of_head = std::min(head.size(), std::size_t(bytes));
      head.remove_prefix(of_head);
      body.remove_prefix(std::size_t(bytes) - of_head);
    } else if (errno != EINTR && ((errno != EAGAIN && errno != EWOULDBLOCK) || !wait(POLLOUT, until))) {
      return false;
    }
    if (Clock::now() > until) return head.empty() && body.empty();
  }
  return true;
}

void HttpConnection::finish() {
  ::shutdown(socket_, SHUT_WR);
  is_finished_ = true;
  drop();
}

bool HttpConnection::answer(Service& service, const ServerSettings& settings, bool last) {
  const auto reader = std::make_unique<RequestReader>(*this, settings);
  const Refused refused = reader->read_head();
  bool is_read = refused.status == 200;
  HttpReply reply;
  reply.status = refused.status;
  if (refused.status != 200) {
    reply.body = service.refuse(refused.status, refused.reason);
  } else {
    const std::string method = reader->method();
    const bool is_get = method == "GET" || method == "HEAD" || method == "OPTIONS";
    HttpRequest request{.method = method == "HEAD" ? "GET" : method,
                        .path = reader->path(),
                        .json_bytes = reader->header("Inference-Header-Content-Length"),
                        .authorization = reader->header("Authorization")};
    if (!reader->is_done() && !is_get)
      request.read_body = [&](const TakePiece& take) { return reader->read_body(take); };
    reply = service.answer(request);
    is_read = reader->is_done() || (!is_get && reader->drop());
  }
  last = last || !is_read || !reader->keeps_alive();
  const bool sent = send_reply(*this, reply, *reader, last, settings.timeout);
  if (sent && last) finish();
  empty_lines_ = 0;
  return sent && !last;
}

}  // namespace tesserec::serve
