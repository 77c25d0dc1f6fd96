// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <tesserec/core/error.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/json_digest.hpp>

namespace tesserec::store {
namespace {

std::string digest_line(const std::string& body) {
  const std::uint64_t digest = bytes_checksum("manifest", body.data(), std::ssize(body));
  return "  \"digest\": \"" + checksum_text(digest) + "\"\n}\n";
}

}  // namespace

std::string with_digest(const Json& object) {
  std::string body = object.text();
  body.resize(body.size() - std::string_view("\n}").size());
  body += ",\n";
  return body + digest_line(body);
}

void require_digest(const std::string& text) {
  const std::string body = text.substr(0, std::min(text.rfind("  \"digest\""), text.size()));
  if (text != body + digest_line(body)) fail("its digest does not fit its content");
}

}  // namespace tesserec::store
