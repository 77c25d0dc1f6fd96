// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "json.hpp"
#include <tesserec/store/agree.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::store {
namespace {

// Over all that is not the digest itself, so that a changed digit is seen.
std::string digest_of(const Manifest& manifest) {
  std::ostringstream text;
  text << manifest.version << ' ' << manifest.step << ' ' << manifest.state_bytes << '\n';
  for (const auto& [name, record] : manifest.datasets)
    text << name << ' ' << record.rows << ' ' << record.columns << ' ' << checksum_text(record.checksum)
         << '\n';
  const std::string bytes = text.str();
  return checksum_text(bytes_checksum("manifest", bytes.data(), static_cast<Index>(bytes.size())));
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  std::ostringstream text;
  text << "{\n  \"format\": " << json_quoted(checkpoint_format) << ",\n  \"version\": " << manifest.version
       << ",\n  \"step\": " << manifest.step << ",\n  \"state_bytes\": " << manifest.state_bytes
       << ",\n  \"datasets\": {";
  const char* separator = "\n";
  for (const auto& [name, record] : manifest.datasets) {
    text << separator << "    " << json_quoted(name) << ": {\"rows\": " << record.rows
         << ", \"columns\": " << record.columns
         << ", \"checksum\": " << json_quoted(checksum_text(record.checksum)) << "}";
    separator = ",\n";
  }
  text << "\n  },\n  \"digest\": " << json_quoted(digest_of(manifest)) << "\n}\n";
  return text.str();
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
    for (const auto& [name, record] : json.at("datasets").members)
      manifest.datasets[name] = {record.at("rows").integer(), record.at("columns").integer(),
                                 std::stoull(record.at("checksum").string(), nullptr, 16)};
    if (json.at("digest").string() != digest_of(manifest)) fail("its digest does not fit its content");
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
    if (error) fail(state, ": cannot read it: ", error.message());
    if (static_cast<Index>(bytes) != manifest.state_bytes)
      fail(state, " has ", bytes, " bytes, and manifest.json says ", manifest.state_bytes,
           ": the file is truncated or replaced; use another checkpoint");
  });
  return manifest;
}

}  // namespace tesserec::store
