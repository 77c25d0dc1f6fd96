// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <span>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/content.hpp>
#include <tesserec/store/checksum.hpp>

namespace tesserec::data {

std::vector<std::string> contents(const comm::Communicator& comm, const std::vector<SourceFile>& files) {
  std::vector<store::FileChecksum> local(files.size());
  comm::agree(comm, [&] {
    for (std::size_t f = 0; f < files.size(); ++f)
      if (files[f].seal.empty()) local[f] = store::file_checksum(files[f].path, comm.rank(), comm.size());
  });
  const std::vector<store::FileChecksum> all = comm.all_gather_equal(std::span<const store::FileChecksum>(local));
  std::vector<std::string> lines;
  for (std::size_t f = 0; f < files.size(); ++f) {
    std::uint64_t checksum = 0;
    for (std::size_t at = f; at < all.size(); at += files.size()) checksum += all[at].checksum;
    const std::string own = concat(local[f].bytes, " ", store::checksum_text(checksum));
    lines.push_back(files[f].seal.empty() ? own : files[f].seal);
  }
  return lines;
}

std::string content_digest(const std::vector<std::string>& contents) {
  if (contents.empty()) return "";
  const std::string lines = join(contents, "\n") + "\n";
  return store::checksum_text(store::bytes_checksum("content", lines.data(), std::ssize(lines)));
}

std::string content_digest_of(const std::vector<std::string>& paths) {
  std::vector<std::string> lines;
  for (const std::string& path : paths) lines.push_back(store::file_content(path));
  return content_digest(lines);
}

}  // namespace tesserec::data
