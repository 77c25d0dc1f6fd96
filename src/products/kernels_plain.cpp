// SPDX-License-Identifier: Apache-2.0
#include "kernels_of.hpp"
#include "plain_vector.hpp"

namespace tesserec::products {

constinit const KernelSet plain_kernels = kernels_of<PlainVector<8, 4>, PlainBf16<8, 4>, PlainInt8<8, 4>>("plain");

}  // namespace tesserec::products
