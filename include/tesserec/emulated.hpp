// SPDX-License-Identifier: Apache-2.0
#pragma once

/// emulated: a device in the host's memory that behaves as a GPU does in what correctness depends on, for tests.
/// A build with -DTESSEREC_DEVICE=emulated puts it in place of the GPU behind core/device.hpp, and only such a build
/// links it. settings(), or the environment variable TESSEREC_EMULATED, first chooses the order of queued work. A
/// `Device` is a queue: launch_numbers() and launch_teams() queue kernels on `Array`s in device memory, copy() moves
/// values, and fence() waits. Kernels run late, so memory must stay until a fence. The host may not touch device
/// memory. Faults do not throw class Error. A missed barrier, a stray access or an invalid launch ends the process with
/// exit code 70 and a report of kernel, block and thread. src/emulated/README.md says more; tests/device.sh runs the
/// tests on it.
///
/// ```cpp
/// #ifdef TESSEREC_EMULATED
/// emulated::settings().order = emulated::Order::random;
/// const emulated::Device device;
/// const emulated::Array<Index, emulated::Kind::device> squares("squares", 100);
/// emulated::launch_numbers(device, "square", 100, [to = squares.data()](Index i) { to[i] = i * i; });
/// std::vector<Index> host(squares.size());
/// emulated::copy(device, squares.data(), host.data(), host.size() * sizeof(Index));
/// device.fence();  // host is valid from here on
/// #endif
/// ```

#include <tesserec/emulated/device.hpp>
#include <tesserec/emulated/fault.hpp>
#include <tesserec/emulated/launch.hpp>
#include <tesserec/emulated/memory.hpp>
#include <tesserec/emulated/settings.hpp>
