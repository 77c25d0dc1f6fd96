// SPDX-License-Identifier: Apache-2.0
#include "costs.hpp"
#include "kernels.hpp"
#include "step.hpp"
#include <tesserec/bench/bench.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/data/make_source.hpp>

namespace tesserec::bench {

Report run(const Exec& exec, const comm::Communicator& comm, const train::Job& job, const Settings& settings,
           const std::set<std::string>& chosen) {
  const Context context{exec, comm, settings};
  const auto measures = [&](const char* group) { return chosen.count(group) != 0; };
  const planning::Topology topology = planning::topology_of(comm, job.plan);
  Report report;
  report.ranks = topology.ranks;
  report.ranks_per_node = topology.ranks_per_node;
  Limits limits;
  if (measures("limits")) {
    log_info("limits of the machine");
    limits = measure_limits(context, topology, job.run.folder(), report.figures);
  }
  if (measures("costs")) {
    log_info("constants of the planner");
    if (!measures("limits")) {
      std::vector<Figure> unseen;
      measure_messages(context, topology, limits, unseen);
    }
    measure_costs(context, topology, limits, report);
    train::make_run_folder(job.run);
    measure_disk_costs(context, job.disk_folder(), report);
    measure_host_costs(context, report);
  }
  if (!needs_model(chosen)) return report;

  const auto source = train::open_source(comm, job, data::Use::train);
  train::Session session(exec, comm, job, source->info());
  train::prepare_source(session, *source, data::Use::train);
  if (measures("parts")) {
    log_info("parts of the program");
    measure_layers(context, session, limits, report.figures);
    measure_rows(context, job.model.embedding_dim, limits, report.figures);
  }
  if (measures("step")) {
    log_info("whole steps");
    const StepTimes times = measure_step(context, session, *source);
    add_step_figures(session, times, limits, report);
  }
  if (measures("kernels")) {
    log_info("kernels of a step");
    measure_kernels(context, session, *source, report.figures);
  }
  return report;
}

}  // namespace tesserec::bench
