// SPDX-License-Identifier: Apache-2.0
// Keys of [run] and [bench].
#include "section.hpp"

namespace tesserec::deck {
namespace {

/// Makes choices whose values are the words themselves.
Choices<std::string> same_words(std::initializer_list<const char*> words) {
  Choices<std::string> choices;
  for (const char* word : words) choices.emplace_back(word, word);
  return choices;
}

}  // namespace

std::vector<Section> run_sections() {
  using Run = train::RunSettings;
  const Keys<Run> run = {
      text("name", &Run::name, Text::name, "Name of the run, and of its folder runs/NAME unless output is set."),
      integer("seed", &Run::seed, {0, no_limit}, "",
              "Seed of all random numbers: initial weights, shuffling, dropout, synthetic data."),
      default_words(text("output", &Run::output, Text::path,
                         "Folder for checkpoints, metrics.jsonl and scores; empty means runs/NAME."),
                    "\"\" (runs/NAME)"),
      boolean("overwrite", &Run::overwrite,
              "Allow a run that starts anew, or resumes at an earlier step, to replace the checkpoints in its folder."),
      number("lock_wait", &Run::lock_wait, {0, 1e9}, "s",
             "Time to wait for another job that uses the same folder, such as an earlier one that is still ending."),
      integer("patience", &Run::patience, {0, 1'000'000'000}, "s",
              "Time after which a stopped rank (SIGSTOP, dead node or file system) ends the job with a message that "
              "names it; 0 means never. A rank that computes, reads or writes has not stopped."),
      default_words(integer("part_bytes", &Run::part_bytes, {}, "bytes",
                            "Size of the files into which larger checkpoints, data sets and scores are cut, each "
                            "written by one rank; 0 means automatic."),
                    "0 (64 MiB, or more for at most 4096 files)"),
      choice("kernels", &Run::kernels, all_kernels(),
             "Kernels of tables and layers. simd: vector instructions of the processor. portable: GPU kernels, which a "
             "CPU build runs on the processor for tests; same bits as simd. cublaslt, in GPU builds only: portable, "
             "but matrix products by cuBLASLt, whose bits depend on the GPU and the library. auto: cublaslt in GPU "
             "builds, simd in CPU builds."),
      choice("communicator", &Run::communicator, comm::all_transports(),
             "Transport of vectors and gradients between GPUs. nccl: requires a GPU for each rank. mpi: directly from "
             "GPU memory if the MPI library reports support for it, else through host memory. auto: nccl if each rank "
             "has its own GPU and the build includes NCCL, else mpi. Ids, counts and all data of CPUs travel by MPI. "
             "Results are the same bits."),
      boolean("share_gpus", &Run::share_gpus,
              "Allow several ranks on one GPU. Otherwise this is an error, because usually the launcher was not told "
              "to assign one GPU to each rank."),
      boolean("graphs", &Run::graphs,
              "Launch a batch's kernels of the dense half as one CUDA graph if batches repeat in size; false means one "
              "by one. Results are the same bits; simd ignores the key."),
      text("mlperf_log", &Run::mlperf_log, Text::path,
           "File for the log lines (:::MLLOG) of MLPerf Training, to which a resumed run appends; empty means none. "
           "MLPerf requires cleared caches and untouched training data, which the job script must ensure: the log has "
           "cache_clear = false."),
      text("mlperf_org", &Run::mlperf_org, Text::filled, "Submitter in the MLPerf log."),
      text("mlperf_platform", &Run::mlperf_platform, Text::filled, "Name of the system in the MLPerf log."),
      choice("mlperf_division", &Run::mlperf_division, same_words({"open", "closed"}),
             "Division of the submission in the MLPerf log."),
      choice("mlperf_status", &Run::mlperf_status, same_words({"research", "onprem", "cloud", "preview"}),
             "Status of the submission in the MLPerf log."),
  };
  return {single(
      "run", "Name, output folder and execution of the run.", run, [](auto& d) -> auto& { return d.run; })};
}

std::vector<Section> bench_sections() {
  using Bench = bench::Settings;
  const Choices<bench::Clock> clocks = {{"wall", bench::Clock::wall}, {"processor", bench::Clock::processor}};
  const Keys<Bench> keys = {
      number("seconds", &Bench::seconds, {1e-6, 60.0}, "s", "Minimum duration of a repeat."),
      integer("repeats", &Bench::repeats, {1, 1000}, "", "Repeats of each measurement, of which the median counts."),
      choice("clock", &Bench::clock, clocks,
             "Clock of the measurements. wall: elapsed time, for an otherwise idle machine. processor: CPU time of the "
             "process, for a shared machine. Phases of a step always use the wall clock."),
      integer("memory", &Bench::memory, {Index{1} << 20, no_limit}, "bytes",
              "Memory of a rank for streams, random rows and tables. Set it to the size of the real tables, since row "
              "accesses take longer in more memory."),
      integer("steps", &Bench::steps, {1, 100000}, "steps", "Steps of a repeat, each on a batch of its own."),
  };
  return {single(
      "bench", "Settings of `tesserec bench`.", keys, [](auto& d) -> auto& { return d.bench; })};
}

}  // namespace tesserec::deck
