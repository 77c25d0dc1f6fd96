// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <utility>

#include <dnnl.h>
#include <omp.h>

#include <tesserec/core/error.hpp>
#include <tesserec/dense/matrix_library.hpp>

namespace tesserec::dense {
namespace {

/// Every return code of the library passes here.
void check(dnnl_status_t status, const char* call) {
  if (status == dnnl_success) return;
  const char* text = status == dnnl_out_of_memory       ? "out of memory"
                     : status == dnnl_invalid_arguments ? "invalid arguments"
                     : status == dnnl_unimplemented     ? "not implemented for this machine"
                                                        : "failed";
  fail("the matrix library's ", call, ": ", text, " (status ", static_cast<int>(status), ")");
}

struct NamedSet {
  const char* name;
  dnnl_cpu_isa_t isa;
};
// A set contains another when it has all its bits.
constexpr std::array sets{
    NamedSet{"sse41", dnnl_cpu_isa_sse41},
    NamedSet{"avx", dnnl_cpu_isa_avx},
    NamedSet{"avx2", dnnl_cpu_isa_avx2},
    NamedSet{"avx2_vnni", dnnl_cpu_isa_avx2_vnni},
    NamedSet{"avx512_core", dnnl_cpu_isa_avx512_core},
    NamedSet{"avx512_core_vnni", dnnl_cpu_isa_avx512_core_vnni},
    NamedSet{"avx512_core_bf16", dnnl_cpu_isa_avx512_core_bf16},
    NamedSet{"avx512_core_amx", dnnl_cpu_isa_avx512_core_amx},
};

/// The best known set inside `bits`; null where even sse41 is missing.
const NamedSet* best_inside(unsigned bits) {
  const NamedSet* best = nullptr;
  for (const NamedSet& set : sets)
    if ((set.isa & ~bits) == 0) best = &set;
  return best;
}

const NamedSet* find(const std::string& name) {
  for (const NamedSet& set : sets)
    if (name == set.name) return &set;
  return nullptr;
}

const NamedSet& named(const std::string& name) {
  if (const NamedSet* set = find(name)) return *set;
  std::string known;
  for (const NamedSet& set : sets) known += std::string(" ") + set.name;
  fail("unknown instruction set \"", name, "\"; known are:", known);
}

/// What the processor has. Sets that differ for 8-bit integers on tiles alone are left out: no product here
/// uses them.
unsigned machine_bits() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  unsigned bits = 0;
  if (__builtin_cpu_supports("sse4.1")) bits |= dnnl_cpu_isa_sse41;
  if (__builtin_cpu_supports("avx")) bits |= dnnl_cpu_isa_avx;
  if (__builtin_cpu_supports("avx2")) bits |= dnnl_cpu_isa_avx2;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    bits |= dnnl_cpu_isa_avx512_core;
    if (__builtin_cpu_supports("avx512vnni")) bits |= dnnl_cpu_isa_avx512_core_vnni;
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16"))
      bits |= dnnl_cpu_isa_avx512_core_bf16;
  }
  return bits;
#else
  return 0;
#endif
}

/// What the user allows; a name the library does not know is ignored, as it does.
unsigned environment_bits() {
  for (const char* variable : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"})
    if (const char* value = std::getenv(variable)) {
      std::string name = value;
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (const NamedSet* set = find(name)) return static_cast<unsigned>(set->isa);
    }
  return ~0u;
}

/// The library asks OpenMP how many threads it may use; here the answer is one, and the caller's number comes
/// back.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

dnnl_engine_t engine() {
  static const dnnl_engine_t instance = [] {
    const unsigned runtime = dnnl_version()->cpu_runtime;
    if (runtime != DNNL_RUNTIME_OMP && runtime != DNNL_RUNTIME_SEQ)
      fail(
          "this oneDNN was built with a thread runtime other than OpenMP or none; its products cannot be "
          "held to one "
          "thread. Install one built with DNNL_CPU_RUNTIME=OMP or SEQ");
    dnnl_engine_t made = nullptr;
    check(dnnl_engine_create(&made, dnnl_cpu, 0), "dnnl_engine_create");
    return made;
  }();
  return instance;
}

/// A row-major or transposed view of a matrix: rows x columns with strides.
struct Layout {
  dnnl_dim_t rows, columns, row_stride, column_stride;
};

/// What to do with the finished product.
enum class Finish { store, bias, bias_relu };

/// One matmul primitive with its memory objects; their addresses are set call by call.
class Product {
 public:
  Product(const Layout& a, const Layout& b, Finish finish);
  ~Product();
  Product(Product&& other) noexcept { swap(other); }
  Product& operator=(Product&& other) noexcept {
    swap(other);
    return *this;
  }
  void run(dnnl_stream_t stream, const float* a, const float* b, const float* bias, float* c) const;

 private:
  void swap(Product& other) {
    std::swap(primitive_, other.primitive_);
    std::swap(memory_, other.memory_);
  }
  dnnl_primitive_t primitive_ = nullptr;
  std::array<dnnl_memory_t, 4> memory_{};  // a, b, c, bias
};

dnnl_memory_desc_t describe(const Layout& m) {
  const dnnl_dims_t dims = {m.rows, m.columns};
  const dnnl_dims_t strides = {m.row_stride, m.column_stride};
  dnnl_memory_desc_t desc{};
#if DNNL_VERSION_MAJOR >= 3
  check(dnnl_memory_desc_create_with_strides(&desc, 2, dims, dnnl_f32, strides),
        "dnnl_memory_desc_create_with_strides");
#else
  check(dnnl_memory_desc_init_by_strides(&desc, 2, dims, dnnl_f32, strides),
        "dnnl_memory_desc_init_by_strides");
#endif
  return desc;
}

dnnl_primitive_attr_t attributes(Finish finish) {
  dnnl_post_ops_t after = nullptr;
  check(dnnl_post_ops_create(&after), "dnnl_post_ops_create");
#if DNNL_VERSION_MAJOR >= 3
  if (finish == Finish::bias_relu)
    check(dnnl_post_ops_append_eltwise(after, dnnl_eltwise_relu, 0.0f, 0.0f), "dnnl_post_ops_append_eltwise");
#else
  if (finish == Finish::bias_relu)
    check(dnnl_post_ops_append_eltwise(after, 1.0f, dnnl_eltwise_relu, 0.0f, 0.0f),
          "dnnl_post_ops_append_eltwise");
#endif
  dnnl_primitive_attr_t attributes = nullptr;
  check(dnnl_primitive_attr_create(&attributes), "dnnl_primitive_attr_create");
  check(dnnl_primitive_attr_set_post_ops(attributes, after), "dnnl_primitive_attr_set_post_ops");
  check(dnnl_post_ops_destroy(after), "dnnl_post_ops_destroy");
  return attributes;
}

Product::Product(const Layout& a, const Layout& b, Finish finish) {
  const bool bias = finish == Finish::bias || finish == Finish::bias_relu;
  std::array<dnnl_memory_desc_t, 4> desc{};
  desc[0] = describe(a);
  desc[1] = describe(b);
  desc[2] = describe({a.rows, b.columns, b.columns, 1});
  if (bias) desc[3] = describe({1, b.columns, b.columns, 1});
  const dnnl_primitive_attr_t attr = attributes(finish);
  dnnl_primitive_desc_t made = nullptr;
#if DNNL_VERSION_MAJOR >= 3
  check(dnnl_matmul_primitive_desc_create(&made, engine(), desc[0], desc[1], bias ? desc[3] : nullptr,
                                          desc[2], attr),
        "dnnl_matmul_primitive_desc_create");
#else
  dnnl_matmul_desc_t matmul{};
  check(dnnl_matmul_desc_init(&matmul, &desc[0], &desc[1], bias ? &desc[3] : nullptr, &desc[2]),
        "dnnl_matmul_desc_init");
  check(dnnl_primitive_desc_create(&made, &matmul, attr, engine(), nullptr), "dnnl_primitive_desc_create");
#endif
  check(dnnl_primitive_create(&primitive_, made), "dnnl_primitive_create");
  check(dnnl_primitive_desc_destroy(made), "dnnl_primitive_desc_destroy");
  check(dnnl_primitive_attr_destroy(attr), "dnnl_primitive_attr_destroy");
  for (int i = 0; i < (bias ? 4 : 3); ++i) {
#if DNNL_VERSION_MAJOR >= 3
    check(dnnl_memory_create(&memory_[i], desc[i], engine(), DNNL_MEMORY_NONE), "dnnl_memory_create");
    check(dnnl_memory_desc_destroy(desc[i]), "dnnl_memory_desc_destroy");
#else
    check(dnnl_memory_create(&memory_[i], &desc[i], engine(), DNNL_MEMORY_NONE), "dnnl_memory_create");
#endif
  }
}

Product::~Product() {
  for (const dnnl_memory_t memory : memory_)
    if (memory != nullptr) dnnl_memory_destroy(memory);
  if (primitive_ != nullptr) dnnl_primitive_destroy(primitive_);
}

void Product::run(dnnl_stream_t stream, const float* a, const float* b, const float* bias, float* c) const {
  const std::array<const float*, 4> data{a, b, c, bias};
  constexpr std::array<int, 4> role{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_BIAS};
  std::array<dnnl_exec_arg_t, 4> args{};
  const int count = memory_[3] != nullptr ? 4 : 3;
  for (int i = 0; i < count; ++i) {
    check(dnnl_memory_set_data_handle(memory_[i], const_cast<float*>(data[i])),
          "dnnl_memory_set_data_handle");
    args[i] = {role[i], memory_[i]};
  }
  check(dnnl_primitive_execute(primitive_, stream, count, args.data()), "dnnl_primitive_execute");
  check(dnnl_stream_wait(stream), "dnnl_stream_wait");
}

}  // namespace

struct MatrixProducts::Impl {
  enum class Kind { forward, forward_relu, input_gradient };

  Impl() { check(dnnl_stream_create(&stream, engine(), dnnl_stream_default_flags), "dnnl_stream_create"); }
  ~Impl() { dnnl_stream_destroy(stream); }

  const Product& product(Kind kind, const LayerShape& s) {
    const auto found = products.find({kind, s});
    if (found != products.end()) return found->second;
    const Layout x{s.rows, s.in, s.in, 1}, y{s.rows, s.out, s.out, 1}, w{s.out, s.in, s.in, 1};
    const auto transposed = [](const Layout& m) {
      return Layout{m.columns, m.rows, m.column_stride, m.row_stride};
    };
    const auto make = [&]() -> Product {
      switch (kind) {
        case Kind::forward:
          return {x, transposed(w), Finish::bias};
        case Kind::forward_relu:
          return {x, transposed(w), Finish::bias_relu};
        default:
          return {y, w, Finish::store};
      }
    };
    return products.emplace(std::pair{kind, s}, make()).first->second;
  }

  dnnl_stream_t stream = nullptr;
  std::map<std::pair<Kind, LayerShape>, Product> products;
};

MatrixProducts::MatrixProducts() : impl_(std::make_unique<Impl>()) {}
MatrixProducts::~MatrixProducts() = default;
MatrixProducts::MatrixProducts(MatrixProducts&&) noexcept = default;

void MatrixProducts::forward(const LayerShape& shape, bool relu, const float* x, const float* w,
                             const float* bias, float* y) {
  const OneThread guard;
  impl_->product(relu ? Impl::Kind::forward_relu : Impl::Kind::forward, shape)
      .run(impl_->stream, x, w, bias, y);
}

void MatrixProducts::input_gradient(const LayerShape& shape, const float* dy, const float* w, float* dx) {
  const OneThread guard;
  impl_->product(Impl::Kind::input_gradient, shape).run(impl_->stream, dy, w, nullptr, dx);
}

std::string matrix_library_name() { return "oneDNN"; }

std::string matrix_library_version() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

std::string instruction_set() {
  const NamedSet* set = best_inside(static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
  return set != nullptr ? set->name : "none";
}

std::string supported_instruction_set() {
  const NamedSet* set = best_inside(machine_bits() & environment_bits());
  return set != nullptr ? set->name : "none";
}

std::string common_instruction_set(const std::vector<std::string>& names) {
  unsigned bits = ~0u;
  for (const std::string& name : names) bits &= name == "none" ? 0u : static_cast<unsigned>(named(name).isa);
  const NamedSet* set = best_inside(bits);
  return set != nullptr ? set->name : "none";
}

void limit_instruction_set(const std::string& name) {
  if (name == "none") return;  // not x86-64: the library has one code path
  const dnnl_status_t status = dnnl_set_max_cpu_isa(named(name).isa);
  if (status == dnnl_invalid_arguments)
    fail("the instruction set was limited to ", name, " after the matrix library had been used");
  check(status, "dnnl_set_max_cpu_isa");
}

}  // namespace tesserec::dense
