// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <sys/mman.h>

#include "limits.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::bench {
namespace {

constexpr Index prefetch_distance = 16;
constexpr Index rows_a_call = 1 << 16;

/// Memory from mmap, with or without huge pages, with every page touched.
class Pages {
 public:
  Pages(Index bytes, bool huge) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) fail("bench.memory: cannot allocate ", bytes, " bytes; lower it");
    granted_ = madvise(data_, bytes_, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0;
    for (std::size_t i = 0; i < bytes_ / sizeof(float); i += 1024) floats()[i] = 1.0f;
  }
  ~Pages() { munmap(data_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  float* floats() const { return static_cast<float*>(data_); }
  bool granted() const { return granted_; }

 private:
  std::size_t bytes_;
  void* data_;
  bool granted_ = false;
};

TESSEREC_KERNEL std::uint64_t read_all(const std::uint64_t* data, Index n) {
  std::uint64_t sum = 0;
  for (Index i = 0; i < n; ++i) sum += data[i];
  return sum;
}

TESSEREC_KERNEL void triad(float* a, const float* b, const float* c, Index n) {
  for (Index i = 0; i < n; ++i) a[i] = std::fma(3.0f, c[i], b[i]);
}

/// Returns the i-th row of a pseudo-random sequence of rows below `rows`.
inline Index random_row(std::uint64_t i, Index rows) {
  i = (i + 1) * 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 32)) * 0xd6e8feb86659fd93u;
  i ^= i >> 32;
  return Index((static_cast<unsigned __int128>(i) * std::uint64_t(rows)) >> 64);
}

/// Next `prefetch_distance` random rows, so that each row is drawn once, when it is prefetched.
class Ahead {
 public:
  Ahead(std::uint64_t first, Index rows) : next_(first), rows_(rows) {
    for (Index& row : ring_) row = random_row(next_++, rows_);
  }
  Index swap() { return std::exchange(ring_[next_ % prefetch_distance], random_row(next_, rows_)); }
  Index newest() { return ring_[next_++ % prefetch_distance]; }

 private:
  std::uint64_t next_;
  Index rows_;
  std::array<Index, prefetch_distance> ring_;
};

template <Index width>
inline void read_rows(const float* data, Index rows, std::uint64_t first, float* sum) {
  float local[width] = {};
  Ahead ahead(first, rows);
  for (Index i = 0; i < rows_a_call; ++i) {
    const float* row = data + ahead.swap() * width;
    const float* later = data + ahead.newest() * width;
    for (Index c = 0; c < width; c += 16) __builtin_prefetch(later + c);
    for (Index c = 0; c < width; ++c) local[c] += row[c];
  }
  for (Index c = 0; c < width; ++c) sum[c] = local[c];
}

template <Index width>
inline void update_rows(float* data, Index rows, std::uint64_t first) {
  Ahead ahead(first, rows);
  for (Index i = 0; i < rows_a_call; ++i) {
    float* row = data + ahead.swap() * width;
    const float* later = data + ahead.newest() * width;
    for (Index c = 0; c < width; c += 16) __builtin_prefetch(later + c, 1);
    for (Index c = 0; c < width; ++c) row[c] += 1.0f;
  }
}

struct RowRates {
  double reads, updates;
};

template <Index width>
RowRates random_rows(const Context& context, const Pages& pages, Index bytes) {
  const Index rows = bytes / (width * Index{sizeof(float)});
  std::uint64_t next = 0;  // every call uses other rows
  float sum[width];
  const double read = context.seconds([&] {
    read_rows<width>(pages.floats(), rows, next, sum);
    keep(sum);
    next += rows_a_call;
  });
  const double update = context.seconds([&] {
    update_rows<width>(pages.floats(), rows, next);
    next += rows_a_call;
  });
  return {rows_a_call / read, rows_a_call / update};
}

}  // namespace

double Limits::rate(const std::array<double, 4>& rates, double bytes) {
  if (rates[0] <= 0) return 0;
  std::size_t at = 0;
  while (at + 2 < row_bytes.size() && bytes > double(row_bytes[at + 1])) ++at;
  const double low = row_bytes[at], high = row_bytes[at + 1];
  if (bytes <= low) return rates[at];
  if (bytes >= high) return rates[at + 1] * high / bytes;
  const double share = (bytes - low) / (high - low);
  return 1 / ((1 - share) / rates[at] + share / rates[at + 1]);
}

void measure_memory(const Context& context, Limits& limits, std::vector<Figure>& figures) {
  const Index bytes = context.settings.memory;
  for (const bool huge : {true, false}) {
    const Pages pages(bytes, huge);
    const std::string with = huge ? (pages.granted() ? ", huge pages" : ", huge pages refused") : ", 4 KiB pages";
    if (huge) {
      const auto* words = reinterpret_cast<const std::uint64_t*>(pages.floats());
      const Index n = bytes / 8;
      limits.read = double(bytes) / context.seconds([&] { keep(read_all(words, n)); });
      figures.push_back({"limits", "stream read", limits.read, "bytes/s", 0, "", 0});
      const Index third = bytes / 12 / 16 * 16;
      float* a = pages.floats();
      limits.triad = 12.0 * third / context.seconds([&] { triad(a, a + third, a + 2 * third, third); });
      figures.push_back({"limits", "stream triad", limits.triad, "bytes/s", 0, "", 0});
    }
    const std::array<RowRates, 4> rates{random_rows<16>(context, pages, bytes), random_rows<32>(context, pages, bytes),
                                        random_rows<64>(context, pages, bytes),
                                        random_rows<128>(context, pages, bytes)};
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const std::string size = std::to_string(Limits::row_bytes[i]) + " bytes" + with;
      figures.push_back({"limits", "random rows read, " + size, rates[i].reads, "rows/s", 0, "", 0});
      figures.push_back({"limits", "random rows updated, " + size, rates[i].updates, "rows/s", 0, "", 0});
      if (!huge) continue;
      limits.row_reads[i] = rates[i].reads;
      limits.row_updates[i] = rates[i].updates;
    }
  }
}

}  // namespace tesserec::bench
