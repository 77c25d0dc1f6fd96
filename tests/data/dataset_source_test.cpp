// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "catch.hpp"
#include "samples_file.hpp"
#include "store/scratch.hpp"

using namespace tesserec;
using data::Use;

namespace {

data::Settings reading(const std::vector<std::string>& train) {
  data::Settings settings;
  settings.train = settings.evaluate = train;
  return settings;
}

data::Deal deal(Index batch_size, int lanes, bool shuffle) { return {0, 1, Lanes(lanes), batch_size, shuffle, 9}; }

/// Runs `write` on rank 0; all ranks then read the files.
template <class Write>
void on_first(const comm::Communicator& comm, const Write& write) {
  if (comm.rank() == 0) write();
  comm.barrier();
}

}  // namespace

TEST_CASE("make_source: reads several files of packed ids as one in file order") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  on_first(comm, [&] {
    samples_file::packed(scratch / "day_0.h5", 0, 40);
    samples_file::packed(scratch / "day_1.h5", 40, 13);
    samples_file::packed(scratch / "day_2.h5", 53, 50);
  });
  const auto source = data::make_source(reading({scratch / "day_*.h5"}), Use::train, deal(16, 2, false));
  const data::SourceInfo& info = source->info();
  REQUIRE(info.samples == 103);
  REQUIRE(info.dense_features == 2);
  REQUIRE(info.features == std::vector<std::string>{"low", "high"});
  REQUIRE(info.rows == std::vector<Index>{1000, 1000});
  REQUIRE(info.weighted == std::vector<bool>{false, false});
  data::Batch batch{Exec()};
  Index i = 0;
  while (source->next(batch)) {
    REQUIRE(batch.size == std::min<Index>(16, 103 - i));
    REQUIRE(batch.global_size == batch.size);
    REQUIRE(batch.sparse.stride == batch.size);
    REQUIRE_FALSE(batch.sparse.weighted());
    for (Index s = 0; s < batch.size; ++s, ++i) {
      REQUIRE(batch.labels(s) == static_cast<float>(i % 2));
      REQUIRE(batch.dense(s, 0) == static_cast<float>(i));
      REQUIRE(batch.dense(s, 1) == -static_cast<float>(i));
      REQUIRE(batch.sparse.length(1, s) == 1);
      REQUIRE(batch.sparse.values(batch.sparse.begin(0, s)) == i % 1000);
      REQUIRE(batch.sparse.values(batch.sparse.begin(1, s)) == i / 1000);
    }
  }
  REQUIRE(i == 103);
  REQUIRE_FALSE(source->next(batch));
  source->seek(1, 6);
  REQUIRE(source->next(batch));
  REQUIRE(batch.size == 7);
  REQUIRE(batch.dense(0, 0) == 96);
}

TEST_CASE("make_source: samples keep their weights when shuffled and on any rank") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  on_first(comm, [&] { samples_file::packed(scratch / "a.h5", 0, 900, samples_file::add_weights); });
  const data::Settings settings = reading({scratch / "a.h5"});
  const auto source = data::make_source(settings, Use::train, deal(100, 4, true));
  REQUIRE(source->info().sample_weights);
  data::Batch batch{Exec()};
  double sum = 0;
  while (source->next(batch))
    for (Index s = 0; s < batch.size; ++s) {
      REQUIRE(batch.weights(s) == float(Index(batch.dense(s, 0)) % 3));
      sum += batch.weights(s);
    }
  REQUIRE(sum == 900);
  REQUIRE(samples_file::drain(settings, Use::train, deal(100, 4, true), 1, 0, 0) ==
          samples_file::drain(settings, Use::train, deal(100, 4, true), 3, 0, 0));
}

TEST_CASE("make_source: jagged ids keep bags and weights in file order and when shuffled") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  on_first(comm, [&] {
    samples_file::jagged(scratch / "a.h5", 0, 9000);
    samples_file::jagged(scratch / "b.h5", 9000, 111000);
  });
  for (const auto& [lanes, shuffle] : {std::pair(4, false), std::pair(4, true), std::pair(1, true)}) {
    const auto source =  // one lane reads several windows
        data::make_source(reading({scratch / "a.h5", scratch / "b.h5"}), Use::train, deal(300, lanes, shuffle));
    REQUIRE(source->info().weighted == std::vector<bool>{true, false});
    std::set<Index> seen;
    data::Batch batch{Exec()};
    bool right = true;
    while (source->next(batch))
      for (Index s = 0; s < batch.size; ++s) {
        const auto i = static_cast<Index>(batch.labels(s) * (1 << 17));
        seen.insert(i);
        const auto& sparse = batch.sparse;
        right &= sparse.length(0, s) == i % 4 && sparse.length(1, s) == 1;
        for (Index j = 0; j < sparse.length(0, s); ++j) {
          const Index at = sparse.begin(0, s) + j;
          right &= sparse.values(at) == i + j && sparse.weights(at) == 0.5f * static_cast<float>(i + j);
        }
        right &= sparse.values(sparse.begin(1, s)) == 2 * i && sparse.weights(sparse.begin(1, s)) == 1.0f;
      }
    REQUIRE(right);
    REQUIRE(seen.size() == 120000);
  }
}

TEST_CASE("make_source: any number of ranks gives the batches of one rank from any position") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  on_first(comm, [&] {
    samples_file::packed(scratch / "0.h5", 0, 70000);
    samples_file::packed(scratch / "1.h5", 70000, 30001);
  });
  const data::Settings settings = reading({scratch / "?.h5"});
  for (const bool shuffle : {false, true}) {
    const auto one_rank = samples_file::drain(settings, Use::train, deal(2000, 8, shuffle), 1, 1, 0);
    REQUIRE(one_rank.size() == 51);
    for (const int ranks : {3, 8})
      REQUIRE(samples_file::drain(settings, Use::train, deal(2000, 8, shuffle), ranks, 1, 0) == one_rank);
    for (const Index from : {Index{1}, Index{30}, Index{50}}) {
      const auto rest = samples_file::drain(settings, Use::train, deal(2000, 8, shuffle), 2, 1, from);
      REQUIRE(rest == std::vector(one_rank.begin() + from, one_rank.end()));
    }
  }
  // Evaluation follows file order, even if training is shuffled.
  REQUIRE(samples_file::drain(settings, Use::evaluate, deal(2000, 8, true), 1, 0, 0) ==
          samples_file::drain(settings, Use::train, deal(2000, 8, false), 1, 0, 0));
}

TEST_CASE("make_source: the ranks of a job together read the batches of one rank") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  on_first(comm, [&] { samples_file::packed(scratch / "x.h5", 0, 50000); });
  const data::Settings settings = reading({scratch / "x.h5"});
  data::Deal local_deal = deal(1500, 4, true);
  const auto one_rank = samples_file::drain(settings, Use::train, local_deal, 1, 2, 4);
  local_deal.rank = comm.rank();
  local_deal.ranks = comm.size();
  const auto source = data::make_source(settings, Use::train, local_deal);
  source->seek(2, 4);
  std::string text, expected;
  for (const auto& batch : samples_file::drain(*source)) {
    std::string local;
    for (const std::string& line : batch) local += line + "\n";
    const auto all = comm.all_gather(std::span<const char>(local.data(), local.size()));
    text.append(all.begin(), all.end());
  }
  for (const auto& batch : one_rank)
    for (const std::string& line : batch) expected += line + "\n";
  REQUIRE(text == expected);
}

TEST_CASE("Source: seek may leave an epoch in the middle and start another") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Scratch scratch(comm);
  on_first(comm, [&] { samples_file::packed(scratch / "x.h5", 0, 200000); });
  const auto source = data::make_source(reading({scratch / "x.h5"}), Use::train, deal(100, 4, true));
  data::Batch batch{Exec()};
  for (int i = 0; i < 3; ++i) {
    source->seek(i, 500);
    REQUIRE(source->next(batch));
  }
}

TEST_CASE("Dataset::read: short runs that lie close are read at once, and as each one alone") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() > 1) return;
  const Scratch scratch(comm);
  const auto read_calls = [] {  // of this process, 0 if the system does not say
    std::ifstream io("/proc/self/io");
    Index calls = 0;
    for (std::string word; io >> word;)
      if (word == "syscr:") io >> calls;
    return calls;
  };
  on_first(comm, [&] {
    samples_file::jagged(scratch / "a.h5", 0, 9000);
    samples_file::jagged(scratch / "b.h5", 9000, 40000);
    samples_file::packed(scratch / "c.h5", 0, 9000, samples_file::add_weights);
    samples_file::packed(scratch / "d.h5", 9000, 40000, samples_file::add_weights);
  });
  for (const auto& files : {std::vector{scratch / "a.h5", scratch / "b.h5"}, {scratch / "c.h5", scratch / "d.h5"}}) {
    const data::Dataset dataset(files, "data.train");
    std::vector<Range> runs;
    for (Index i = 0; i < 48000; i += 1 + i % 23) runs.push_back({i, i + 1 + i % 3});
    runs.insert(runs.end(), {{100, 90}, {8000, 30000}, {20, 21}, {20, 21}, {22, 24}, {48999, 49000}});
    std::erase_if(runs, [](const Range& run) { return run.size() <= 0; });
    data::Samples together, alone;
    const Index before = read_calls();
    dataset.read(runs, dataset.info().rows, together);
    CHECK(read_calls() - before < std::ssize(runs));  // alone each has three calls or more
    Index at = 0;
    bool same = true;
    for (const Range& run : runs) {
      dataset.read({run}, dataset.info().rows, alone);
      const auto part = [&](const auto& all, const auto& some, Index columns) {
        same &= columns == 0 || std::equal(some.begin(), some.end(), all.begin() + at * columns);
      };
      part(together.labels, alone.labels, 1);
      part(together.weights, alone.weights, dataset.info().sample_weights ? 1 : 0);
      part(together.dense, alone.dense, dataset.info().dense_features);
      part(together.ids, alone.ids, dataset.packed() ? 2 : 0);
      for (std::size_t f = 0; f < alone.jagged.size(); ++f) {
        const auto& all = together.jagged[f];
        const auto& some = alone.jagged[f];
        const Index first = all.offsets[at];
        for (Index i = 0; i <= run.size(); ++i) same &= all.offsets[at + i] == first + some.offsets[i];
        same &= std::equal(some.values.begin(), some.values.end(), all.values.begin() + first);
        if (!some.weights.empty())
          same &= std::equal(some.weights.begin(), some.weights.end(), all.weights.begin() + first);
      }
      at += run.size();
    }
    CHECK(same);
    CHECK(at == together.size);
  }
}
