// SPDX-License-Identifier: Apache-2.0
// Text of the tensors, key -> list of bags, as TorchRec prints them.
#include <ostream>
#include <utility>
#include <vector>

#include <tesserec/core/text.hpp>
#include <tesserec/jagged/jagged_tensor.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/jagged/keyed_tensor.hpp>

namespace tesserec::jagged {
namespace {

void print(std::ostream& out, Index number) { out << number; }

void print(std::ostream& out, float number) { out << shortest(number); }

/// Prints [a, b, c], where print_element(i) prints element i.
template <class PrintElement>
void print_list(std::ostream& out, Index count, const PrintElement& print_element) {
  out << '[';
  for (Index i = 0; i < count; ++i) {
    if (i > 0) out << ", ";
    print_element(i);
  }
  out << ']';
}

/// Prints a vector, or a matrix row by row.
template <class View>
void print_row(std::ostream& out, const View& row) {
  print_list(out, Index(row.extent(0)), [&](Index i) {
    if constexpr (int(View::rank) == 1)
      print(out, row(i));
    else
      print_list(out, Index(row.extent(1)), [&](Index c) { print(out, row(i, c)); });
  });
}

/// Returns the bags of a key as views of `values`, which are the tensor's values or its weights.
template <class View>
std::vector<View> bags_of(const KeyedJaggedTensor& kjt, Index key, const View& values) {
  std::vector<View> bags;
  for (Index bag = kjt.first_bag(key); bag < kjt.first_bag(key + 1); ++bag)
    bags.push_back(Kokkos::subview(values, std::pair(kjt.offsets(bag), kjt.offsets(bag + 1))));
  return bags;
}

template <class Values>
void print_rows(std::ostream& out, const std::vector<Values>& rows) {
  print_list(out, std::ssize(rows), [&](Index b) { print_row(out, rows[b]); });
}

template <class Values>
std::ostream& print_jagged(std::ostream& out, const BasicJaggedTensor<Values>& jagged) {
  if (jagged.size() == 0) return out << "JaggedTensor()";
  out << "JaggedTensor({\n    ";
  if (jagged.weighted()) out << "\"values\": ";
  print_rows(out, jagged.to_dense());
  if (jagged.weighted()) {
    out << ",\n    \"weights\": ";
    print_rows(out, jagged.to_dense_weights());
  }
  return out << "\n})";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const JaggedTensor& jagged) { return print_jagged(out, jagged); }
std::ostream& operator<<(std::ostream& out, const JaggedFloats& jagged) { return print_jagged(out, jagged); }
std::ostream& operator<<(std::ostream& out, const JaggedVectors& jagged) { return print_jagged(out, jagged); }

std::ostream& operator<<(std::ostream& out, const KeyedJaggedTensor& kjt) {
  if (kjt.features() == 0) return out << "KeyedJaggedTensor()";
  out << "KeyedJaggedTensor({\n";
  for (Index k = 0; k < kjt.features(); ++k) {
    out << "    \"" << kjt.keys[k] << "\": ";
    if (kjt.weighted()) out << "{\n        \"values\": ";
    print_rows(out, bags_of(kjt, k, kjt.values));
    if (kjt.weighted()) {
      out << ",\n        \"weights\": ";
      print_rows(out, bags_of(kjt, k, kjt.weights));
      out << "\n    }";
    }
    out << (k + 1 < kjt.features() ? ",\n" : "\n");
  }
  return out << "})";
}

std::ostream& operator<<(std::ostream& out, const KeyedTensor& tensor) {
  if (tensor.features() == 0) return out << "KeyedTensor()";
  out << "KeyedTensor({\n";
  for (Index k = 0; k < tensor.features(); ++k) {
    out << "    \"" << tensor.keys[k] << "\": ";
    print_row(out, tensor.columns(k));
    out << (k + 1 < tensor.features() ? ",\n" : "\n");
  }
  return out << "})";
}

}  // namespace tesserec::jagged
