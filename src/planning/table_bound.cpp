// SPDX-License-Identifier: Apache-2.0
#include "table_bound.hpp"

#include <algorithm>

namespace tesserec::planning {

void Loaded::add(const RowPartitions::Pieces& pieces, double narrowest, double room) {
  own += pieces.count * pieces.load.owner.seconds;
  each += pieces.count * pieces.load.each.seconds;
  const DualShares values = DualFunction::all(pieces.load.owner.seconds * narrowest / room);
  for (std::size_t k = 0; k < counts.size(); ++k) counts[k] += pieces.count * values[k];
}

TableBound::TableBound(const std::deque<Option>& options, const FreeTable* free, bool exact, bool exact_counts)
    : exact_(exact), exact_counts_(exact && exact_counts) {
  for (const Option& option : options) {
    const bool among_cuts = free && option.owner_rule == OwnerRule::anywhere && !option.pieces.empty() &&
                            (option.column_cuts == 1 || free->most_columns() >= option.column_cuts);
    if (!among_cuts) ways_.push_back({&option});
  }
  if (free)
    for (const FreeTable::Cut& cut : free->cuts()) ways_.push_back({nullptr, &cut});
}

/// No plan has the table this way, without a piece above `piece`, for less; of no interest from `most` on.
auto TableBound::at_least(const Way& way, const Load& piece, const Price& price, const Counts* counts,
                          double most) const -> Priced {
  if (const Option* option = way.option) {
    if (option->biggest > piece.seconds || option->most_bytes > piece.bytes) return {infinity, &way, {}, false};
    double value = price.of({{}, option->each});
    for (const Load& load : option->pieces) value += price.of({load, {}}) + (counts ? (*counts)(load.seconds) : 0);
    return {value, &way, {}, false};
  }
  const FreeTable::Cut& cut = *way.cut;
  const double columns = double(cut.columns), whole = columns * price.of(cut.whole);
  if (whole >= most) return {whole, &way, {}, true};  // uncut rows cost least
  const RowPartitions& partitions = cut.partitions;
  const bool counted = counts && (*counts)(cut.whole.owner.seconds) > 0;
  if (!counted && partitions.fits_whole(piece)) return {whole, &way, {}, true};
  const auto f = [&](double own) { return counted ? (*counts)(own * cut.narrowest) : 0; };
  const RowPartitions::Relaxed relaxed = partitions.relaxed(piece, price, f);
  const double cuts = columns * relaxed.price;
  return cuts < whole ? Priced{whole, &way, {}, true} : Priced{cuts, &way, relaxed, false};
}

void TableBound::take_in() {
  for (Way& way : ways_) way.out = false;
}

void TableBound::leave_out(const Load& piece, const Price& price, double most) {
  for (Way& way : ways_)
    way.out = way.out || at_least(way, piece, price, nullptr, most * (1 + rounding)).price > most * (1 + rounding);
}

double TableBound::least(const Load& piece, const Price& price, const Counts* counts, Loaded* loaded) const {
  std::vector<Priced> candidates;
  Priced best{infinity, nullptr, {}, false};
  std::vector<Index> borders, best_borders;
  for (const Way& way : ways_) {
    if (way.out) continue;
    const Priced priced = at_least(way, piece, price, counts, best.price);
    if (priced.price >= best.price) continue;
    if (way.cut && (counts ? exact_counts_ : exact_))
      candidates.push_back(priced);
    else
      best = priced;
  }
  std::sort(candidates.begin(), candidates.end(), [](const Priced& a, const Priced& b) { return a.price < b.price; });
  for (Priced& priced : candidates) {
    if (priced.price >= best.price) break;
    const FreeTable::Cut& cut = *priced.way->cut;
    const double columns = double(cut.columns);
    const bool exact =
        (cut.form == ExchangeForm::rows && !counts) || priced.price <= columns * price.of(cut.whole) * (1 + rounding);
    borders.clear();
    if (!exact) {
      const auto f = [&](double own) { return counts ? (*counts)(own * cut.narrowest) : 0; };
      std::vector<Index>* const wanted = loaded ? &borders : nullptr;
      priced.price = columns * (counts ? cut.partitions.least(piece, price, f, wanted)
                                       : cut.partitions.least(piece, price, wanted));
    }
    if (priced.price < best.price) {
      best = priced;
      best_borders = borders;
    }
  }
  if (!loaded || !best.way) return best.price;
  const double room = counts ? counts->room : 1;
  if (const Option* option = best.way->option) {
    for (const Load& load : option->pieces) loaded->add({1, {load, {}}}, 1, room);
    loaded->each += option->each.seconds;
    return best.price;
  }
  const FreeTable::Cut& cut = *best.way->cut;
  const auto add = [&](RowPartitions::Pieces pieces) {
    pieces.count *= double(cut.columns);
    if (pieces.count > 0) loaded->add(pieces, cut.narrowest, room);
  };
  if (!best_borders.empty())
    for (const auto& pieces : cut.partitions.pieces(best_borders)) add(pieces);
  else if (best.whole)
    add({1, cut.whole});
  else
    for (const auto& pieces : best.relaxed.pieces) add(pieces);
  return best.price;
}

}  // namespace tesserec::planning
