// SPDX-License-Identifier: Apache-2.0
#include "device_batch.hpp"

#include <algorithm>

namespace tesserec::network {

const float* DeviceBatch::send(const Device& device, Upload<float>& to, const float* from, Index size) {
  if (from == nullptr) return nullptr;
  std::copy_n(from, size, to.reserve(device, "tesserec::network::batch", size));
  return to.send(device, size);
}

const DenseInput& DeviceBatch::send(const Device& device, const DenseInput& input, Index rows) {
  rows_ = rows;
  downloads_.clear();
  on_device_ = input;
  on_device_.dense = send(device, dense_, input.dense, rows * graph_.dense_features());
  on_device_.labels = send(device, labels_, input.labels, rows * tasks_);
  on_device_.weights = send(device, weights_, input.weights, rows);
  on_device_.task_scales = send(device, task_scales_, input.task_scales, tasks_);
  if (input.place == Place::host) on_device_.pooled = send(device, pooled_, input.pooled, rows * graph_.pooled_width());
  sequences_.resize(input.unpooled.size());
  for (std::size_t q = 0; q < sequences_.size(); ++q) {
    const jagged::JaggedVectors& from = input.unpooled[q];
    jagged::JaggedVectors& to = on_device_.unpooled[q];
    const auto count = std::ssize(from.offsets);
    std::copy_n(from.offsets.data(), count, sequences_[q].offsets.reserve(device, "tesserec::network::offsets", count));
    sequences_[q].offsets.send(device, count);
    to.offsets = Vector<Index>(sequences_[q].offsets.view().data(), count);
    if (input.place == Place::device) continue;
    send(device, sequences_[q].values, from.values.data(), std::ssize(from.values));
    to.values = Matrix<float>(sequences_[q].values.view().data(), from.values.extent(0), from.values.extent(1));
  }
  return on_device_;
}

const float* DeviceBatch::parameters(const Device& device, const PlacedVector<float>& flat) {
  return flat.place() == Place::device ? flat.data() : send(device, parameters_, flat.data(), std::ssize(flat));
}

float* DeviceBatch::add_download(const Device& device, DeviceVector<float>& buffer, float* host, Index size) {
  float* const from = reserve_device(device, buffer, "tesserec::network::results", size);
  downloads_.push_back({from, host, size});
  return from;
}

float* DeviceBatch::probabilities(const Device& device, float* host) {
  return add_download(device, probabilities_, host, rows_ * tasks_);
}

float* DeviceBatch::towers(const Device& device, float* host, Index width) {
  return add_download(device, towers_, host, rows_ * width);
}

float* DeviceBatch::pooled_gradient(const Device& device, float* destination) {
  if (on_device_.place == Place::device) return destination;
  return add_download(device, pooled_gradient_, destination, rows_ * graph_.pooled_width());
}

std::vector<jagged::JaggedVectors> DeviceBatch::unpooled_gradient(
    const Device& device, const std::vector<jagged::JaggedVectors>& destination) {
  std::vector<jagged::JaggedVectors> gradients = destination;
  for (std::size_t q = 0; q < gradients.size(); ++q) {
    const Matrix<float>& values = destination[q].values;
    gradients[q].offsets = on_device_.unpooled[q].offsets;
    if (on_device_.place == Place::device) continue;
    gradients[q].values = Matrix<float>(add_download(device, sequences_[q].gradient, values.data(), std::ssize(values)),
                                        values.extent(0), values.extent(1));
  }
  return gradients;
}

void DeviceBatch::fetch(const Device& device) {
  for (const Download& download : downloads_) copy_to_host(device, download.from, download.to, download.size);
}

}  // namespace tesserec::network
