// SPDX-License-Identifier: Apache-2.0
#pragma once

/// core: the base of all folders, with Kokkos aliases, lanes, random numbers, elementary functions, errors and text.
/// It computes values whose bits depend on neither threads nor ranks. `Exec` is the host's execution space; `Vector`
/// and `Matrix` are views in its memory, which make_vector() and make_matrix() allocate uninitialized. `Lanes` cuts a
/// global batch and gives each rank its samples. `Random` computes each number from seed, purpose, stream, row and
/// column alone. parallel_for() then launches a loop. It waits for a body that may throw; the caller fences a noexcept
/// body before it reads the results. No function is collective. Views must not outlive the body of comm::run(), which
/// ends Kokkos. A user's mistake or a refusal of the machine throws class Error; fail() concatenates its arguments to
/// the message. src/core/README.md says more, and docs/design/law.md computes lanes by hand.
///
/// ```cpp
/// const Index batch_size = 4096;
/// const Lanes lanes(Lanes::automatic(batch_size));
/// if (world.size() > lanes.count()) fail("there are ", world.size(), " ranks; start at most ", lanes.count());
/// const Range mine = lanes.samples_of_rank(world.rank(), world.size(), batch_size);
/// const Random random(7, Purpose::test);  // seed 7
/// const Vector<float> odds = make_vector<float>(exec, "odds", mine.size());
/// parallel_for(exec, "draw", mine.size(), [=](Index i) noexcept {
///   odds(i) = elementary::sigmoid(random.normal(mine.begin + i, 0));  // row = number of the sample in the batch
/// });
/// exec.fence();
/// ```

#include <tesserec/core/check_slopes.hpp>
#include <tesserec/core/chunk_sums.hpp>
#include <tesserec/core/csv.hpp>
#include <tesserec/core/cuda_check.hpp>
#include <tesserec/core/device.hpp>
#include <tesserec/core/device_graph.hpp>
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/eight_chains.hpp>
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/elementary_numbers.hpp>
#include <tesserec/core/elementary_parts.hpp>
#include <tesserec/core/elementary_polynomials.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/freed_memory.hpp>
#include <tesserec/core/gpu.hpp>
#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/loops.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/memory_fault.hpp>
#include <tesserec/core/memory_limits.hpp>
#include <tesserec/core/mixed_bits.hpp>
#include <tesserec/core/not_finite.hpp>
#include <tesserec/core/number_type.hpp>
#include <tesserec/core/options.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/core/phases.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/core/placed.hpp>
#include <tesserec/core/process.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/random_loops.hpp>
#include <tesserec/core/read_ahead.hpp>
#include <tesserec/core/registry.hpp>
#include <tesserec/core/row_threads.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/core/short_floats.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/slurm.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/core/tree_sum.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/core/utc.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/core/weight_bounds.hpp>
