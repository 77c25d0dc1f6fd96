// SPDX-License-Identifier: Apache-2.0
// Kokkos' tool hooks during a training: every kernel and allocation has a label "tesserec::folder::name", and every
// kernel runs on the instance that the session was given.
#include <cstdint>
#include <regex>
#include <set>
#include <string>
#include <type_traits>

#include "catch.hpp"
#include "small_job.hpp"
#include <tesserec/train/checkpoint.hpp>

using namespace tesserec;

namespace {

struct Seen {
  std::set<std::string> kernels, allocations;
  std::set<std::uint32_t> instances;
} seen;

void kernel(const char* label, std::uint32_t instance, std::uint64_t*) {
  seen.kernels.insert(label);
  seen.instances.insert(instance);
}

void allocation(Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t) {
  if (std::string(label).find("scratch_mem") == std::string::npos)  // Kokkos' own, for its reductions
    seen.allocations.insert(label);
}

/// A scope during which kernels and allocations are recorded.
class Watch {
 public:
  Watch() {
    using namespace Kokkos::Tools::Experimental;
    seen = {};
    set_begin_parallel_for_callback(kernel);
    set_begin_parallel_reduce_callback(kernel);
    set_begin_parallel_scan_callback(kernel);
    set_allocate_data_callback(allocation);
  }
  ~Watch() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_allocate_data_callback(nullptr);
  }
};

/// Returns an instance other than the default one if Kokkos can create it.
template <class Space>
Space another_instance() {
#if KOKKOS_VERSION >= 40200
  if constexpr (std::is_constructible_v<Space, Kokkos::NewInstance>) return Space(Kokkos::NewInstance());
#endif
  return {};
}

/// Returns the folder in a label; empty if the label has another form.
std::string folder_of(const std::string& label) {
  static const std::regex form("tesserec::([a-z_]+)::[a-z_]+( .*)?");
  std::smatch match;
  return std::regex_match(label, match, form) ? match[1].str() : "";
}

}  // namespace

TEST_CASE("train: every kernel and allocation has a label and every kernel runs on the session's Exec") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "launches");
  train::Job job = small_job(folder.path());
  job.data.synthetic.samples = 512;
  job.train.epochs = 1;
  using planning::ShardingType;
  job.plan.tables["C1"].sharding = ShardingType::column_wise;
  job.plan.tables["C1"].min_partition = 4;
  job.plan.tables["C2"].sharding = ShardingType::data_parallel;
  job.plan.tables["C3"].sharding = ShardingType::row_wise;
  std::set<std::string> folders;
  const Exec exec = another_instance<Exec>();
  const std::uint32_t instance = Kokkos::Tools::Experimental::device_id(exec);
  for (const auto type : {optim::Type::rowwise_adagrad, optim::Type::adam}) {
    job.optimizer.sparse.type = type;
    if (type == optim::Type::adam) job.plan.tables["C1"].kernel = embedding::ComputeKernel::dense;
    const Watch watch;
    const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(world, job, true));
    const auto evaluation = data::make_source(job.data, data::Use::evaluate, train::Session::deal(world, job, false));
    train::Session session(exec, world, job, source->info());
    source->limit_rows(train::id_limits(session.model.tables().tables(), source->info()));
    train::Training training(session, *source, evaluation.get());
    train::train(training);
    for (const auto* labels : {&seen.kernels, &seen.allocations})
      for (const std::string& label : *labels) {
        INFO(label);
        CHECK(folder_of(label) != "");
        folders.insert(folder_of(label));
      }
    CHECK(seen.instances == std::set<std::uint32_t>{instance});
  }
  for (const char* name : {"comm", "data", "embedding", "layers", "network", "optim", "sharding", "store"}) {
    INFO(name);
    CHECK((folders.count(name) == 1 || (world.size() == 1 && std::string(name) == "comm")));
  }
}
