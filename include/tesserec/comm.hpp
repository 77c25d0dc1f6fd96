// SPDX-License-Identifier: Apache-2.0
#pragma once

/// comm: communication between ranks over MPI or NCCL, with 64-bit counts and checked return codes.
/// main() calls run(), which starts MPI and Kokkos and calls the program's body with a `Communicator` of all ranks.
/// require_same() compares the ranks' inputs. agree() runs a rank's local work and throws an exception of one rank on
/// all ranks. No rank then waits for a rank that has given up. tree_reduce() and `TreeReduce` then add numbers by the
/// fixed tree over lanes: the same bits for any number of ranks. A Communicator itself reduces integers alone. All
/// ranks make the calls marked "Collective." in one order, each from the thread that called run(). Objects keep
/// references to their communicator, and none may outlive the body of run(). Failed MPI calls throw class Error.
/// src/comm/README.md says more; docs/library.md lists what must agree between ranks.
///
/// ```cpp
/// const Lanes lanes(8);
/// comm::require_same(world, comm::NamedValues().add("lanes", lanes.count()).list(), "give all ranks one deck");
/// std::vector<double> losses(lanes.of_rank(world.rank(), world.size()).size(), 0.7);  // one per lane of this rank
/// comm::agree(world, [&] {  // an Error of one rank is thrown on all; no collective call may stand inside
///   for (const double loss : losses)
///     if (!(loss >= 0)) fail("rank ", world.rank(), ": loss ", loss, " is not a loss");
/// });
/// const double total = comm::tree_reduce(world, lanes, losses);
/// const std::vector<double> all = world.all_gather(std::span<const double>(losses));  // in lane order
/// if (world.rank() == 0) comm::say(concat("mean loss ", significant(total / double(all.size()), 4)));
/// ```

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/communicator.hpp>
#include <tesserec/comm/environment.hpp>
#include <tesserec/comm/message_channel.hpp>
#include <tesserec/comm/nccl.hpp>
#include <tesserec/comm/node.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/comm/run.hpp>
#include <tesserec/comm/same.hpp>
#include <tesserec/comm/transport.hpp>
#include <tesserec/comm/transport_type.hpp>
#include <tesserec/comm/tree_reduce.hpp>
