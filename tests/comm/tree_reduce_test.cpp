// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <thread>

#include "catch.hpp"
#include "oracle.hpp"
#include <tesserec/comm/tree_reduce.hpp>
#include <tesserec/core/random.hpp>

using namespace tesserec;

TEST_CASE("TreeReduce: gives the tree's bits on every rank for any runs of lanes") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  constexpr Index length = 37;
  const Random random(5, Purpose::test);
  for (const int count : {4, 8, 64}) {
    const Lanes lanes(count);
    const auto value = [&](Index lane, Index i) { return random.normal(lane, i); };
    std::vector<oracle::Sum> leaves(static_cast<std::size_t>(count));
    for (Index lane = 0; lane < count; ++lane) {
      leaves[lane] = oracle::Row(length);
      for (Index i = 0; i < length; ++i) (*leaves[lane])[i] = value(lane, i);
    }
    const oracle::Row expected = *oracle::tree(leaves, 0, leaves.size());

    const Range own = lanes.of_rank(comm.rank(), comm.size());
    const auto fill = [&](LaneSums& sums, Range run, float scale = 1.0f) {
      sums.start(run);
      for (Index lane = run.begin; lane < run.end; ++lane) {
        const Vector<float> buffer = sums.next(lane).host();
        for (Index i = 0; i < length; ++i) buffer(i) = scale * value(lane, i);
      }
      sums.finish();
    };
    const auto require_equal = [&](const Vector<float>& total) {
      CHECK(total.size() == static_cast<std::size_t>(length));
      CHECK(std::equal(expected.begin(), expected.end(), total.data()));
    };
    for (int per_node = 1; per_node <= comm.size(); ++per_node) {
      if (comm.size() % per_node != 0) continue;
      comm::TreeReduce reduce(exec, comm, lanes, length, per_node);
      REQUIRE(reduce.ranks_per_node() == per_node);
      for (int repeat = 0; repeat < 3; ++repeat) {  // buffers are reused
        fill(reduce.lane_sums(), own, 3.0f);        // leaves other numbers in every buffer
        reduce();
        fill(reduce.lane_sums(), own);
        require_equal(reduce().host());
      }
      // The result is the same if three threads sum one run each.
      LaneSums& joined = reduce.lane_sums();
      joined.start(own);
      for (Index t = 0; t < 3; ++t) {
        LaneSums partial(exec, length);
        fill(partial, {own.begin + own.size() * t / 3, own.begin + own.size() * (t + 1) / 3});
        joined.absorb(partial);
      }
      joined.finish();
      require_equal(reduce().host());
      // The result is the same for micro-batches, in which ranks have other runs of lanes.
      for (int micro_batches = 2; micro_batches * comm.size() <= count; micro_batches *= 2) {
        const Lanes split(count, micro_batches);
        comm::TreeReduce micro_reduce(exec, comm, split, length, per_node);
        for (const float scale : {3.0f, 1.0f})
          for (int j = 0; j < micro_batches; ++j) {
            fill(micro_reduce.lane_sums(), split.of_rank(comm.rank(), comm.size(), j), scale);
            const Vector<float> total = micro_reduce(j).host();
            CHECK((total.size() > 0) == (j + 1 == micro_batches));
            if (scale == 1.0f && j + 1 == micro_batches) require_equal(total);
          }
      }
    }
  }
}

TEST_CASE("TreeReduce: the total is complete on every rank and stays until all have read it") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  constexpr Index length = 100;
  const Lanes lanes(4);
  comm::TreeReduce reduce(exec, comm, lanes, length, comm.size());
  const auto delay = [&](int late) {
    if (comm.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  float number = 0.0f;
  for (int late = 0; late < comm.size(); ++late)
    for (const bool late_to_add : {true, false}) {
      ++number;
      LaneSums& sums = reduce.lane_sums();
      const Range own = lanes.of_rank(comm.rank(), comm.size());
      sums.start(own);
      if (late_to_add) delay(late);
      for (Index lane = own.begin; lane < own.end; ++lane)
        std::fill_n(sums.next(lane).data(), length, number * static_cast<float>(lane + 1));
      sums.finish();
      const Vector<float> total = reduce().host();
      if (!late_to_add) delay(late);
      CHECK(std::count(total.data(), total.data() + length, number * 10.0f) == length);
    }
}

TEST_CASE("LaneSums: stores its sums in the added buffers and the first in the buffer added last") {
  const Exec exec;
  constexpr Index length = 20;
  for (const Range run : {Range{0, 8}, Range{3, 16}, Range{5, 11}, Range{1, 2}}) {
    INFO("lanes " << run.begin << " to " << run.end);
    LaneSums sums(exec, length);
    std::vector<Vector<float>> buffers;
    for (int i = 0; i < 4; ++i) buffers.push_back(make_vector<float>(exec, "tesserec::test::lent", length));
    for (int i = 4; i-- > 0;) sums.add_buffer(buffers[static_cast<std::size_t>(i)]);
    for (int step = 0; step < 3; ++step) {
      sums.start(run);
      for (Index lane = run.begin; lane < run.end; ++lane)
        std::fill_n(sums.next(lane).data(), length, static_cast<float>(lane));
      sums.finish();
      float total = 0;
      REQUIRE(sums.count() <= 4);
      for (int i = 0; i < sums.count(); ++i) {
        CHECK(sums.sum(i).data() == buffers[static_cast<std::size_t>(i)].data());
        total += sums.sum(i).host()(length - 1);
      }
      CHECK(total == static_cast<float>((run.begin + run.end - 1) * run.size() / 2));
    }
  }
}

TEST_CASE("TreeReduce: one thread's lane sums lie in the node's memory without a copy") {
  const Exec exec;
  const comm::Communicator comm(MPI_COMM_WORLD);
  if (comm.size() == 1 || concurrency(exec) != 1) return;
  const Lanes lanes(16);
  comm::TreeReduce reduce(exec, comm, lanes, 50, comm.size());
  REQUIRE(reduce.ranks_per_node() == comm.size());
  const Range own = lanes.of_rank(comm.rank(), comm.size());
  for (int step = 0; step < 3; ++step) {
    LaneSums& sums = reduce.lane_sums();
    sums.start(own);
    for (Index lane = own.begin; lane < own.end; ++lane) std::fill_n(sums.next(lane).data(), 50, 1.0f);
    sums.finish();
    const float* first = sums.sum(0).data();
    const Vector<float> total = reduce().host();
    if (comm.rank() == 0) CHECK(first == total.data());  // the first rank's first sum holds the total
    CHECK(total(49) == 16.0f);
  }
}

TEST_CASE("tree_reduce: adds one double per lane by the same tree") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Lanes lanes(8);
  const Range own = lanes.of_rank(comm.rank(), comm.size());
  const double values[] = {1e16, 1, -1e16, 3, 1e-3, 7, 1e8, -1e8};
  const double expected =
      ((values[0] + values[1]) + (values[2] + values[3])) + ((values[4] + values[5]) + (values[6] + values[7]));
  REQUIRE(comm::tree_reduce(comm, lanes, std::vector<double>(values + own.begin, values + own.end)) == expected);
}
