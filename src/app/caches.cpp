// SPDX-License-Identifier: Apache-2.0
#include "caches.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/caches.hpp>

namespace tesserec::app {

void show_caches(const train::Session& session) {
  const auto& tables = session.model.tables();
  embedding::RowStore::Bytes bytes;
  std::string io;
  double later = 0;  // bytes of all rows of kernel host_cached in host memory
  for (const auto& shard : tables.shards()) {
    const embedding::RowStore& store = shard.rows->store();
    const std::string of_shard = store.cache_use().io;
    if (of_shard.empty()) continue;
    bytes.disk += store.bytes().disk;
    bytes.host += store.bytes().host;
    bytes.device += store.bytes().device;
    for (const embedding::RowMatrix& matrix : store.matrices())
      later += double(shard.rows->rows().size()) * double(matrix.row_bytes());
    io = of_shard;
  }
  const std::vector<int> has = session.comm.all_gather(io.empty() ? 0 : 1);
  const auto first = std::find(has.begin(), has.end(), 1) - has.begin();
  io = session.comm.broadcast(io, int(first));
  const double disk = double(session.comm.sum(bytes.disk)), host = double(session.comm.sum(bytes.host));
  const double device = double(session.comm.sum(bytes.device)), all = double(session.comm.sum(Index(later)));
  if (tables.has(embedding::ComputeKernel::host_cached))
    log_info(concat("rows in host memory: up to ", bytes_text(all), " behind ", bytes_text(device),
                    " of caches on devices, ", io));
  else
    log_info(concat("rows on disk: ", bytes_text(disk), " of files in ", session.job.disk_folder(), ", ",
                    bytes_text(host), " of caches, ", io));
  if (const std::string line = train::enlarged_caches(session); !line.empty()) log_info(line);
}

}  // namespace tesserec::app
