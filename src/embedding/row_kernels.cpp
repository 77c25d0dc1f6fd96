// SPDX-License-Identifier: Apache-2.0
#include "portable_rows.hpp"
#include "simd_rows.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

std::unique_ptr<RowKernels> make_row_kernels(Kernels kernels, std::vector<RowKernels::Shard> shards, Phases& phases) {
  if (kernels != Kernels::portable) return std::make_unique<SimdRows>(std::move(shards), phases);
  if (!device_is_host && !shards.empty())
    fail("table ", shards.front().table->config().name, " is in the host's memory, and portable kernels would run on ",
         Device::name(), "; set run.kernels = \"simd\"");
  return std::make_unique<PortableRows>(std::move(shards));
}

}  // namespace tesserec::embedding
