// SPDX-License-Identifier: Apache-2.0
#include "dots.hpp"
#include "plain_vector.hpp"

namespace tesserec::dense {

using Plain = PlainVector<8, 4>;
const Kernels plain_kernels{"plain",
                            16,
                            Tiles<Plain>::product,
                            Tiles<Plain>::weight_gradient,
                            Dots<Plain>::scratch,
                            Dots<Plain>::forward,
                            Dots<Plain>::backward};

}  // namespace tesserec::dense
