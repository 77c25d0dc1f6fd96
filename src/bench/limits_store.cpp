// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <utility>

#include <unistd.h>

#include "limits.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::bench {

void measure_store(const Context& context, const std::string& folder, Limits& limits, std::vector<Figure>& figures) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(folder, ": cannot make this folder: ", error.message());
  const std::string path =
      folder + "/bench." + std::to_string(context.comm.rank()) + "." + std::to_string(getpid()) + ".h5";
  const Index n = std::min(context.settings.memory, Index{64} << 20) / 4;
  std::vector<float> data(n, 1.0f);
  const double write = context.seconds([&] {
    store::File file = store::File::create(path);
    file.write_all("/data", {n}, data.data());
    file.close();
  });
  const double read = context.seconds([&] {
    const store::File file = store::File::open(path);
    file.read("/data", {0, n}, data.data());
  });
  std::filesystem::remove(path, error);
  limits.hdf5_read = 4.0 * n / read;
  figures.push_back({"limits", "HDF5 write, proven on the disk", 4.0 * n / write, "bytes/s", 0, "", 0});
  figures.push_back({"limits", "HDF5 read, from the page cache", limits.hdf5_read, "bytes/s", 0, "", 0});
}

Limits measure_limits(const Context& context, const planning::Topology& topology, const std::string& folder,
                      std::vector<Figure>& figures) {
  Limits limits;
  const MultiplyAdds peak = multiply_adds();
  limits.flops = peak.all_flops(context.exec) / context.seconds([&] { peak.run_all(context.exec); });
  figures.push_back(
      {"limits", std::string("fp32 fused multiply-add, ") + peak.instructions, limits.flops, "FLOP/s", 0, "", 0});
  const std::pair<const char*, std::optional<MultiplyAdds>> others[] = {
      {"bf16 fused multiply-add, ", bf16_multiply_adds()},
      {"int8 multiply-add, ", int8_multiply_adds()},
      {"int8 multiply-add, ", tile_multiply_adds()}};
  for (const auto& [name, loop] : others) {
    if (!loop) continue;
    const double rate = loop->all_flops(context.exec) / context.seconds([&] { loop->run_all(context.exec); });
    figures.push_back({"limits", std::string(name) + loop->instructions, rate, "FLOP/s", 0, "", 0});
  }
  measure_memory(context, limits, figures);
  measure_messages(context, topology, limits, figures);
  measure_store(context, folder, limits, figures);
  return limits;
}

}  // namespace tesserec::bench
