// SPDX-License-Identifier: Apache-2.0
// export_tensors: the bytes of a safetensors file and of NumPy arrays, read as their formats say.
#include <cstring>
#include <filesystem>
#include <limits>

#include "src/scoring/export_parts.hpp"
#include "trained.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/short_floats.hpp>
#include <tesserec/scoring/export_tensors.hpp>
#include <tesserec/scoring/served_model.hpp>

using namespace tesserec;
using scoring::ServedFormat;
using scoring::TensorsForm;

TEST_CASE("fail_unfit: tells a number that is not finite from one that the format cannot hold") {
  const auto says = [](float number) {
    const std::vector<float> row{1, number};
    return error_of([&] { scoring::fail_unfit("table t", 7, row, ServedFormat::fp16); });
  };
  CHECK(says(70000) == "table t, row 7: it has a number that fp16 cannot hold; export with --rows fp32");
  for (const float number : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    CHECK(says(number) == "table t, row 7: it has a number that is not finite; export an earlier checkpoint");
}

TEST_CASE("export_tensors: safetensors and npy hold the checkpoint's numbers") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "tensors");
  const Trained trained(folder, "bottom = [8, 4]\ntop = [8, 1]\n", "");
  const scoring::ServedModel model(trained.exec, trained.checkpoint());
  const auto write = [&](const std::string& name, TensorsForm form, ServedFormat format) {
    return scoring::export_tensors(trained.exec, trained.checkpoint(), folder.path() + "/" + name, form, format);
  };
  const auto* const rows = reinterpret_cast<const float*>(model.tables()[1].rows);  // of C2, [7, 4]

  const scoring::ExportedTensors written = write("model.safetensors", TensorsForm::safetensors, ServedFormat::fp32);
  CHECK(written.step == 3);
  CHECK(written.tensors == 3 + 8);
  const std::string bytes = read_file(folder.path() + "/model.safetensors");
  CHECK(written.bytes == std::ssize(bytes));
  std::uint64_t head = 0;
  std::memcpy(&head, bytes.data(), sizeof head);
  CHECK(head % 8 == 0);
  const Json json = parse_json(bytes.substr(8, head));
  CHECK(json.at("__metadata__").at("step").string() == "3");
  Index end = 0;
  for (const std::string& name : json.names()) {
    if (name == "__metadata__") continue;
    INFO(name);
    CHECK(json.at(name).at("dtype").string() == "F32");
    const auto& offsets = json.at(name).at("data_offsets").elements();
    const auto& shape = json.at(name).at("shape").elements();
    CHECK(offsets.at(0).integer() == end);
    end = offsets.at(1).integer();
    CHECK(end - offsets.at(0).integer() == 4 * shape.at(0).integer() * shape.at(1).integer());
  }
  CHECK(8 + Index(head) + end == std::ssize(bytes));
  const Index at = json.at("tables.C2.weight").at("data_offsets").elements().at(0).integer();
  CHECK(std::memcmp(bytes.data() + 8 + head + at, rows, 7 * 4 * sizeof(float)) == 0);
  CHECK(json.has("dense.bottom.0.weight"));

  write("halves.safetensors", TensorsForm::safetensors, ServedFormat::bf16);
  const std::string halves = read_file(folder.path() + "/halves.safetensors");
  CHECK(mentions(halves, R"("tables.C2.weight": {"dtype": "BF16", "shape": [7, 4])"));
  CHECK(mentions(halves, R"("dense.bottom.0.weight": {"dtype": "F32")"));

  write("arrays", TensorsForm::npy, ServedFormat::fp16);
  const std::string array = read_file(folder.path() + "/arrays/tables.C2.weight.npy");
  REQUIRE(array.size() == 128 + 7 * 4 * 2);
  CHECK(array.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  CHECK(mentions(array, "{'descr': '<f2', 'fortran_order': False, 'shape': (7, 4), }"));
  CHECK(array[127] == '\n');
  for (Index i = 0; i < 28; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, array.data() + 128 + 2 * i, 2);
    CHECK(half == to_fp16(rows[i]));
  }

  const auto says = [&](TensorsForm form, ServedFormat format) { return error_of([&] { write("x", form, format); }); };
  CHECK(says(TensorsForm::npy, ServedFormat::bf16) == "NumPy has no bf16; use --rows fp32 or fp16");
  CHECK(says(TensorsForm::safetensors, ServedFormat::int8) ==
        "--rows int8 is a format of model folders alone; use fp32, fp16 or bf16");
  CHECK(error_of([&] { write("arrays", TensorsForm::npy, ServedFormat::fp32); }) ==
        folder.path() + "/arrays exists; name another one with --to, or remove it");
  CHECK(!std::filesystem::exists(folder.path() + "/model.safetensors.tmp"));
}
