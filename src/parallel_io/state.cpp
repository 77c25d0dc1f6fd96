// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <sstream>

#include "sum_by_name.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/same.hpp>

namespace tesserec::parallel_io {

store::StateRecords state_shapes(const comm::Communicator& comm, const std::vector<store::StateItem>& items) {
  store::StateRecords own;
  comm::agree(comm, [&] { store::add_shapes(items, own); });
  std::ostringstream text;
  for (const auto& [name, shape] : own) text << name << '\n' << shape.rows << ' ' << shape.columns << '\n';
  const std::string sent = text.str();
  const std::vector<char> gathered = comm.all_gather(std::span<const char>(sent.data(), sent.size()));
  std::istringstream lines(std::string(gathered.begin(), gathered.end()));
  store::StateRecords shapes;
  std::string name;
  store::StateRecord shape;
  while (std::getline(lines, name) && lines >> shape.rows >> shape.columns && lines.get() == '\n')
    store::add_shape(name, shape, shapes);
  return shapes;
}

std::map<std::string, std::uint64_t> sum_by_name(const comm::Communicator& comm, const store::StateRecords& shapes,
                                                 const std::map<std::string, std::uint64_t>& own) {
  std::vector<std::uint64_t> values;
  for (const auto& [name, shape] : shapes) {
    const auto at = own.find(name);
    values.push_back(at == own.end() ? 0 : at->second);
  }
  const std::vector<std::uint64_t> gathered = comm.all_gather_equal(std::span<const std::uint64_t>(values));
  std::map<std::string, std::uint64_t> sums;
  std::size_t at = 0;
  for (const auto& [name, shape] : shapes) {
    for (int rank = 0; rank < comm.size(); ++rank) sums[name] += gathered[rank * shapes.size() + at];
    ++at;
  }
  return sums;
}

std::map<std::string, std::uint64_t> state_checksums(const Exec& exec, const comm::Communicator& comm,
                                                     const std::vector<store::StateItem>& items,
                                                     std::string* not_finite) {
  const store::StateRecords shapes = state_shapes(comm, items);
  std::map<std::string, std::uint64_t> own;
  comm::agree(comm, [&] { own = store::checksums_of(exec, items, not_finite); });
  return sum_by_name(comm, shapes, own);
}

store::PartedFile open_state(const comm::Communicator& comm, const std::string& path) {
  std::optional<store::PartedFile> file;
  comm::agree(comm, [&] {
    file.emplace(store::PartedFile::open(path));
    file->verify_parts(comm.rank(), comm.size());
  });
  comm::require_same(comm, {{path, file->seal().empty() ? "without a seal" : "seal " + file->seal()}},
                     "all ranks must read the same file; look for an older copy on another node");
  return std::move(*file);
}

void read_state(const Exec& exec, const comm::Communicator& comm, const store::PartedFile& file,
                const std::vector<store::StateItem>& items, store::Extent extent) {
  const store::StateRecords shapes = state_shapes(comm, items);
  std::map<std::string, std::uint64_t> stored, own;
  comm::agree(comm, [&] {
    stored = store::stored_checksums(file, shapes, extent);
    own = store::read_items(exec, file, items);
    for (const auto& [name, sum] : store::checksums_of(exec, store::without_rounded(items))) own[name] += sum;
  });
  store::require_checksums(file, stored, sum_by_name(comm, shapes, own));
}

}  // namespace tesserec::parallel_io
