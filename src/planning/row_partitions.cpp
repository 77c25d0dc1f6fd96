// SPDX-License-Identifier: Apache-2.0
#include "row_partitions.hpp"

namespace tesserec::planning {

RowShares::RowShares(const TableCosts& costs) {
  constexpr Index count = embedding::RowBlocks::count;
  const embedding::RowBlocks& blocks = costs.blocks();
  const auto share = [&](Index begin, Index end) { return double(blocks.rows({begin, end}).size()) / costs.rows(); };
  used = blocks.block(Index(costs.rows()) - 1) + 1;
  for (Index n = 0; n < used; ++n) {
    const double part = share(0, n);
    double vectors = 0;  // the subtrees are the binary digits
    for (Index size = 1; size <= n; size *= 2)
      if (n & size) vectors += costs.filled(share(0, size));
    full.push_back({part * costs.rows(), costs.filled(part), vectors});
  }
  last.push_back({costs.rows(), costs.filled(1), costs.whole_vectors()});
  for (Index begin = 1; begin < used; ++begin) {
    double vectors = 0;
    for (Index at = begin; at < used; at += at & -at) vectors += costs.filled(share(at, at + (at & -at)));
    const double part = share(begin, count);
    last.push_back({part * costs.rows(), costs.filled(part), vectors});
  }
}

RowPartitions::Loads::Loads(const RowShares& rows, const TableCosts& costs, double width, ExchangeForm form) {
  const auto load = [&](const RowShares::Share& s, double vectors) {
    return costs.load(s.rows, s.filled, vectors, width, form);
  };
  const double some = form == ExchangeForm::pooled ? 1 : 0;
  for (const RowShares::Share& s : rows.full) full.push_back(load(s, 0));
  for (const RowShares::Share& s : rows.last) last.push_back(load(s, some * s.vectors));
  const ShardLoad with = load({}, some);
  vector.owner = {with.owner.seconds - full[0].owner.seconds, with.owner.bytes - full[0].owner.bytes};
  vector.each = {with.each.seconds - full[0].each.seconds, with.each.bytes - full[0].each.bytes};
}

RowPartitions::RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest,
                             ExchangeForm form)
    : rows_(rows), average_(rows, costs, width, form), widest_(rows, costs, widest, form) {
  keep_unbeaten();
}

/// A longer piece beats one that loads its owner no less: each block of it costs less at any price, and no count is
/// larger. Those of fewer subtrees are tried.
void RowPartitions::keep_unbeaten() {
  const auto piece = [&](Index begin, Index end) -> Piece {
    const std::size_t n = end - begin;
    if (end == rows_.used) return {begin, end - begin, average_.last[begin], widest_.last[begin].owner};
    const double vectors = rows_.full[n].vectors;
    return {begin, end - begin, plus(average_.full[n], average_.vector, vectors),
            plus(widest_.full[n], widest_.vector, vectors).owner};
  };
  const auto no_more = [](const Load& a, const Load& b, double times) {
    return a.seconds * times <= b.seconds && a.bytes * times <= b.bytes;
  };
  const auto beats = [&](const Piece& longer, const Piece& shorter, double times) {
    return no_more(longer.widest, shorter.widest, 1) && no_more(longer.average.owner, shorter.average.owner, 1) &&
           no_more(longer.average.each, shorter.average.each, times);
  };
  for (Index n = 1; n < rows_.used; ++n) {
    const Piece shorter = piece(0, n);
    bool beaten = false;
    for (Index size = 2; !beaten && size <= embedding::RowBlocks::count; size *= 2)
      if (const Index longer = (n / size + 1) * size; longer < rows_.used)
        beaten = beats(piece(0, longer), shorter, double(n) / double(longer));
    if (!beaten) pieces_.push_back(shorter);
  }
  for (Index begin = 0; begin < rows_.used; ++begin) {
    const Piece shorter = piece(begin, rows_.used);
    bool beaten = false;
    for (Index size = 2; !beaten && size <= begin; size *= 2)
      if (begin % size != 0) beaten = beats(piece(begin / size * size, rows_.used), shorter, 1);
    if (!beaten) last_.push_back(shorter);
  }
}

std::vector<double> RowPartitions::vector_limit(const Load& most) const {
  const auto limit = [](double room, double vector) {
    if (room < 0) return -1.0;
    return vector > 0 ? room / vector : none;
  };
  std::vector<double> limits;
  for (const ShardLoad& load : widest_.full)
    limits.push_back(std::min(limit(most.seconds - load.owner.seconds, widest_.vector.owner.seconds),
                              limit(most.bytes - load.owner.bytes, widest_.vector.owner.bytes)));
  return limits;
}

Index RowPartitions::window(const std::vector<double>& limit) const {
  for (Index n = rows_.used - 1; n > 0; --n)  // no piece as long has fewer vectors than one at a border
    if (rows_.full[n].vectors <= limit[n]) return n;
  return 0;
}

namespace {

/// Rooms at the head that are as the first.
std::size_t alike(std::span<const Load> rooms) {
  std::size_t count = 0;
  while (count < rooms.size() && rooms[count].seconds == rooms[0].seconds && rooms[count].bytes == rooms[0].bytes)
    ++count;
  return count;
}

}  // namespace

/// sum[end]: the least price of [0, end) on some of the rooms so far.
RowPartitions::Placed RowPartitions::into(std::span<const Load> all_rooms, const Price& price, double waste,
                                          Index step) const {
  const Price net{price.own - waste, price.each, 0, 0};
  const Affine prices = affine(average_, [&](const ShardLoad& load) { return net.of(load); });
  const std::size_t used = rows_.used;
  // Rooms enough for half more than the table.
  std::vector<Index> windows;
  std::vector<std::vector<double>> limits;
  double share = 0;
  for (const Load& room : all_rooms) {
    if (share >= 1.5 && windows.size() >= 3) break;
    limits.push_back(vector_limit(room));
    windows.push_back(window(limits.back()));
    share += double(windows.back()) / double(used);
  }
  const std::span<const Load> rooms = all_rooms.first(windows.size());
  if (const std::size_t count = alike(rooms); count > 1) {  // then any piece may go to any of these
    Placed placed;
    const auto left = [&](double own) { return waste * (rooms[0].seconds - own); };
    placed.price = least(rooms[0], price, left, &placed.borders, step);
    if (placed.price < none && placed.borders.size() <= count + 1) {
      for (std::size_t i = 0; i + 1 < placed.borders.size(); ++i) placed.rooms.push_back(i);
      return placed;
    }
  }
  std::vector<Index> least_end(rooms.size() + 1);  // what the rooms from there on can hold
  least_end.back() = rows_.used;
  Index last_window = 0;
  for (std::size_t k = rooms.size(); k-- > 0;) {
    while (last_window < rows_.used) {
      const Load& load = widest_.last[rows_.used - last_window - 1].owner;
      if (load.seconds > rooms[k].seconds || load.bytes > rooms[k].bytes) break;
      ++last_window;
    }
    least_end[k] = least_end[k + 1] - windows[k];
  }
  for (Index& end : least_end) end -= std::max<Index>(last_window, windows.empty() ? 0 : windows[0]) + 1;

  std::vector<double> sum(used, none);
  std::vector<std::vector<std::int16_t>> from(rooms.size(), std::vector<std::int16_t>(used, -1));  // -1: no piece
  sum[0] = 0;
  Index reached = 0;  // largest end with a price
  Placed placed;
  std::size_t last_room = 0;
  Index last = 0;
  for (std::size_t k = 0; k < rooms.size(); ++k) {
    const Load& room = rooms[k];
    const std::vector<double>& limit = limits[k];
    const double whole = waste * room.seconds;
    for (Index begin = std::max<Index>(0, least_end[k]); begin <= reached; ++begin) {
      const Load& largest = widest_.last[begin].owner;
      if (largest.seconds > room.seconds || largest.bytes > room.bytes) continue;
      const ShardLoad& load = average_.last[begin];
      const double all = sum[begin] + net.of(load) + whole;
      if (all < placed.price * (1 - 1e-12)) placed.price = all, last_room = k, last = begin;
    }
    const Index longest = std::min(rows_.used - 1, reached + windows[k]);
    for (Index end = longest / step * step; end >= std::max<Index>(1, least_end[k + 1]);
         end -= step) {  // falling: sum[begin] is of k - 1
      double best = sum[end] * (1 - 1e-12);
      pieces_before(end, std::min(windows[k], end), step, [&](Index begin, double vectors) {
        const std::size_t n = end - begin;
        const double all = sum[begin] + prices.at[n] + prices.vector * vectors + whole;
        if (all >= best || vectors > limit[n]) return;
        best = all;
        from[k][end] = static_cast<std::int16_t>(begin);
      });
      if (from[k][end] >= 0) sum[end] = best;
    }
    while (reached + 1 < rows_.used && reached < longest) ++reached;
  }
  if (placed.price == none) return placed;
  placed.borders = {embedding::RowBlocks::count, last};
  placed.rooms = {last_room};
  for (std::size_t k = last_room; k-- > 0 && placed.borders.back() > 0;) {
    const Index begin = from[k][placed.borders.back()];
    if (begin < 0) continue;
    placed.borders.push_back(begin);
    placed.rooms.push_back(k);
  }
  std::reverse(placed.borders.begin(), placed.borders.end());
  std::reverse(placed.rooms.begin(), placed.rooms.end());
  return placed;
}

}  // namespace tesserec::planning
