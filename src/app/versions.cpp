// SPDX-License-Identifier: Apache-2.0
#include "versions.hpp"

#include "version.hpp"
#include <tesserec/comm/environment.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/store/hdf5.hpp>

namespace tesserec::app {

std::string versions() {
  return concat("tesserec " TESSEREC_VERSION ", Kokkos ", kokkos_version(), ", HDF5 ", store::hdf5_version(), ", ",
                comm::Environment::library());
}

}  // namespace tesserec::app
