// SPDX-License-Identifier: Apache-2.0
#include <tesserec/comm/communicator.hpp>
#include <tesserec/comm/transport.hpp>

namespace tesserec::comm {

Communicator::Communicator(MPI_Comm parent) : channel_(parent), transport_(mpi_transport(*this)) {}

Communicator::Communicator(const Communicator& parent, int color)
    : channel_(parent.channel_, color), transport_(parent.transport().of(*this)) {}

Communicator::Communicator(const Communicator& parent,
                           const std::function<std::unique_ptr<Transport>(const Communicator&)>& make)
    : channel_(parent.mpi(), parent.channel_.piece()), transport_(make(*this)) {}

Communicator::~Communicator() = default;

Index Communicator::sum(Index value) const {
  sum(std::span<Index>(&value, 1));
  return value;
}

Index Communicator::max(Index value) const {
  max(std::span<Index>(&value, 1));
  return value;
}

Index Communicator::min(Index value) const {
  channel_.reduce(std::span<Index>(&value, 1), MPI_MIN);
  return value;
}

std::string Communicator::broadcast(const std::string& text, int root) const {
  std::vector<char> bytes(text.begin(), text.end());
  broadcast(bytes, root);
  return {bytes.begin(), bytes.end()};
}

}  // namespace tesserec::comm
