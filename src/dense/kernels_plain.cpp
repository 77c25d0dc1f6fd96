// SPDX-License-Identifier: Apache-2.0
#include "plain_vector.hpp"

namespace tesserec::dense {

using Plain = Tiles<PlainVector<8, 4>>;
const Kernels plain_kernels{"plain", 16, Plain::product, Plain::weight_gradient};

}  // namespace tesserec::dense
