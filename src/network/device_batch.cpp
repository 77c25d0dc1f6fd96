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
  on_device_.labels = send(device, labels_, input.labels, rows);
  on_device_.weights = send(device, weights_, input.weights, rows);
  if (input.place == Place::host) on_device_.pooled = send(device, pooled_, input.pooled, rows * graph_.pooled_width());
  sequences_.resize(input.unpooled.size());
  for (std::size_t q = 0; q < sequences_.size(); ++q) {
    const jagged::JaggedVectors& from = input.unpooled[q];
    jagged::JaggedVectors& to = on_device_.unpooled[q];
    const auto count = std::ssize(from.offsets);
    sequences_[q].host_offsets = from.offsets.data();
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

float* DeviceBatch::add_download(const Device& device, DeviceVector<float>& by, float* to, Index size) {
  float* const from = reserve_device(device, by, "tesserec::network::results", size);
  downloads_.push_back({from, to, size});
  return from;
}

float* DeviceBatch::result(const Device& device, float* wanted, Index width) {
  return add_download(device, width == 1 ? probabilities_ : towers_, wanted, rows_ * width);
}

float* DeviceBatch::pooled_gradient(const Device& device, float* wanted) {
  if (on_device_.place == Place::device) return wanted;
  return add_download(device, pooled_gradient_, wanted, rows_ * graph_.pooled_width());
}

std::vector<jagged::JaggedVectors> DeviceBatch::unpooled_gradient(const Device& device,
                                                                  const std::vector<jagged::JaggedVectors>& wanted) {
  std::vector<jagged::JaggedVectors> there = wanted;
  for (std::size_t q = 0; q < there.size(); ++q) {
    const Matrix<float>& to = wanted[q].values;
    there[q].offsets = on_device_.unpooled[q].offsets;
    if (on_device_.place == Place::device) continue;
    there[q].values = Matrix<float>(add_download(device, sequences_[q].gradient, to.data(), std::ssize(to)),
                                    to.extent(0), to.extent(1));
  }
  return there;
}

void DeviceBatch::fetch(const Device& device) {
  for (const Download& one : downloads_) copy_to_host(device, one.from, one.to, one.size);
}

}  // namespace tesserec::network
