// SPDX-License-Identifier: Apache-2.0
#include "kernels_of.hpp"
#include "plain_vector.hpp"

namespace tesserec::dense {

using Plain = PlainVector<8, 4>;
constinit const Kernels plain_kernels = kernels_of<Plain>("plain");

}  // namespace tesserec::dense
