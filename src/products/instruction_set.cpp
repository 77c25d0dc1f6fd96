// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <vector>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "kernels.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/products/instruction_set.hpp>

namespace tesserec::products {
namespace {

#if defined(__x86_64__) && defined(__GNUC__)
/// Returns whether this process may use tiles. Linux allows them on request (Documentation/arch/x86/xstate.rst).
bool has_tiles() {
#ifdef SYS_arch_prctl
  constexpr long request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return __builtin_cpu_supports("amx-int8") && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
#else
  return false;
#endif
}
#endif

/// Lists the kernel sets that this machine runs, the fastest first.
std::vector<const KernelSet*> available() {
  std::vector<const KernelSet*> all;
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const bool has_bytes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  const bool has_vnni = has_bytes && __builtin_cpu_supports("avx512vnni");
  if (has_vnni && has_tiles()) all.push_back(&avx512_amx_kernels);
  if (has_vnni && __builtin_cpu_supports("avx512bf16")) all.push_back(&avx512_bf16_kernels);
  if (has_vnni) all.push_back(&avx512_vnni_kernels);
  if (has_bytes) all.push_back(&avx512_kernels);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&avx2_kernels);
#elif defined(__aarch64__)
  all.push_back(&neon_kernels);
#endif
  all.push_back(&plain_kernels);
  return all;
}

const KernelSet& choose() {
  const std::vector<const KernelSet*> all = available();
  const char* requested = std::getenv("TESSEREC_INSTRUCTION_SET");
  if (requested == nullptr || *requested == '\0') return *all.front();
  for (const KernelSet* set : all)
    if (std::string(requested) == set->name) return *set;
  fail("TESSEREC_INSTRUCTION_SET is \"", requested, "\", but this machine has ",
       join(all, ", ", [](const KernelSet* set) { return set->name; }));
}

}  // namespace

const KernelSet& kernels() {
  static const KernelSet& chosen = choose();
  return chosen;
}

std::string instruction_set() { return kernels().name; }
const DotKernels& dot_kernels() { return kernels().dots; }

}  // namespace tesserec::products
