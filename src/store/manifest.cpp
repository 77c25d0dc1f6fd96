// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/store/agree.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::store {
namespace {

std::string digest_of(const std::string& body) {
  return checksum_text(bytes_checksum("manifest", body.data(), static_cast<Index>(body.size())));
}

// All but the digest, which is that of this text.
std::string body_of(const Manifest& manifest) {
  std::ostringstream text;
  text << "{\n  \"format\": " << json_quoted(checkpoint_format) << ",\n  \"version\": " << manifest.version
       << ",\n  \"step\": " << manifest.step << ",\n  \"state_bytes\": " << manifest.state_bytes
       << ",\n  \"metadata_checksum\": " << json_quoted(checksum_text(manifest.metadata_checksum))
       << ",\n  \"datasets\": {";
  const char* separator = "\n";
  for (const auto& [name, record] : manifest.datasets) {
    text << separator << "    " << json_quoted(name) << ": {\"rows\": " << record.rows
         << ", \"columns\": " << record.columns << ", \"offset\": " << record.offset
         << ", \"checksum\": " << json_quoted(checksum_text(record.checksum)) << "}";
    separator = ",\n";
  }
  text << "\n  },\n";
  return text.str();
}

std::uint64_t checksum_value(const std::string& text) {
  if (text.size() != 16 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    fail("a checksum is not 16 hexadecimal digits");
  return std::stoull(text, nullptr, 16);
}

}  // namespace

std::uint64_t metadata_checksum(const std::string& path, const StateRecords& datasets) {
  std::map<Index, Index> ranges;  // first byte, bytes
  for (const auto& [name, record] : datasets)
    if (record.rows * record.columns > 0) ranges[record.offset] = record.rows * record.columns * Index{sizeof(float)};
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail(path, ": cannot open it");
  ranges[static_cast<Index>(file.tellg())] = 0;
  std::string bytes;
  Index at = 0;
  for (const auto& [first, size] : ranges) {
    if (first < at) fail(path, ": the datasets overlap, or lie beyond its end");
    const std::size_t known = bytes.size();
    bytes.resize(known + static_cast<std::size_t>(first - at));
    file.seekg(at);
    if (!file.read(bytes.data() + known, first - at)) fail(path, ": cannot read it");
    at = first + size;
  }
  return bytes_checksum("metadata", bytes.data(), static_cast<Index>(bytes.size()));
}

std::string manifest_text(const Manifest& manifest) {
  const std::string body = body_of(manifest);
  return body + "  \"digest\": " + json_quoted(digest_of(body)) + "\n}\n";
}

Manifest read_manifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, ": there is no such file: this folder is not a whole checkpoint");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Manifest manifest;
  try {
    const Json json = parse_json(text);
    if (json.at("format").string() != checkpoint_format) fail("its format is not ", checkpoint_format);
    manifest.version = json.at("version").integer();
    manifest.step = json.at("step").integer();
    if (manifest.version > checkpoint_version) return manifest;
    manifest.state_bytes = json.at("state_bytes").integer();
    manifest.metadata_checksum = checksum_value(json.at("metadata_checksum").string());
    for (const auto& [name, record] : json.at("datasets").members)
      manifest.datasets[name] = {record.at("rows").integer(), record.at("columns").integer(),
                                 checksum_value(record.at("checksum").string()), record.at("offset").integer()};
    if (json.at("digest").string() != digest_of(text.substr(0, text.rfind("  \"digest\""))))
      fail("its digest does not fit its content");
  } catch (const std::exception& error) {
    fail(path, " is damaged or no manifest: ", error.what());
  }
  return manifest;
}

Manifest open_checkpoint(const comm::Communicator& comm, const std::string& folder) {
  Manifest manifest;
  agree(comm, [&] {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) fail(folder, ": there is no such checkpoint folder");
    manifest = read_manifest(folder);
    if (manifest.version > checkpoint_version)
      fail(folder, "/manifest.json: this checkpoint has format version ", manifest.version,
           "; this program reads up to ", checkpoint_version, ": use the program that wrote it");
    const std::string state = Checkpoint{manifest.step, folder}.state_file();
    const auto bytes = std::filesystem::file_size(state, error);
    if (error) fail(state, ": cannot read it: ", error.message(), another_checkpoint);
    if (static_cast<Index>(bytes) != manifest.state_bytes)
      fail(state, " has ", bytes, " bytes, and manifest.json says ", manifest.state_bytes,
           ": the file is truncated or replaced", another_checkpoint);
    if (metadata_checksum(state, manifest.datasets) != manifest.metadata_checksum)
      fail(state, " is damaged outside its datasets", another_checkpoint);
  });
  return manifest;
}

}  // namespace tesserec::store
