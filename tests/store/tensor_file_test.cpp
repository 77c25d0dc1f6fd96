// SPDX-License-Identifier: Apache-2.0
// TensorFile: safetensors files and folders of NumPy arrays, as their formats say, and what is refused.
#include <bit>
#include <cstring>

#include "catch.hpp"
#include "scratch.hpp"
#include <tesserec/core/short_floats.hpp>
#include <tesserec/store/tensor_file.hpp>

using namespace tesserec;
using store::StoredTensor;
using store::TensorFile;
using store::TensorType;

namespace {

template <class T>
std::string bytes(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

std::string safetensors(const std::string& head, const std::string& numbers) {
  return bytes(std::vector{std::uint64_t(head.size())}) + head + numbers;
}

std::string npy(const std::string& head, const std::string& numbers) {
  return std::string("\x93NUMPY\x01\x00", 8) + bytes(std::vector{std::uint16_t(head.size())}) + head + numbers;
}

std::vector<float> all_of(const StoredTensor& tensor) {
  std::vector<float> numbers(std::size_t(tensor.count()));
  store::read_numbers(tensor, {0, tensor.count()}, numbers.data());
  return numbers;
}

}  // namespace

TEST_CASE("TensorFile: reads safetensors of fp32, fp16 and bf16, whole and by runs") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const std::string numbers =
      bytes(std::vector<float>{1, 2, 3, 4, 5, -6}) +
      bytes(std::vector<std::uint16_t>{to_fp16(0.5f), to_fp16(-65504), to_bf16(3), to_bf16(1e30f)}) +
      bytes(std::vector<double>{7});
  put_bytes(
      scratch / "w.safetensors",
      safetensors(R"({"__metadata__": {"format": "pt"}, "w": {"dtype": "F32", "shape": [3, 2], "data_offsets": )"
                  R"([0, 24]}, "c": {"dtype": "BF16", "shape": [2, 1], "data_offsets": [28, 32]}, "b": {"dtype": )"
                  R"("F16", "shape": [2], "data_offsets": [24, 28]}, "d": {"dtype": "F64", "shape": [], )"
                  R"("data_offsets": [32, 40]}, "e": {"dtype": "F32", "shape": [0, 5], "data_offsets": [24, 24]}})",
                  numbers));
  const TensorFile file(scratch / "w.safetensors");
  REQUIRE(file.tensors().size() == 5);
  CHECK(file.tensors()[0].name == "b");
  CHECK(file.metadata() == store::TensorMetadata{{"format", "pt"}});
  CHECK(all_of(*file.find("w")) == std::vector<float>{1, 2, 3, 4, 5, -6});
  CHECK(all_of(*file.find("b")) == std::vector<float>{0.5f, -65504});
  CHECK(all_of(*file.find("c")) == std::vector<float>{3, from_bf16(to_bf16(1e30f))});
  CHECK(file.find("c")->shape == std::vector<Index>{2, 1});
  CHECK(file.find("d")->type == TensorType::other);
  CHECK(file.find("e")->count() == 0);
  CHECK(file.find("x") == nullptr);
  float run[2];
  store::read_numbers(*file.find("w"), {3, 5}, run);
  CHECK(run[0] == 4);
  CHECK(run[1] == 5);
  store::read_numbers(*file.find("b"), {1, 2}, run);
  CHECK(run[0] == -65504);
  const StoredTensor w = *file.find("w");
  put_bytes(scratch / "w.safetensors", "short");
  CHECK(mentions(error_of([&] { all_of(w); }), "it ends inside tensor w"));
}

TEST_CASE("TensorFile: refuses safetensors whose head is damaged or whose tensors do not cover the numbers") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  const auto says = [&](const std::string& text) {
    put_bytes(scratch / "bad", text);
    return error_of([&] { TensorFile(scratch / "bad"); });
  };
  const auto with = [&](const std::string& shape, const std::string& offsets, const std::string& dtype = "F32") {
    return says(safetensors(
        R"({"w": {"dtype": ")" + dtype + R"(", "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}",
        std::string(24, '\0')));
  };
  CHECK(with("[3, 2]", "[0, 24]").empty());
  CHECK(says("") == scratch / "bad" + ": it is no safetensors file: it has only 0 bytes");
  CHECK(mentions(says(bytes(std::vector<std::uint64_t>{9}) + "{}"), "its head would have 9 bytes"));
  CHECK(mentions(says(bytes(std::vector<std::uint64_t>{~0ull}) + "{}"),
                 "its head would have 18446744073709551615 bytes"));
  CHECK(mentions(says(safetensors("[]", "")), "the head must be a JSON object"));
  CHECK(mentions(says(safetensors("{", "")), scratch / "bad"));
  CHECK(mentions(with("[3, 3]", "[0, 24]"), "tensor w: shape [3, 3] of F32 does not have the 24 bytes"));
  CHECK(mentions(with("[3, -2]", "[0, 24]"), "does not have the 24 bytes"));
  CHECK(mentions(with("[4611686018427387904, 4611686018427387904, 4]", "[0, 24]"), "does not have the 24 bytes"));
  CHECK(mentions(with("[3, 2]", "[0, 24]", "F16"), "does not have the 24 bytes"));
  CHECK(mentions(with("[3, 2]", "[8, 32]"), "exceed the 24 bytes of numbers; the file is truncated"));
  CHECK(mentions(with("[3, 2]", "[-8, 16]"), "exceed the 24 bytes"));
  CHECK(mentions(with("[3, 2]", "[24, 0]"), "exceed the 24 bytes"));
  CHECK(mentions(with("[3, 2]", "[0, 24, 24]"), "must be two numbers"));
  CHECK(mentions(with("3", "[0, 24]"), "tensor w"));
  CHECK(mentions(with("[2, 2]", "[8, 24]"), "not where the one before ends"));
  CHECK(mentions(with("[2, 2]", "[0, 16]"), "the tensors end at byte"));
  const auto two = [&](const std::string& a, const std::string& b) {
    return says(safetensors(R"({"a": {"dtype": "U8", "shape": [12], "data_offsets": )" + a +
                                R"(}, "b": {"dtype": "U8", "shape": [12], "data_offsets": )" + b + "}}",
                            std::string(24, '\0')));
  };
  CHECK(two("[12, 24]", "[0, 12]").empty());
  CHECK(mentions(two("[0, 12]", "[0, 12]"), "tensor "));
  CHECK(mentions(error_of([&] { TensorFile(scratch / "none"); }), "none: there is no such file; check the path"));
}

TEST_CASE("TensorFile: reads a folder of NumPy arrays, and refuses what is none") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Scratch scratch(world);
  std::filesystem::create_directories(scratch / "arrays");
  const std::string plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n";
  const std::string six = bytes(std::vector<float>{1, 2, 3, 4, 5, 6});
  put_bytes(scratch / "arrays/tables.C1.weight.npy", npy(plain, six));
  put_bytes(scratch / "arrays/half.npy", npy("{'shape': (1,), 'fortran_order': False, 'descr': '<f2'}\n",
                                             bytes(std::vector<std::uint16_t>{to_fp16(0.25f)})));
  put_bytes(scratch / "arrays/long.npy",
            npy("{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", std::string(8, '\0')));
  put_bytes(scratch / "arrays/ids.npy", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n",
                                            bytes(std::vector<Index>{7, -1, Index{1} << 62})));
  put_bytes(scratch / "arrays/README", "no array");
  CHECK(TensorFile(scratch / "arrays").metadata().empty());
  put_bytes(scratch / "arrays/metadata.json", R"({"vocabulary_digest": "ab", "step": 3})");
  const TensorFile file(scratch / "arrays");
  REQUIRE(file.tensors().size() == 4);
  CHECK(file.metadata() == store::TensorMetadata{{"vocabulary_digest", "ab"}});
  CHECK(all_of(*file.find("tables.C1.weight")) == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(file.find("tables.C1.weight")->shape == std::vector<Index>{2, 3});
  CHECK(all_of(*file.find("half")) == std::vector<float>{0.25f});
  CHECK(file.find("long")->type == TensorType::other);
  CHECK(file.find("ids")->type == TensorType::int64);
  CHECK(!file.find("ids")->has_floats());
  std::vector<Index> last(2);
  store::read_integers(*file.find("ids"), {1, 3}, last.data());
  CHECK(last == std::vector<Index>{-1, Index{1} << 62});
  const auto says = [&](const std::string& text) {
    put_bytes(scratch / "arrays/half.npy", text);
    return error_of([&] { TensorFile(scratch / "arrays"); });
  };
  const auto with = [&](const std::string& head) { return says(npy(head, six)); };
  CHECK(with(plain).empty());
  CHECK(says(std::string("\x93NUMPY\x02\x00", 8) + bytes(std::vector{std::uint32_t(plain.size())}) + plain + six)
            .empty());
  CHECK(mentions(says("NUMPY, but no magic"), "half.npy: it is no NumPy array"));
  CHECK(mentions(says(std::string("\x93NUMPY\x04\x00", 8) + "....." + plain), "version 4"));
  CHECK(mentions(says(std::string("\x93NUMPY\x01\x00\xff\xff", 10) + plain), "its head would have 65535 bytes"));
  CHECK(mentions(says(npy(plain, six + "x")), "does not have the 25 bytes"));
  CHECK(mentions(says(npy(plain, six.substr(1))), "does not have the 23 bytes"));
  CHECK(mentions(with("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}"), "Fortran order"));
  CHECK(mentions(with("{'descr': '<f4', 'shape': (2, 3)}"), "lacks descr, fortran_order or shape"));
  CHECK(mentions(with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"), "key descr"));
  CHECK(mentions(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x"), "behind the }"));
  CHECK(mentions(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, -3)}"), "no list of numbers"));
  CHECK(mentions(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}"), "lacks )"));
  CHECK(mentions(with("{'descr': '<f4"), "without an end"));
  CHECK(with(plain).empty());
  put_bytes(scratch / "arrays/metadata.json", "{");
  CHECK(mentions(error_of([&] { TensorFile(scratch / "arrays"); }), "metadata.json: "));
  std::filesystem::create_directories(scratch / "empty");
  CHECK(mentions(error_of([&] { TensorFile(scratch / "empty"); }), "has no .npy file"));
}
