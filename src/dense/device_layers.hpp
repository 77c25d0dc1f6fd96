// SPDX-License-Identifier: Apache-2.0
/// Who makes which layer's and loss's form for a device.
#pragma once

#include <memory>
#include <vector>

#include "kernels.hpp"
#include <tesserec/dense/device_loss.hpp>
#include <tesserec/dense/device_products.hpp>
#include <tesserec/dense/loss.hpp>
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {

std::unique_ptr<DeviceLayer> mlp_on_device(const std::vector<LinearLayer>& layers, DeviceProducts& products);
std::unique_ptr<DeviceLayer> dot_on_device(const DotShape& shape);
std::unique_ptr<DeviceLayer> cat_on_device();
std::unique_ptr<DeviceLayer> sum_on_device();
std::unique_ptr<DeviceLayer> multiply_on_device();
std::unique_ptr<DeviceLayer> dropout_on_device(Index width, double rate);
std::unique_ptr<DeviceLayer> score_on_device();
std::unique_ptr<DeviceLayer> product_on_device(Index rows, Index dim, Index columns);
std::unique_ptr<DeviceLayer> fm_on_device();
std::unique_ptr<DeviceLayer> layer_norm_on_device(Index width, Index weight, Index bias);
/// `products`: of each layer, what multiplies x_0.
std::unique_ptr<DeviceLayer> cross_on_device(const std::vector<Mlp>& layers, DeviceProducts& products);
/// First floats of the tensors of one layer of a vector_cross.
struct VectorCross {
  Index w, bias;
};
std::unique_ptr<DeviceLayer> vector_cross_on_device(Index width, const std::vector<VectorCross>& layers);
/// `experts` chains a layer, and the first floats of each layer's bias and of the gates.
std::unique_ptr<DeviceLayer> mixture_cross_on_device(const std::vector<Mlp>& chains, Index experts,
                                                     const std::vector<Index>& biases, Index gates,
                                                     DeviceProducts& products);
/// scale: of the softmax; 0 = there is none.
std::unique_ptr<DeviceLayer> attention_on_device(std::unique_ptr<DeviceLayer> mlp, Index dim, float scale);
std::unique_ptr<DeviceLayer> weighted_sum_on_device(Index positions);

std::unique_ptr<DeviceLoss> sample_loss_on_device(const SampleLoss& settings);
std::unique_ptr<DeviceLoss> in_batch_softmax_on_device(double scale);

}  // namespace tesserec::dense
