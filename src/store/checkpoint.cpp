// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checkpoint_list.hpp>
#include <tesserec/store/checksum.hpp>
#include <tesserec/store/json_digest.hpp>

namespace tesserec::store {
namespace {

Json json_of(const Manifest& manifest) {
  Json datasets = Json::object(Json::Layout::lines);
  for (const auto& [name, record] : manifest.datasets)
    datasets.set(name, Json::object()
                           .set("rows", record.rows)
                           .set("columns", record.columns)
                           .set("checksum", checksum_text(record.checksum)));
  Json json = Json::object(Json::Layout::lines);
  json.set("format", manifest.continues ? delta_format : checkpoint_format)
      .set("version", manifest.version)
      .set("step", manifest.step)
      .set("state", manifest.state);
  if (!manifest.origin.empty()) json.set("origin", manifest.origin);
  if (manifest.continues)
    json.set("continues", Json::object().set("step", manifest.continues->step).set("state", manifest.continues->seal));
  return json.set("datasets", datasets);
}

std::uint64_t checksum_value(const std::string& text) {
  const auto checksum = checksum_of_text(text);
  if (!checksum) fail("the checksum \"", text, "\" is not 16 hexadecimal digits");
  return *checksum;
}

std::string text_of(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  std::ifstream file(path, std::ios::binary);
  if (!file && is_run(folder)) {
    const std::vector<Checkpoint> whole = whole_checkpoints(checkpoints_of(folder));
    fail(folder, " is a run's folder",
         whole.empty() ? " without a whole checkpoint; train first" : "; name its checkpoint " + whole.front().folder);
  }
  if (!file)
    fail(path, ": there is no such file, so this folder is neither a whole checkpoint nor that of a run with one");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns bytes_checksum() of the bytes of an HDF5 file outside of `ranges` (first byte -> bytes), in order. Throws
/// Error if ranges overlap or exceed the file.
std::uint64_t metadata_checksum(const std::string& path, const std::map<Index, Index>& ranges) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, ": cannot open it");
  std::string bytes;
  Index at = 0;
  for (const auto& [first, size] : ranges) {
    if (first < at) fail(path, ": its datasets overlap or lie beyond its end, so the file is damaged");
    const std::size_t known = bytes.size();
    bytes.resize(known + (first - at));
    file.seekg(at);
    if (!file.read(bytes.data() + known, first - at)) fail(path, ": cannot read it");
    at = first + size;
  }
  return bytes_checksum("metadata", bytes.data(), std::ssize(bytes));
}

/// Throws Error unless state.h5 of version 1, which has no seal, has the manifest's size and the manifest's checksum
/// outside of its datasets.
void require_version_1(const std::string& folder) {
  const std::string path = Checkpoint{0, folder}.state_file();
  const Json json = parse_json(text_of(folder));
  std::error_code error;
  const Index bytes = std::filesystem::file_size(path, error);
  if (error) fail(path, ": cannot read it: ", error.message());
  if (const Index wanted = json.at("state_bytes").integer(); bytes != wanted)
    fail(path, " has ", bytes, " bytes, but manifest.json says ", wanted, "; the file is truncated or was replaced");
  std::map<Index, Index> ranges{{bytes, 0}};  // first byte -> bytes
  const Json& datasets = json.at("datasets");
  for (const std::string& name : datasets.names()) {
    const Json& record = datasets.at(name);
    if (const Index size = record.at("rows").integer() * record.at("columns").integer(); size > 0)
      ranges[record.at("offset").integer()] = size * Index{sizeof(float)};
  }
  if (metadata_checksum(path, ranges) != checksum_value(json.at("metadata_checksum").string()))
    fail(path, " is damaged outside its datasets");
}

/// Opens the folder of a checkpoint, or of a delta if `delta`.
OpenCheckpoint open_folder(const std::string& folder, bool delta, Index share, Index shares) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) fail(folder, ": there is no such checkpoint folder");
  Manifest manifest = read_manifest(folder);
  if (manifest.version > checkpoint_version)
    fail(folder, "/manifest.json: this checkpoint has format version ", manifest.version,
         ", but this program reads up to ", checkpoint_version, "; use the program that wrote it");
  if (manifest.continues && !delta)
    fail(folder, " is a delta, which holds only what changed after step ", manifest.continues->step,
         "; name a checkpoint instead");
  if (!manifest.continues && delta) fail(folder, "/manifest.json is a checkpoint's, not a delta's");
  const std::string path = Checkpoint{manifest.step, folder}.state_file();
  try {
    if (manifest.version == 1) require_version_1(folder);
    PartedFile state = PartedFile::open(path);
    if (state.seal() != manifest.state)
      fail(path, " is damaged: its seal differs from the one in manifest.json, so it belongs to another checkpoint");
    if (shares > 0) state.verify_parts(share, shares);
    return {std::move(manifest), std::move(state)};
  } catch (const Error& damage) {
    fail(damage.what(), delta ? "" : another_checkpoint);
  }
}

}  // namespace

std::string manifest_text(const Manifest& manifest) { return with_digest(json_of(manifest)); }

Manifest read_manifest(const std::string& folder) {
  const std::string text = text_of(folder);
  Manifest manifest;
  try {
    const Json json = parse_json(text);
    const std::string& format = json.at("format").string();
    if (format != checkpoint_format && format != delta_format)
      fail("its format is \"", format, "\", not \"", checkpoint_format, "\" or \"", delta_format, '"');
    manifest.version = json.at("version").integer();
    manifest.step = json.at("step").integer();
    if (manifest.version > checkpoint_version) return manifest;
    if (manifest.version > 1) manifest.state = json.at("state").string();
    if (json.has("origin")) manifest.origin = json.at("origin").string();
    if (format == delta_format) {
      const Json& continues = json.at("continues");
      manifest.continues = {continues.at("step").integer(), continues.at("state").string()};
    }
    const Json& datasets = json.at("datasets");
    for (const std::string& name : datasets.names()) {
      const Json& record = datasets.at(name);
      manifest.datasets[name] = {record.at("rows").integer(), record.at("columns").integer(),
                                 checksum_value(record.at("checksum").string())};
    }
    require_digest(text);
  } catch (const std::exception& error) {
    fail(folder, "/manifest.json is damaged or not a manifest: ", error.what());
  }
  return manifest;
}

OpenCheckpoint open_checkpoint(const std::string& folder, Index share, Index shares) {
  return open_folder(folder, false, share, shares);
}

OpenCheckpoint open_delta(const std::string& folder, Index share, Index shares) {
  return open_folder(folder, true, share, shares);
}

}  // namespace tesserec::store
