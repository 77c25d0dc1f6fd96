// SPDX-License-Identifier: Apache-2.0
#pragma once

/// products: matrix products of linear layers, and the products of a dot interaction, on hosts and GPUs.
/// Most programs use them through the folder layers. Products is the interface of one place: panel_products() serves a
/// host thread, and make_products() the place of given kernels. On a host, PackedLinear::pack() packs the weights
/// after each change. Then load(), place(), forward() and store() compute a layer's output. Its gradients need
/// load_gradient(), gradient_written(), weight_gradient() and input_gradient(), in this order. DeviceProducts has
/// these products over a whole batch in device memory. One thread at a time uses a Products and its matrices; several
/// threads may read one packed layer. Device calls queue their kernels and do not block. Rows and pointers own nothing
/// and are not checked, so the numbers must stay valid. A host's bits do not depend on its instruction set. Error is
/// thrown if the machine lacks the selected set, or if cuBLASLt refuses a call. More is in src/products/README.md.
///
/// ```cpp
/// const Index rows = 128, width = 64;  // of x and y, so weight is [64, 64]
/// const products::PackedLinear layout(/*begin=*/0, width, width, products::Precision::fp32);
/// std::vector<float> x(rows * width, 0.5f), y(rows * width), weight(width * width, 0.1f), packed(layout.end());
/// for (Index p = 0; p < layout.panels(); ++p) layout.pack(p, weight.data(), nullptr, false, packed.data());
/// const auto host = products::panel_products();
/// products::Matrix input, output;
/// input.width = output.width = width;
/// host->load({}, rows, {x.data(), width, width}, /*by_loops=*/false, input);
/// host->place({}, rows, {y.data(), width, width}, output);
/// host->forward({}, rows, {.in = width, .out = width, .packed_forward = &packed[layout.forward()],
///                          .packed_bias = &packed[layout.bias()]}, input, /*relu=*/true, output);
/// host->store({}, rows, output, {y.data(), width, width});  // y = max(0, x weight^T)
/// ```

#include <tesserec/products/device_products.hpp>
#include <tesserec/products/dots.hpp>
#include <tesserec/products/instruction_set.hpp>
#include <tesserec/products/packed_linear.hpp>
#include <tesserec/products/precision.hpp>
#include <tesserec/products/products.hpp>
