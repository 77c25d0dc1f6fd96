// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::app {

/// "tesserec 0.1.0, Kokkos 3.4.1, HDF5 1.10.8, Open MPI v4.1.4": the program and what runs beneath it.
std::string versions();

}  // namespace tesserec::app
