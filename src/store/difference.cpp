// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <tesserec/store/difference.hpp>

namespace tesserec::store {
namespace {

constexpr Index compared_bytes = Index{8} << 20;

/// Returns the distance of two numbers with different bits.
double distance(float a, float b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const double apart = std::abs(double(a) - double(b));
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

/// Compares the rows and columns that both files have.
void compare_numbers(const PartedFile& a, const PartedFile& b, MatrixDifference& found) {
  const Index rows = std::min(found.a.rows, found.b.rows), columns = std::min(found.a.columns, found.b.columns);
  found.compared = rows * columns;
  if (found.compared == 0) return;
  const Index step = std::max<Index>(1, compared_bytes / (columns * Index{sizeof(float)}));
  std::vector<float> of_a(std::size_t(std::min(step, rows) * columns)), of_b(of_a.size());
  double largest = -1;
  for (Index first = 0; first < rows; first += step) {
    const Slab slab{first, std::min(step, rows - first), 0, columns};
    a.read(found.name, slab, of_a.data());
    b.read(found.name, slab, of_b.data());
    for (Index i = 0; i < slab.rows * columns; ++i) {
      if (std::bit_cast<std::uint32_t>(of_a[i]) == std::bit_cast<std::uint32_t>(of_b[i])) continue;
      const NumberPair pair{first + i / columns, i % columns, of_a[i], of_b[i]};
      if (found.different++ == 0) found.first = pair;
      if (const double apart = distance(pair.a, pair.b); apart > largest) {
        largest = apart;
        found.largest = pair;
      }
    }
  }
}

}  // namespace

std::vector<MatrixDifference> compare_states(const PartedFile& a, const PartedFile& b) {
  const StateRecords of_a = list_state(a), of_b = list_state(b);
  std::vector<MatrixDifference> differences;
  for (const auto& [name, record] : of_a) {
    const auto other = of_b.find(name);
    if (other == of_b.end())
      differences.push_back({.name = name, .a = record});
    else if (other->second != record)
      compare_numbers(a, b, differences.emplace_back(MatrixDifference{.name = name, .a = record, .b = other->second}));
  }
  for (const auto& [name, record] : of_b)
    if (!of_a.contains(name)) differences.push_back({.name = name, .b = record});
  std::ranges::sort(differences, {}, &MatrixDifference::name);
  return differences;
}

}  // namespace tesserec::store
