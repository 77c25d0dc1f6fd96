// SPDX-License-Identifier: Apache-2.0
#include "state_layout.hpp"

#include <sstream>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>

namespace tesserec::store {
namespace {

void add(Layout& layout, const std::string& name, LogicalShape shape) {
  const auto [at, is_new] = layout.try_emplace(name, shape);
  if (!is_new && (at->second.rows != shape.rows || at->second.columns != shape.columns))
    fail("the ranks disagree on the shape of ", name, ": ", at->second.rows, " x ", at->second.columns, " and ",
         shape.rows, " x ", shape.columns);
}

}  // namespace

Layout common_layout(const comm::Communicator& comm, const std::vector<StateItem>& items) {
  Layout mine;
  comm::agree(comm, [&] {
    for (const StateItem& item : items) add(mine, item.name, {item.rows, item.columns});
  });
  std::ostringstream text;
  for (const auto& [name, shape] : mine) text << name << '\n' << shape.rows << ' ' << shape.columns << '\n';
  const std::string sent = text.str();
  const std::vector<char> all = comm.all_gather(std::span<const char>(sent.data(), sent.size()));
  std::istringstream lines(std::string(all.begin(), all.end()));
  Layout layout;
  std::string name;
  LogicalShape shape;
  while (std::getline(lines, name) && lines >> shape.rows >> shape.columns && lines.get() == '\n')
    add(layout, name, shape);
  return layout;
}

StateRecords state_shapes(const comm::Communicator& comm, const std::vector<StateItem>& items) {
  StateRecords shapes;
  for (const auto& [name, shape] : common_layout(comm, items)) shapes[name] = {shape.rows, shape.columns, 0};
  return shapes;
}

std::map<std::string, std::uint64_t> sum_by_name(const comm::Communicator& comm, const Layout& layout,
                                                 const std::map<std::string, std::uint64_t>& mine) {
  std::vector<std::uint64_t> values;
  for (const auto& [name, shape] : layout) {
    const auto at = mine.find(name);
    values.push_back(at == mine.end() ? 0 : at->second);
  }
  const std::vector<std::uint64_t> all = comm.all_gather_equal(std::span<const std::uint64_t>(values));
  std::map<std::string, std::uint64_t> sums;
  std::size_t at = 0;
  for (const auto& [name, shape] : layout) {
    for (int rank = 0; rank < comm.size(); ++rank) sums[name] += all[rank * layout.size() + at];
    ++at;
  }
  return sums;
}

}  // namespace tesserec::store
