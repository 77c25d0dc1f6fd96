// SPDX-License-Identifier: Apache-2.0
// Digests under all plans: sharding types and mixtures of them, poolings, optimizers, both exchange forms, with and
// without prefetched ids and micro-batches, on simulated nodes, with both kinds of kernels. ctest runs a sixth of the
// cases; test_train "[every]" runs all.
#include <fstream>
#include <optional>

#include "catch.hpp"
#include "closed_memory.hpp"
#include "host_nccl.hpp"
#include "left_out.hpp"
#include "small_job.hpp"
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/store/hdf5.hpp>

using namespace tesserec;
using embedding::PoolingType;
using planning::ExchangeForm;
using planning::ShardingType;

namespace {

constexpr ShardingType all_types[] = {
    ShardingType::table_wise,        ShardingType::row_wise, ShardingType::column_wise,  ShardingType::table_row_wise,
    ShardingType::table_column_wise, ShardingType::grid,     ShardingType::data_parallel};

/// Writes bags of 0 to 5 ids, each with a weight in [-1, 1). The length of the first feature's bag decides the label.
void write_weighted(const std::string& path, Index samples, std::uint64_t seed) {
  const Random random(seed, Purpose::test);
  const std::vector<std::string> features = {"C1", "C2", "C3"};
  const std::vector<std::int64_t> rows = {3001, 7, 500};
  store::File file = store::File::create(path);
  file.set_attribute("/", "format", std::string("tesserec-dataset"));
  file.set_attribute("/", "version", std::int64_t{1});
  file.set_attribute("/", "samples", std::int64_t{samples});
  file.set_attribute("/", "features", features);
  file.set_attribute("/", "rows", rows);
  file.set_attribute("/", "dense_features", std::vector<std::string>{"x"});
  std::vector<std::uint8_t> labels(static_cast<std::size_t>(samples));
  std::vector<float> dense(static_cast<std::size_t>(samples));
  for (std::size_t f = 0; f < features.size(); ++f) {
    std::vector<std::int64_t> offsets = {0}, values;
    std::vector<float> weights;
    for (Index i = 0; i < samples; ++i) {
      const Index at = i * 8, column = static_cast<Index>(f);
      const auto length = static_cast<Index>(6 * random.uniform53(at, column));
      for (Index k = 1; k <= length; ++k) {
        const double u = random.uniform53(at + k, column);
        values.push_back(static_cast<std::int64_t>(u * u * static_cast<double>(rows[f])));
        weights.push_back(static_cast<float>(2 * random.uniform53(at + k, column + 3) - 1));
      }
      offsets.push_back(static_cast<std::int64_t>(values.size()));
      labels[static_cast<std::size_t>(i)] = length > 2;
      dense[static_cast<std::size_t>(i)] = static_cast<float>(random.uniform53(i, 9));
    }
    const auto size = static_cast<Index>(values.size());
    file.write_all("/sparse/" + features[f] + "/offsets", {samples + 1}, offsets.data());
    file.write_all("/sparse/" + features[f] + "/values", {size}, values.data());
    file.write_all("/sparse/" + features[f] + "/weights", {size}, weights.data());
  }
  file.write_all("/labels", {samples}, labels.data());
  file.write_all("/dense", {samples, 1}, dense.data());
  file.close();
}

/// Returns a job with two features on one table. One of these features also reads a table that is cut in two and
/// projected; a third table has fewer rows than ranks.
train::Job job_of(const std::string& folder, PoolingType pooling, bool weighted, optim::Type sparse) {
  train::Job job = small_job("");
  job.run.kernels = Kernels::simd;
  job.data.synthetic.ids_per_bag = 4;
  job.data.synthetic.variable_bags = true;
  if (weighted) {
    job.data.synthetic.kind = data::SyntheticKind::none;
    job.data.train = {folder + "/train.h5"};
    job.data.evaluate = {folder + "/evaluate.h5"};
  }
  job.model.embedding_dim = 16;
  job.model.bottom = {16, 16};
  job.tables = {{"both", 3001, 0, {"C1", "C3"}, pooling, weighted, {}},
                {"few", 0, 0, {"C2"}, pooling, weighted, {}},
                {"again", 0, 10, {"C3"}, pooling, weighted, {}}};
  job.tables[2].projection = 16, job.tables[2].qr_collisions = 7;
  job.train.epochs = 1;
  job.optimizer.sparse.type = sparse;
  job.optimizer.dense.type = sparse == optim::Type::rowwise_adagrad ? optim::Type::adam : sparse;
  return job;
}

std::string outcome(const comm::Communicator& comm, train::Job job, const std::string& folder) {
  job.run.output = folder + "/run_" + std::to_string(comm.size());
  const train::TrainResult result = run(comm, job);
  std::ostringstream text;
  text.precision(17);
  text << result.weights_digest << ' ' << result.state_digest << ' ' << result.loss << ' ' << result.evaluation->auc;
  for (const train::TableFigures& table : result.tables)
    text << ' ' << table.sampled << ' ' << table.trained << ' ' << table.row_norm << ' ' << table.largest;
  for (const train::FeatureIds& feature : result.evaluation_ids)
    text << ' ' << feature.samples << ' ' << feature.empty << ' ' << feature.ids << ' ' << feature.unknown;
  return text.str();
}

/// Writes the forced plan with one exchange form to `path`. A pooled plan takes two levels if its type allows them.
void write_plan(const comm::Communicator& comm, const train::Job& job, ExchangeForm form, const std::string& path) {
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(comm, job, false));
  const auto tables = train::resolve_tables(job.tables, source->info(), job.model);
  const planning::EmbeddingShardingPlanner planner(planning::topology_of(comm, job.plan), job.plan,
                                                   job.optimizer.sparse, job.optimizer.dense, job.train.batch_size);
  auto plan = planner.plan(tables).plan;
  for (planning::ParameterSharding& table : plan) {
    table.form = form == ExchangeForm::pooled && planning::inside_nodes(table.type) ? ExchangeForm::two_levels : form;
    if (comm.size() == 4 && table.form == ExchangeForm::two_levels)
      REQUIRE(planning::by_two_levels(table, 4, job.plan.ranks_per_node));
  }
  if (comm.rank() == 0)
    std::ofstream(path) << planning::plan_json(tables, planner.evaluate(tables, plan), planner.model().topology(),
                                               job.train.batch_size);
  comm.barrier();
}

/// Sets plan k and returns its name. Plans 0 to 6: all tables of one type; 7: a type for each table; 8: the planner's
/// own.
constexpr int plans = 9;
std::string demand(train::Job& job, int k) {
  const char* const tables[] = {"both", "few", "again_quotient", "again_remainder"};
  for (std::size_t t = 0; t < std::size(tables); ++t) {
    auto& constraints = job.plan.tables[tables[t]];
    constraints.min_partition = 4;
    if (k < 7) constraints.sharding = all_types[k];
    if (k == 7) constraints.sharding = all_types[(2 * t + 1) % 7];
  }
  return k < 7 ? planning::name(all_types[k]) : k == 7 ? "mixed" : "auto";
}

void compare(bool every) {
  comm::provide_nccl(HostNccl::make);
  // On GPUs `automatic` takes NCCL only if each rank has a GPU of its own.
  const auto by_nccl = built_for_gpus() ? comm::TransportType::automatic : comm::TransportType::nccl;
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder folder(world, "plans");
  if (world.rank() == 0) {
    std::filesystem::create_directories(folder.path());
    write_weighted(folder.path() + "/train.h5", 900, 1);
    write_weighted(folder.path() + "/evaluate.h5", 300, 2);
  }
  world.barrier();
  int number = 0;
  for (const int pooling : {0, 1, 2})
    for (const optim::Type sparse : {optim::Type::sgd, optim::Type::adagrad, optim::Type::rowwise_adagrad}) {
      train::Job job = job_of(folder.path(), pooling == 1 ? PoolingType::mean : PoolingType::sum, pooling == 2, sparse);
      const auto type = number_types()[(pooling + int(sparse)) % 3].second;
      job.model.exchange_forward = job.model.exchange_backward = type;
      job.model.table_format = number_types()[(2 * pooling + int(sparse) + 1) % 3].second;
      job.plan.ranks_per_node = world.size() % 2 == 0 ? world.size() / 2 : world.size();
      std::string alone;
      if (world.rank() == 0) {
        train::Job single = job;
        single.plan.ranks_per_node = 1;
        alone = outcome(self, single, folder.path());
      }
      alone = world.broadcast(alone, 0);
      for (int k = 0; k < plans; ++k)
        for (int variant = 0; variant < 4; ++variant, ++number) {
          // A sixth of the plans of each job run, each in one variant; other ones on other numbers of ranks.
          const int plan = number / 4 + number / 36 + world.size();
          if (!every && (plan % 6 != 0 || (plan / 6) % 4 != variant)) continue;
          if (!every && left_out(plan / 6, 4)) continue;
          train::Job planned = job;
          const std::string name = demand(planned, k);
          const ExchangeForm form = variant % 2 == 0 ? ExchangeForm::pooled : ExchangeForm::rows;
          planned.train.pipeline = variant < 2;
          if (number / 36 % 2 == 1) {
            planned.run.kernels = Kernels::portable;
            planned.run.communicator = variant % 2 == 1 ? by_nccl : comm::TransportType::mpi;
          }
          planned.train.accumulate = number / 4 % 2 + 1;
          planned.train.batch_size /= planned.train.accumulate;
          if (k < plans - 1) {
            planned.plan.file = folder.path() + "/plan.json";
            write_plan(world, planned, form, planned.plan.file);
          }
          INFO(world.size() << " ranks, " << name << ", " << planning::form_name(form) << ", pipeline "
                            << planned.train.pipeline << ", accumulate " << planned.train.accumulate << ", pooling "
                            << pooling << ", " << tesserec::name(type) << ", tables in "
                            << tesserec::name(job.model.table_format) << ", optimizer " << static_cast<int>(sparse));
          std::optional<ClosedMemory> closed;
          if (planned.run.kernels == Kernels::portable) closed.emplace();
          REQUIRE(outcome(world, planned, folder.path()) == alone);
        }
    }
}

}  // namespace

TEST_CASE("train: every plan has one digest") { compare(false); }

TEST_CASE("train: every plan has one digest in all variants", "[.][every]") { compare(true); }
