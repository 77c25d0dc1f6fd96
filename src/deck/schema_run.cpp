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
      text("name", &Run::name, Text::name, "Name of the run; also its folder's name."),
      integer("seed", &Run::seed, {0, no_limit}, "",
              "Seed of every random number: initial weights, shuffling, synthetic data."),
      default_words(text("output", &Run::output, Text::path,
                         "Folder for checkpoints, metrics.jsonl and scores; empty means runs/NAME."),
                    "\"\" (runs/NAME)"),
      boolean("overwrite", &Run::overwrite,
              "A run that begins anew, or at an earlier step, may replace the checkpoints that its folder holds."),
      number("lock_wait", &Run::lock_wait, {0, 1e9}, "s",
             "How long to wait for another job that is using the same folder; an earlier one may still be ending."),
      integer("patience", &Run::patience, {0, 1'000'000'000}, "s",
              "How long the ranks of a job wait for one that has stopped (SIGSTOP, a dead node or file system): then a "
              "message names it and all end. A rank that computes, reads or writes has not stopped, however long it "
              "takes. 0 means for ever."),
      default_words(integer("part_bytes", &Run::part_bytes, {}, "bytes",
                            "Checkpoints, data sets and scores with more numbers than this are cut into files of so "
                            "many bytes, each written by one rank; 0 means automatic."),
                    "0 (64 MiB, or what makes 4096 files)"),
      choice("kernels", &Run::kernels, all_kernels(),
             "What computes: simd, the processor's vector instructions, or portable, the kernels of a GPU, which a "
             "build for CPUs runs on the processor, for tests; the bits are the same. cublaslt, in a build for GPUs "
             "alone: portable, but products of matrices by cuBLASLt, whose bits are of the GPU and the library. auto: "
             "cublaslt in a build for GPUs, simd in one for CPUs."),
      choice("communicator", &Run::communicator, comm::all_transports(),
             "What moves vectors and gradients between the GPUs of ranks: nccl, which needs a GPU for each rank; mpi, "
             "from a GPU's memory where the MPI says that it can read that, else by way of the host's. auto: nccl "
             "where ranks have a GPU each and the build has it. Ids and counts, and all that lies on processors, move "
             "by MPI. The bits are the same."),
      boolean("share_gpus", &Run::share_gpus,
              "Several ranks may compute on one GPU; otherwise an error, because usually the launcher was not told to "
              "assign one GPU to each rank."),
      boolean("graphs", &Run::graphs,
              "Whether a GPU is given the dense half's kernels of a batch as one CUDA graph, where batches repeat in "
              "size; else one by one. The bits are the same. simd has no use for it."),
      text("mlperf_log", &Run::mlperf_log, Text::path,
           "A file for the lines (:::MLLOG) that MLPerf Training's checker and summarizer read; empty means none. A "
           "run that goes on appends to it. MLPerf wants caches cleared and training data untouched before: that is "
           "the script's part, and cache_clear is false in the log."),
      text("mlperf_org", &Run::mlperf_org, Text::filled, "In that log: who submits."),
      text("mlperf_platform", &Run::mlperf_platform, Text::filled, "In that log: the system's name."),
      choice("mlperf_division", &Run::mlperf_division, same_words({"open", "closed"}), "In that log."),
      choice("mlperf_status", &Run::mlperf_status, same_words({"research", "onprem", "cloud", "preview"}),
             "In that log."),
  };
  return {single(
      "run", "What the run is called and where it writes.", run, [](auto& d) -> auto& { return d.run; })};
}

std::vector<Section> bench_sections() {
  using Bench = bench::Settings;
  const Choices<bench::Clock> clocks = {{"wall", bench::Clock::wall}, {"processor", bench::Clock::processor}};
  const Keys<Bench> keys = {
      number("seconds", &Bench::seconds, {1e-6, 60.0}, "s", "A repeat of a measurement lasts at least this long."),
      integer("repeats", &Bench::repeats, {1, 1000}, "", "Repeats of each measurement; the median counts."),
      choice("clock", &Bench::clock, clocks,
             "wall: what a run feels, on a machine of its own; processor: the time that the system gave to the "
             "process, where others compute meanwhile. Phases of a step are always by the wall clock."),
      integer("memory", &Bench::memory, {Index{1} << 20, no_limit}, "bytes",
              "Memory of a rank for streams, random rows and tables: as much as its tables will have; rows cost more "
              "in more."),
      integer("steps", &Bench::steps, {1, 100000}, "steps", "Whole steps of a repeat, each on a batch of its own."),
  };
  return {single(
      "bench", "How tesserec bench measures.", keys, [](auto& d) -> auto& { return d.bench; })};
}

}  // namespace tesserec::deck
