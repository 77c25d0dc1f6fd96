// SPDX-License-Identifier: Apache-2.0
#include <tesserec/store/slab_source.hpp>

namespace tesserec::store {
namespace {

class PlacedRows : public SlabSource {
 public:
  PlacedRows(float* data, Index ld, Place place) : SlabSource(ld), data_(data), place_(place) {}

  float* in_place(Range rows) const override { return place_ == Place::host ? at(rows) : nullptr; }
  void read(const Exec& exec, Range rows, float* to) const override {
    copy(exec, place_, at(rows), Place::host, to, rows.size() * ld());
  }
  void write(const Exec& exec, Range rows, const float* from) override {
    copy(exec, Place::host, from, place_, at(rows), rows.size() * ld());
  }

 private:
  float* at(Range rows) const { return data_ + rows.begin * ld(); }

  float* data_;
  Place place_;
};

}  // namespace

std::shared_ptr<SlabSource> placed_rows(float* data, Index ld, Place place) {
  return std::make_shared<PlacedRows>(data, ld, place);
}

}  // namespace tesserec::store
