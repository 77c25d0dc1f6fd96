// SPDX-License-Identifier: Apache-2.0
// tesserec verify: is what lies on the disk what was written? The ranks share the files.
#include <filesystem>
#include <variant>

#include "command.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/checkpoint_folder.hpp>

namespace tesserec::app {
namespace {

/// A checkpoint of version 1 has checksums of its datasets alone: each is read, a run of rows by each rank.
void verify_datasets(const comm::Communicator& comm, const store::PartedFile& state) {
  require_gpu();  // the only part of verify that Kokkos computes
  const Kokkos::ScopeGuard kokkos;
  const Exec exec;
  for (const auto& [name, record] : store::list_state(state)) {
    const Index begin = record.rows * comm.rank() / comm.size(), end = record.rows * (comm.rank() + 1) / comm.size();
    std::vector<float> rows((end - begin) * record.columns);
    const store::Slab slab{begin, end - begin, 0, record.columns};
    store::read_state(exec, comm, state, {{name, record.rows, record.columns, slab, rows.data(), record.columns}});
  }
}

/// Tables with their numbers of rows and columns.
Json tables_of(const store::StateRecords& datasets) {
  const std::string head = "tables/", tail = "/weight";
  Json tables = Json::object();
  for (const auto& [name, record] : datasets)
    if (name.starts_with(head) && name.ends_with(tail))
      tables.set(name.substr(head.size(), name.size() - head.size() - tail.size()),
                 Json::object().set("rows", record.rows).set("columns", record.columns));
  return tables;
}

/// Returns what the checkpoint of a run says of its training data, by the names of its attributes (docs/formats.md).
Json data_facts(const store::Attributes& attributes) {
  Json facts = Json::object();
  for (const char* name : {"features", "rows", "dense_names", "transforms", "label_values", "vocabulary_digest",
                           "samples_per_epoch", "data_digest", "data_files"})
    if (const auto found = attributes.find(name); found != attributes.end())
      std::visit([&](const auto& value) { facts.set(name, value); }, found->second);
  return facts;
}

/// The facts as lines "NAME  VALUES".
std::string lines_of(const Json& tables, const Json& facts) {
  std::string text;
  for (const std::string& name : tables.names())
    text += concat("\n  table ", name, ": ", tables.at(name).at("rows").integer(), " x ",
                   tables.at(name).at("columns").integer());
  for (const std::string& name : facts.names()) text += "\n  " + name + ": " + facts.at(name).text();
  return text;
}

}  // namespace

int verify(const Invocation& invocation, const comm::Communicator& comm) {
  const std::string& path = invocation.deck;
  std::size_t parts = 0;
  Json tables = Json::object(), facts = Json::object();
  if (std::filesystem::is_directory(path)) {
    const store::OpenCheckpoint checkpoint = store::open_checkpoint(comm, path);
    if (checkpoint.manifest.version == 1) verify_datasets(comm, checkpoint.state);
    parts = checkpoint.state.parts();
    tables = tables_of(checkpoint.manifest.datasets);
    facts = data_facts(store::read_attributes(checkpoint.state));
  } else {
    const store::PartedFile file = store::open_state(comm, path);
    if (file.seal().empty())
      fail(path, " has no checksum: another program wrote it, so there is nothing to compare with");
    parts = file.parts();
  }
  log_info(path + " is whole" + (parts > 0 ? ", with " + std::to_string(parts) + " parts" : "") +
           lines_of(tables, facts));
  Json json = Json::object().set("path", path).set("whole", true).set("parts", Index(parts));
  if (!tables.names().empty()) json.set("tables", tables).set("data", facts);
  if (invocation.json) print(comm, json);
  return 0;
}

}  // namespace tesserec::app
