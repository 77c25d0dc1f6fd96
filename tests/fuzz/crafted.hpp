// SPDX-License-Identifier: Apache-2.0
// Datasets that break the format, with one fault each. A file is written under `path`, and files that it names next to
// it.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "tests/fuzz/crafted_damage.hpp"

namespace tesserec::test {

class CraftedFiles {
 public:
  CraftedFiles() {
    types();
    shapes();
    names();
    attributes();
    offsets();
    forms();
    links();
    storage();
    numbers();
    for (const Crafted& damaged : damaged_files()) all_.push_back(damaged);
  }
  const std::vector<Crafted>& all() const { return all_; }

 private:
  void add(const std::string& name, bool packed, const std::function<void(hid_t)>& change) {
    all_.push_back({name, [=](const std::string& path) { write_foreign(path, packed, change); }});
  }

  void types() {
    const hid_t compound = H5Tcreate(H5T_COMPOUND, 8);
    H5Tinsert(compound, "a", 0, H5T_NATIVE_INT32), H5Tinsert(compound, "b", 4, H5T_NATIVE_FLOAT);
    const hid_t enumeration = H5Tenum_create(H5T_NATIVE_INT32);
    const std::int32_t zero = 0;
    H5Tenum_insert(enumeration, "zero", &zero);
    const hsize_t two = 2;
    std::vector<std::pair<const char*, hid_t>> kinds;  // no initializer list: nvcc splits HDF5's names in braces
    const auto put = [&](const char* name, hid_t type) { kinds.emplace_back(name, type); };
    put("f32", H5T_IEEE_F32LE), put("f64", H5T_IEEE_F64LE), put("compound", compound), put("enum", enumeration);
    put("i8", H5T_STD_I8LE), put("i16", H5T_STD_I16LE), put("i32", H5T_STD_I32LE), put("i64", H5T_STD_I64LE);
    put("u8", H5T_STD_U8LE), put("u16", H5T_STD_U16LE), put("u32", H5T_STD_U32LE), put("u64", H5T_STD_U64LE);
    put("text", string_type()), put("text4", string_type(4)), put("opaque", H5Tcreate(H5T_OPAQUE, 4));
    put("bits", H5T_STD_B32LE), put("array", H5Tarray_create2(H5T_NATIVE_INT32, 1, &two));
    put("list", H5Tvlen_create(H5T_NATIVE_INT32)), put("reference", H5T_STD_REF_OBJ);
    for (const Place& place : places())
      for (const auto& [kind, type] : kinds) {
        bool allowed = false;
        for (const std::string good : place.types) allowed |= good == kind;
        if (allowed) continue;
        add(std::string("type ") + kind + " of " + place.name, place.packed,
            [place, type = type](hid_t file) {
              const std::vector<char> zeros(8 * 1024, 0);
              dataset(file, place.name, type, space_of(place.shape), type, zeros.data());
            });
      }
  }

  void shapes() {
    for (const Place& place : places()) {
      std::vector<std::pair<const char*, Extents>> wrong = {{"short", place.shape}, {"long", place.shape},
                                                            {"empty", place.shape}, {"deep", place.shape},
                                                            {"single", {}},         {"huge", place.shape},
                                                            {"largest", place.shape}};
      wrong[0].second[0] -= 1, wrong[1].second[0] += 1, wrong[2].second[0] = 0, wrong[3].second.push_back(1);
      wrong[5].second[0] = hsize_t{1} << 40, wrong[6].second[0] = hsize_t{1} << 59;
      for (const auto& [what, shape] : wrong)
        add(std::string(what) + " " + place.name, place.packed, [place, shape = shape](hid_t file) {
          const hid_t type = H5Tcopy(H5Dget_type(H5Dopen2(file, place.name, H5P_DEFAULT)));
          const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
          const Extents chunk(shape.size(), 1);
          if (!shape.empty()) H5Pset_chunk(chunks, int(chunk.size()), chunk.data());
          dataset(file, place.name, type, space_of(shape), type, nullptr, shape.empty() ? H5P_DEFAULT : chunks);
        });
      add(std::string("null ") + place.name, place.packed, [place](hid_t file) {
        dataset(file, place.name, H5T_STD_I32LE, H5Screate(H5S_NULL), H5T_NATIVE_INT32, nullptr);
      });
      if (std::string(place.name).find("weights") == std::string::npos)
        add(std::string("no ") + place.name, place.packed, [place](hid_t file) { remove(file, place.name); });
      add(std::string("a group for ") + place.name, place.packed, [place](hid_t file) {
        remove(file, place.name);
        H5Gclose(H5Gcreate2(file, place.name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      });
    }
    for (const hsize_t samples : {hsize_t{1} << 40, hsize_t{1} << 59})
      add("all huge, nothing written, " + std::to_string(samples), true, [samples](hid_t file) {
        integer_attribute(file, "samples", {std::int64_t(samples)}, true);
        const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
        const hsize_t one[] = {1 << 20, 1};
        H5Pset_chunk(chunks, 1, one);
        dataset(file, "/labels", H5T_STD_U8LE, space_of({samples}), H5T_NATIVE_UINT8, nullptr, chunks);
        dataset(file, "/weights", H5T_IEEE_F32LE, space_of({samples}), H5T_NATIVE_FLOAT, nullptr, chunks);
        H5Pset_chunk(chunks, 2, one);
        dataset(file, "/dense", H5T_IEEE_F32LE, space_of({samples, 1}), H5T_NATIVE_FLOAT, nullptr, chunks);
        dataset(file, "/sparse/ids", H5T_STD_I32LE, space_of({samples, 2}), H5T_NATIVE_INT32, nullptr, chunks);
      });
  }

  void names() {
    const std::vector<std::string> wrong = {"",        "/",          ".",          "..",       "a/b",     "/a",
                                            "a/",      "user/ids",   "a\nb",       "a\tb",     "\x1b[2J", "a\x7f",
                                            "\xff",    "\xc3",       "\xed\xa0\x80", "\xc0\xaf", "a\xe2\x80\xa8",
                                            "\xe2\x80\xae""b",       "\xc2\x85",   "\r",       "\b",
                                            std::string(201, 'x'),   "item"};
    for (const char* attribute : {"features", "dense_features"})
      for (const std::string& name : wrong)
        add(std::string("name in ") + attribute + ", " + std::to_string(&name - wrong.data()), true,
            [name, attribute = std::string(attribute)](hid_t file) {
              const bool dense = attribute == "dense_features";
              text_attribute(file, attribute.c_str(), {name, dense && name != "item" ? "other" : "item"});
              if (!dense) return;
              const std::vector<float> floats(16, 0.5f);
              dataset(file, "/dense", H5T_IEEE_F32LE, space_of({8, 2}), H5T_NATIVE_FLOAT, floats.data());
            });
  }

  void attributes() {
    const double half = 0.5;
    const std::uint64_t beyond = ~std::uint64_t{0};
    const std::int64_t four[] = {1, 1, 1, 1};
    for (const char* name : {"format", "version", "samples", "features", "rows", "dense_features"}) {
      const auto each = [&](const char* what, const std::function<void(hid_t)>& change) {
        add(std::string("attribute ") + name + " " + what, true, change);
      };
      const bool text = std::string(name) == "format" || std::string(name).find("features") != std::string::npos;
      each("missing", [=](hid_t file) { H5Adelete(file, name); });
      each("a fraction", [=](hid_t file) { attribute(file, name, H5T_NATIVE_DOUBLE, space_of({}), &half); });
      each("of rank 2", [=](hid_t file) { attribute(file, name, H5T_NATIVE_INT64, space_of({2, 2}), four); });
      each("beyond 64 bits", [=](hid_t file) { attribute(file, name, H5T_NATIVE_UINT64, space_of({}), &beyond); });
      each("four numbers", [=](hid_t file) { integer_attribute(file, name, {1, 1, 1, 1}); });
      if (!text) each("text", [=](hid_t file) { text_attribute(file, name, {"8"}, true); });
      if (!text) each("negative", [=](hid_t file) { integer_attribute(file, name, {-8, -8}); });
      if (!text) each("zero", [=](hid_t file) { integer_attribute(file, name, {0}, true); });
      if (!text) each("largest", [=](hid_t file) {
          integer_attribute(file, name, {std::numeric_limits<std::int64_t>::max()}, true);
        });
      if (std::string(name) != "dense_features")
        each("null", [=](hid_t file) { attribute(file, name, H5T_NATIVE_INT64, H5Screate(H5S_NULL), nullptr); });
    }
    add("rows with one below 1", true, [](hid_t file) { integer_attribute(file, "rows", {100, -5000}); });
    add("more features than rows", true, [](hid_t file) { text_attribute(file, "features", {"user", "item", "x"}); });
    add("another format", true, [](hid_t file) { text_attribute(file, "format", {"tesserec-scores"}, true); });
    add("another version", true, [](hid_t file) { integer_attribute(file, "version", {2}, true); });
  }

  void offsets() {
    const std::vector<std::vector<std::int64_t>> wrong = {
        {1, 1, 2, 3, 4, 5, 6, 7, 8},  {-1, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 7},
        {0, 1, 2, 3, 4, 5, 6, 7, 9},  {0, 2, 1, 3, 4, 5, 6, 7, 8},  {0, 1, 2, 3, 40, 5, 6, 7, 8},
        {0, 1, 2, -3, 4, 5, 6, 7, 8}, {0, 0, 0, 0, 0, 0, 0, 0, 0},  {8, 8, 8, 8, 8, 8, 8, 8, 8},
        {0, 9, 9, 9, 9, 9, 9, 9, 8},  {0, 1, 2, 3, 4, 5, 6, 7, std::numeric_limits<std::int64_t>::max()},
        {0, std::numeric_limits<std::int64_t>::min(), 2, 3, 4, 5, 6, 7, 8}};
    for (const auto& values : wrong)
      add("offsets " + std::to_string(&values - wrong.data()), false, [values](hid_t file) {
        dataset(file, "/sparse/item/offsets", H5T_STD_I64LE, space_of({9}), H5T_NATIVE_INT64, values.data());
      });
  }

  void forms() {
    const std::vector<std::int32_t> ids(16, 1);
    for (const char* group : {"user", "item", "extra"}) {
      add(std::string("both forms, ") + group, true, [group](hid_t file) {
        H5Gclose(H5Gcreate2(file, (std::string("/sparse/") + group).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      });
      add(std::string("packed ids beside jagged ones, ") + group, false, [ids, group](hid_t file) {
        dataset(file, "/sparse/ids", H5T_STD_I32LE, space_of({8, 2}), H5T_NATIVE_INT32, ids.data());
        remove(file, std::string("/sparse/") + group + "/weights");
      });
    }
    add("a jagged group that is no feature", false, [](hid_t file) {
      H5Gclose(H5Gcreate2(file, "/sparse/extra", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    });
    add("no ids", true, [](hid_t file) { remove(file, "/sparse"); });
    add("ids of one feature", false, [](hid_t file) { remove(file, "/sparse/item"); });
  }

  /// Adds files whose numbers lie in other files; all need data.trust.
  void links() {
    for (const Place& place : places()) {
      const auto each = [&, name = std::string(place.name)](const char* what, const std::function<void(hid_t, hid_t)>& change) {
        all_.push_back({what + (" " + name), [=](const std::string& path) {
                          write_foreign(path + ".other", place.packed);
                          std::ofstream(path + ".raw") << std::string(4096, '\0');
                          write_foreign(path, place.packed, [&](hid_t file) {
                            change(file, H5Tcopy(H5Dget_type(H5Dopen2(file, place.name, H5P_DEFAULT))));
                          });
                        }});
      };
      const auto beside = [](hid_t file, const char* ending) {
        std::string path(4096, '\0');
        path.resize(std::size_t(H5Fget_name(file, path.data(), path.size())));
        return path + ending;
      };
      for (const char* ending : {".other", ".none"})
        each(ending, [=](hid_t file, hid_t type) {
          const hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = space_of(place.shape);
          H5Pset_virtual(list, space, beside(file, ending).c_str(), place.name, space);
          dataset(file, place.name, type, space, type, nullptr, list);
        });
      each("a part of a virtual", [=](hid_t file, hid_t type) {
        const hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = space_of(place.shape), some = space_of(place.shape);
        const Extents first(place.shape.size(), 0), one(place.shape.size(), 1);
        H5Sselect_hyperslab(some, H5S_SELECT_SET, first.data(), nullptr, one.data(), nullptr);
        H5Pset_virtual(list, some, beside(file, ".other").c_str(), place.name, some);
        dataset(file, place.name, type, space, type, nullptr, list);
      });
      for (const char* ending : {".raw", ".absent"})
        each(ending, [=](hid_t file, hid_t type) {
          const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
          H5Pset_external(list, beside(file, ending).c_str(), 0, H5F_UNLIMITED);
          dataset(file, place.name, type, space_of(place.shape), type, nullptr, list);
        });
      each("external link for", [=](hid_t file, hid_t) {
        remove(file, place.name);
        H5Lcreate_external(beside(file, ".other").c_str(), place.name, file, place.name, H5P_DEFAULT, H5P_DEFAULT);
      });
      each("soft link to an external link for", [=](hid_t file, hid_t) {
        remove(file, place.name);
        H5Lcreate_external(beside(file, ".other").c_str(), "/", file, "/away", H5P_DEFAULT, H5P_DEFAULT);
        H5Lcreate_soft((std::string("/away") + place.name).c_str(), file, place.name, H5P_DEFAULT, H5P_DEFAULT);
      });
      if (std::string(place.name).find("weights") != std::string::npos) continue;
      each("soft link to nothing for", [=](hid_t file, hid_t) {
        remove(file, place.name);
        H5Lcreate_soft("/nowhere", file, place.name, H5P_DEFAULT, H5P_DEFAULT);
      });
      each("soft link to itself for", [=](hid_t file, hid_t) {
        remove(file, place.name);
        H5Lcreate_soft(place.name, file, place.name, H5P_DEFAULT, H5P_DEFAULT);
      });
    }
  }

  void storage() {
    for (const Place& place : places()) {
      const auto each = [&](const char* what, const std::function<void(hid_t, hid_t)>& change) {
        add(std::string(what) + " " + place.name, place.packed, [=](hid_t file) {
          change(file, H5Tcopy(H5Dget_type(H5Dopen2(file, place.name, H5P_DEFAULT))));
        });
      };
      each("never written", [=](hid_t file, hid_t type) {
        dataset(file, place.name, type, space_of(place.shape), type, nullptr);
      });
      each("half written", [=](hid_t file, hid_t type) {
        const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE), space = space_of(place.shape), some = space_of({1});
        const Extents first(place.shape.size(), 0), one(place.shape.size(), 1);
        H5Pset_chunk(chunks, int(one.size()), one.data());
        dataset(file, place.name, type, space, type, nullptr, chunks);
        const hid_t made = H5Dopen2(file, place.name, H5P_DEFAULT);
        const std::int64_t zero = 0;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, one.data(), nullptr);
        H5Dwrite(made, type, some, space, H5P_DEFAULT, &zero);
        H5Dclose(made);
      });
    }
  }

  void numbers() {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    for (const Place& place : places()) {
      const bool whole = place.types[0] == std::string("i32"), floats = place.types.back() == std::string("f32");
      if (whole)
        for (const std::int32_t id : {-1, 5000, std::numeric_limits<std::int32_t>::min()})
          add("id " + std::to_string(id) + " in " + place.name, place.packed, [=](hid_t file) {
            const std::vector<std::int32_t> ids(16, id);
            dataset(file, place.name, H5T_STD_I32LE, space_of(place.shape), H5T_NATIVE_INT32, ids.data());
          });
      if (floats)
        for (const float value : {nan, infinity, -infinity})
          add(std::to_string(value) + " in " + place.name, place.packed, [=](hid_t file) {
            const std::vector<float> values(16, value);
            dataset(file, place.name, H5T_IEEE_F32LE, space_of(place.shape), H5T_NATIVE_FLOAT, values.data());
          });
    }
    for (const float weight : {-1.0f, 2e6f})
      add("weight " + std::to_string(weight), true, [=](hid_t file) {
        const std::vector<float> values(8, weight);
        dataset(file, "/weights", H5T_IEEE_F32LE, space_of({8}), H5T_NATIVE_FLOAT, values.data());
      });
    add("label 2", true, [](hid_t file) {
      const std::vector<std::uint8_t> values(8, 2);
      dataset(file, "/labels", H5T_STD_U8LE, space_of({8}), H5T_NATIVE_UINT8, values.data());
    });
  }

  std::vector<Crafted> all_;
};

}  // namespace tesserec::test
