// SPDX-License-Identifier: Apache-2.0
#include "table_bound.hpp"

#include <algorithm>

namespace tesserec::planning {

TableBound::TableBound(const std::deque<Option>& options, const FreeTable* free) {
  for (const Option& option : options) {
    const bool among_cuts = free && option.owner_rule == OwnerRule::anywhere && !option.pieces.empty() &&
                            (option.column_cuts == 1 || free->most_columns() >= option.column_cuts);
    if (!among_cuts) ways_.push_back({&option});
  }
  if (free)
    for (const FreeTable::Cut& cut : free->cuts()) ways_.push_back({nullptr, &cut});
}

/// Returns at most what a plan with the table this way pays for it. The result is not needed exactly from `most` on.
double TableBound::price_of(const Way& way, const Load& piece, const Price& price, double most) {
  if (const Option* option = way.option) {
    if (option->biggest > piece.seconds || option->most_bytes > piece.bytes) return infinity;
    double sum = price.of({{}, option->each});
    for (const Load& load : option->pieces) sum += price.of({load, {}});
    return sum;
  }
  const FreeTable::Cut& cut = *way.cut;
  const double columns = double(cut.columns), whole = columns * price.of(cut.whole);
  if (whole >= most || cut.partitions.fits_whole(piece)) return whole;  // uncut rows cost least
  return std::max(whole, columns * cut.partitions.relaxed(piece, price));
}

void TableBound::take_in() {
  for (Way& way : ways_) way.out = false;
}

void TableBound::leave_out(const Load& piece, const Price& price, double most) {
  const double limit = most * (1 + rounding);
  for (Way& way : ways_) way.out = way.out || price_of(way, piece, price, limit) > limit;
}

double TableBound::least(const Load& piece, const Price& price) const {
  double best = infinity;
  for (const Way& way : ways_)
    if (!way.out) best = std::min(best, price_of(way, piece, price, best));
  return best;
}

}  // namespace tesserec::planning
