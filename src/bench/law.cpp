// SPDX-License-Identifier: Apache-2.0
#include "law.hpp"

#include "dense_chain.hpp"
#include "unordered_tables.hpp"
#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/error.hpp>

namespace tesserec::bench {

void measure_law(const Context& context, train::Session& session, const Drawn& drawn, Report& report) {
  if (concurrency(context.exec) > 1) fail("the cost of the law is measured with one thread a rank");
  if (session.model.tables().place() == Place::device)
    fail("the cost of the law is measured with the host's kernels; set run.kernels = \"simd\"");
  const comm::Communicator& comm = session.comm;
  auto& tables = session.model.tables();
  const Index global_size = session.job.train.batch_size;
  const Lanes fewest(comm.size());
  DenseChain chain(context.exec, session.model.dense, session.lanes, comm.rank(), comm.size(), global_size);
  DenseChain unordered_chain(context.exec, session.model.dense, fewest, comm.rank(), comm.size(), global_size);
  UnorderedTables unordered_tables(comm, tables, session.data.features, session.lanes);

  const Index most = session.lanes.samples_of_rank(comm.rank(), comm.size(), global_size).size();
  const Vector<float> pooled = numbers(context.exec, most * session.model.dense.pooled_width());
  const Vector<float> upstream = numbers(context.exec, most * session.model.dense.pooled_width());
  comm::TreeReduce reduce(context.exec, comm, session.lanes, session.model.dense.parameters());
  comm::TreeReduce unordered_reduce(context.exec, comm, fewest, session.model.dense.parameters());
  const optim::ScheduleSettings schedule;
  const float* filled = nullptr;  // what the dense half would have written
  std::size_t at = 0;
  Index step = 0;
  const auto next = [&]() -> const data::Batch& { return drawn.batches()[at++ % drawn.batches().size()]; };

  const auto compare = [&](const char* name, const auto& law, const auto& unordered) {
    const auto [seconds, unordered_seconds] = context.seconds(law, unordered);
    const double samples = most;
    report.figures.push_back(
        {"law", name, samples / seconds, "samples/s", samples / unordered_seconds, "the same in no order", seconds});
    return std::pair{seconds, unordered_seconds};
  };
  const auto of_tables = compare(
      "tables: ids, lookup, messages, update",
      [&] {
        const data::Batch& batch = next();
        auto ids = tables.start(context.exec, batch.sparse, batch.global_size);
        tables.forward(context.exec, ids);
        const auto gradient = tables.gradient(context.exec, ids).pooled;
        if (gradient.data() != filled) std::copy_n(upstream.data(), upstream.size(), gradient.data());
        filled = gradient.data();
        tables.backward(context.exec, std::move(ids), schedule, ++step);
      },
      [&] {
        const data::Batch& batch = next();
        unordered_tables.forward(batch.sparse, batch.global_size, pooled.data());
        unordered_tables.backward(upstream.data(), ++step);
      });
  const auto of_dense = compare(
      "dense half, its gradients added over ranks",
      [&] {
        chain.run(reduce.lane_sums());
        reduce();
      },
      [&] {
        unordered_chain.run(unordered_reduce.lane_sums());
        unordered_reduce();
      });
  report.law_cost = (of_tables.first + of_dense.first) / (of_tables.second + of_dense.second) - 1;
}

}  // namespace tesserec::bench
