// SPDX-License-Identifier: Apache-2.0
// Products of a device by cuBLASLt. A row-major matrix is to cuBLASLt its column-major transpose, so the products are
// y^T = w x^T, dx^T = w^T dy^T and dw^T = x^T dy.
#include <bit>
#include <map>

#include "cublaslt.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {
namespace {

// Sizes for which algorithms are chosen: samples per rank, and per lane.
constexpr Index usual_rows = 4096, usual_lane = 512;
constexpr Index workspace_bytes = 32 << 20;
constexpr Index workspace_border = 256;  // bytes; cublasLtMatmul requires it, and a view starts 128 off
constexpr Index widest_alignment = 16;   // bytes; the widest load instruction

cudaStream_t stream_of(const Device& device) {
#ifdef KOKKOS_ENABLE_CUDA
  return device.cuda_stream();
#else  // the stand-in of tests/cublaslt ignores it or casts it back
  return reinterpret_cast<cudaStream_t>(const_cast<Device*>(&device));
#endif
}
/// Returns the alignment of all rows, at most 16 bytes. It is equal on all ranks, since the model gives strides and
/// columns.
template <class T>
std::uint32_t border_of(const T* data, Index stride) {
  return 1u << std::countr_zero(reinterpret_cast<std::uintptr_t>(data) | std::uintptr_t(stride) * sizeof(T) |
                                widest_alignment);
}

/// Matrix as cuBLASLt reads it.
struct Operand {
  const void* data;
  Index stride;          // elements from one row to the next
  std::uint32_t border;  // alignment of every row, bytes
  Index bytes;           // size of an element
  const void* row(Index r) const { return static_cast<const char*>(data) + r * stride * bytes; }
};

class CublasLtProducts final : public DeviceProducts {
 public:
  explicit CublasLtProducts(Precision precision) : precision_(precision) {}

  void forward(const Device& device, const Forward& p) override {
    if (p.rows == 0) return;
    const Index in = p.x.width, out = p.y.width;
    Rounded& rounded = p.rounded != nullptr ? *p.rounded : own_;
    const Operand w = operand(device, rounded.weight, out, {p.weight, in, in}, out);
    const Operand x = operand(device, rounded.x, p.rows, p.x, out);
    PinnedProduct& product = pinned({.precision = precision_of(out),
                                     .a_transposed = true,
                                     .bias = p.bias != nullptr,
                                     .m = out,
                                     .n = usual_rows,
                                     .k = in},
                                    w, x, p.y.data, p.y.stride, {1, in});
    product({p.rows, in}, w.data, x.data, p.bias, p.y.data, workspace(device), stream_of(device));
    if (p.relu) relu_on(device, p.rows, p.y);
  }

  void input_gradient(const Device& device, const InputGradient& p) override {
    if (p.rows == 0) return;
    const Index in = p.dx.width, out = p.dy.width;
    const Rows<const float> weight{p.weight, in, in};
    const bool is_cached = p.rounded != nullptr;
    const Operand w =
        is_cached ? cached_operand(p.rounded->weight, weight, out) : operand(device, own_.weight, out, weight, out);
    const Operand dy =
        is_cached ? cached_operand(rounded_dy_, p.dy, out) : operand(device, rounded_dy_, p.rows, p.dy, out);
    PinnedProduct& product = pinned({.precision = precision_of(out), .m = in, .n = usual_rows, .k = out}, w, dy,
                                    p.dx.data, p.dx.stride, {1, out});
    product({p.rows, out}, w.data, dy.data, nullptr, p.dx.data, workspace(device), stream_of(device));
    if (p.mask.data != nullptr) mask_on(device, p.rows, p.mask, p.dx, p.dx);
  }

  void weight_gradient(const Device& device, const WeightGradient& p) override {
    const Index in = p.x.width, out = p.dy.width, lanes = p.pieces.lanes;
    const Index* const first = p.pieces.lane_rows;
    const auto size_of = [&](Index lane) { return first[lane + 1] - first[lane]; };
    const Operand x =
        p.rounded != nullptr ? cached_operand(p.rounded->x, p.x, out) : operand(device, own_.x, first[lanes], p.x, out);
    const Operand dy = operand(device, rounded_dy_, first[lanes], p.dy, out);
    // One call covers consecutive lanes of equal size.
    for (Index lane = 0, end = 0; lane < lanes; lane = end) {
      const Index size = size_of(lane);
      while (end < lanes && size_of(end) == size) ++end;
      float* const to = p.weight + lane * p.stride;
      if (size == 0) {
        clear_rows(Where(device), end - lane, {to, in * out, p.stride});
        continue;
      }
      PinnedProduct& product =
          pinned({.precision = precision_of(out), .b_transposed = true, .m = in, .n = out, .k = usual_lane}, x, dy,
                 p.weight, in, {out, 1, 2, x.stride, dy.stride, p.stride}, border_of(p.weight, p.stride));
      product({out, size, std::int32_t(end - lane), size * x.stride, size * dy.stride, p.stride}, x.row(first[lane]),
              dy.row(first[lane]), nullptr, to, workspace(device), stream_of(device));
    }
    bias_gradient(device, p, sums_);
  }

 private:
  /// Returns the precision of a layer's products: fp32 for a layer of one neuron, as on a host.
  Precision precision_of(Index out) const { return out > 1 ? precision_ : Precision::fp32; }

  /// Returns the floats in place or, in bf16, a rounded copy with rows aligned to `widest_alignment`.
  Operand operand(const Device& device, DeviceVector<std::uint16_t>& rounded, Index rows, Rows<const float> from,
                  Index out) {
    if (precision_of(out) == Precision::bf16) {
      const Index stride = bf16_stride(from.width);
      std::uint16_t* const to = reserve_device(device, rounded, "tesserec::products::bf16", rows * stride);
      round_on(device, rows, from, {to, from.width, stride});
    }
    return cached_operand(rounded, from, out);
  }
  /// Returns the same operand without a new copy, because `rounded` already has it.
  Operand cached_operand(const DeviceVector<std::uint16_t>& rounded, Rows<const float> from, Index out) const {
    if (precision_of(out) != Precision::bf16)
      return {from.data, from.stride, border_of(from.data, from.stride), Index(sizeof(float))};
    const Index stride = bf16_stride(from.width);
    return {rounded.data(), stride, border_of(rounded.data(), stride), Index(sizeof(std::uint16_t))};
  }
  static Index bf16_stride(Index width) {
    constexpr Index multiple = widest_alignment / Index(sizeof(std::uint16_t));
    return (width + multiple - 1) / multiple * multiple;
  }

  PinnedProduct& pinned(LtProduct product, const Operand& a, const Operand& b, const float* d, Index d_stride,
                        const LtSize& least, std::uint32_t d_border = widest_alignment) {
    product.a_step = a.stride;
    product.a_alignment = a.border;
    product.b_step = b.stride;
    product.b_border = b.border;
    product.d_step = d_stride;
    product.d_border = std::min(d_border, border_of(d, d_stride));
    if (handle_ == nullptr) handle_ = make_lt_handle();  // created on first use, once a GPU runs
    return pinned_.try_emplace(product, handle_.get(), product, least, workspace_bytes).first->second;
  }
  LtWorkspace workspace(const Device& device) {
    char* const all =
        reserve_device(device, workspace_, "tesserec::products::cublaslt", workspace_bytes + workspace_border);
    const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(all) % workspace_border;
    return {all + (behind == 0 ? 0 : workspace_border - behind), workspace_bytes};
  }

  Precision precision_;
  LtHandle handle_;
  std::map<LtProduct, PinnedProduct> pinned_;
  Rounded own_;  // operands of calls without a cache
  DeviceVector<std::uint16_t> rounded_dy_;
  DeviceVector<char> workspace_;
  ChunkSums sums_;
};

}  // namespace

std::unique_ptr<DeviceProducts> cublaslt_products(Precision precision) {
  return std::make_unique<CublasLtProducts>(precision);
}

}  // namespace tesserec::products
