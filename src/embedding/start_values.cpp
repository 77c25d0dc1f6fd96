// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/embedding/row_store.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index quads_at_once = 32;  // four times those of Random::quads

TESSEREC_KERNEL void scale_words(const std::uint32_t* words, Index count, float bound, float* to) {
  for (Index i = 0; i < count; ++i) to[i] = philox::uniform(words[i], bound);
}

/// Draws the numbers of rows. The quads of all rows are one list, because a row may have fewer than fill a vector.
void draw(const Random& random, float bound, std::span<const StartValues::DrawnRow> rows, Range columns) {
  Index numbers[quads_at_once], quads[quads_at_once];
  std::uint32_t words[4 * quads_at_once];
  const Index size = columns.size(), quads_per_row = (size + 3) / 4;
  Index quad = 0;  // of the first row
  while (!rows.empty()) {
    Index count = 0;
    for (std::size_t row = 0; row < rows.size() && count < quads_at_once; ++row)
      for (Index q = row == 0 ? quad : 0; q < quads_per_row && count < quads_at_once; ++q, ++count) {
        numbers[count] = rows[row].row;
        quads[count] = columns.begin / 4 + q;
      }
    random.quads({numbers, std::size_t(count)}, {quads, std::size_t(count)}, words);
    for (Index begin = 0, n = 0; begin < count; begin += n) {
      n = std::min(count - begin, quads_per_row - quad);
      scale_words(words + 4 * begin, std::min(size - 4 * quad, 4 * n), bound, rows.front().out + 4 * quad);
      quad += n;
      if (quad < quads_per_row) break;
      quad = 0;
      rows = rows.subspan(1);
    }
  }
}

}  // namespace

StartValues::StartValues(const EmbeddingBagConfig& table, std::uint64_t seed, Index index)
    : random_(seed, Purpose::table_weights, std::uint64_t(index)),
      bound_(float(std::sqrt(1.0 / double(table.rows().size())))),
      columns_(table.embedding_dim),
      format_(table.weight_format()),
      ones_(table.start == RowStart::one) {}

void StartValues::operator()(Range rows, Range columns, float* out) const {
  if (ones_)
    std::fill_n(out, rows.size() * columns.size(), 1.0f);
  else
    random_.fill_rows(rows, columns, bound_, out);
  round_to(format_, rows.size() * columns.size(), out);
}

void StartValues::rows(std::span<const DrawnRow> rows, Range columns) const {
  if (!ones_) draw(random_, bound_, rows, columns);
  for (const DrawnRow& row : rows) {
    if (ones_) std::fill_n(row.out, columns.size(), 1.0f);
    round_to(format_, columns.size(), row.out);
  }
}

double StartValues::row_norm() const { return std::sqrt(double(columns_)) * (ones_ ? 1.0 : bound_ / std::sqrt(3.0)); }

}  // namespace tesserec::embedding
