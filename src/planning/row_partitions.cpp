// SPDX-License-Identifier: Apache-2.0
#include "row_partitions.hpp"

namespace tesserec::planning {

RowShares::RowShares(const TableCosts& costs) {
  const embedding::RowBlocks& blocks = costs.blocks();
  const auto share = [&](Index begin, Index end) {
    const double part = double(blocks.rows({begin, end}).size()) / costs.rows();
    return Share{part * costs.rows(), costs.filled(part), 0};
  };
  used = blocks.block(Index(costs.rows()) - 1) + 1;
  full.resize(used);
  for (Index n = 1; n < used; ++n) {
    full[n] = share(0, n);
    const Index size = n & -n;  // the subtrees are the binary digits
    full[n].vectors = n == size ? full[n].filled : full[n - size].vectors + full[size].vectors;
  }
  last.resize(used);
  last[0] = {costs.rows(), costs.filled(1), costs.whole_vectors()};
  for (Index begin = used - 1; begin > 0; --begin) {
    last[begin] = share(begin, embedding::RowBlocks::count);
    const Index next = begin + (begin & -begin);
    last[begin].vectors = next < used ? full[next - begin].filled + last[next].vectors : last[begin].filled;
  }
}

RowPartitions::RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest,
                             ExchangeForm form)
    : rows_(rows),
      loads_(loads(costs, width, form)),
      own_(loads_.map([](const ShardLoad& load) { return load.owner.seconds; })) {
  const Affine<ShardLoad> wide = loads(costs, widest, form);
  widest_seconds_ = wide.map([](const ShardLoad& load) { return load.owner.seconds; });
  widest_bytes_ = wide.map([](const ShardLoad& load) { return load.owner.bytes; });
}

auto RowPartitions::loads(const TableCosts& costs, double width, ExchangeForm form) -> Affine<ShardLoad> {
  const ShardLoad one = costs.load(0, 0, 0, width, form);
  const auto slope = [&](double rows, double filled, double vectors) {
    const double times = std::max(rows, 1.0);
    const ShardLoad with = costs.load(rows, filled, vectors, width, form);
    const auto of = [times](const Load& a, const Load& b) {
      return Load{(a.seconds - b.seconds) / times, (a.bytes - b.bytes) / times};
    };
    return ShardLoad{of(with.owner, one.owner), of(with.each, one.each)};
  };
  return {one, slope(costs.rows(), 0, 0), slope(0, 1, 0), slope(0, 0, 1)};
}

ShardLoad RowPartitions::load(const Share& s) const {
  const auto sum = [&](const Load& one, const Load& row, const Load& filled, const Load& vector) {
    return Load{one.seconds + s.rows * row.seconds + s.filled * filled.seconds + s.vectors * vector.seconds,
                one.bytes + s.rows * row.bytes + s.filled * filled.bytes + s.vectors * vector.bytes};
  };
  return {sum(loads_.one.owner, loads_.row.owner, loads_.filled.owner, loads_.vector.owner),
          sum(loads_.one.each, loads_.row.each, loads_.filled.each, loads_.vector.each)};
}

auto RowPartitions::pieces(const std::vector<Index>& borders) const -> std::vector<Pieces> {
  std::vector<Pieces> pieces;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
    const Index begin = borders[i], end = borders[i + 1];
    if (end >= rows_.used) {
      pieces.push_back({1, load(rows_.last[begin])});
      continue;
    }
    Share share = rows_.full[end - begin];
    pieces_before(end, end, 1, [&](Index at, double vectors) {
      if (at == begin) share.vectors = vectors;
    });
    pieces.push_back({1, load(share)});
  }
  return pieces;
}

std::vector<double> RowPartitions::lengths(const Affine<double>& of) const {
  std::vector<double> values;
  for (const Share& piece : rows_.full) values.push_back(of.of({piece.rows, piece.filled, 0}));
  return values;
}

std::vector<double> RowPartitions::vector_limit(const Load& most) const {
  const auto limit = [](double room, double vector) { return vector > 0 ? room / vector : none; };
  std::vector<double> limits;
  for (const Share& piece : rows_.full) {
    const Share without{piece.rows, piece.filled, 0};
    if (!fits(without, most)) break;  // nor does a longer one
    limits.push_back(std::min(limit(most.seconds - widest_seconds_.of(without), widest_seconds_.vector),
                              limit(most.bytes - widest_bytes_.of(without), widest_bytes_.vector)));
  }
  return limits;
}

Index RowPartitions::window(const std::vector<double>& limit) const {
  for (Index n = std::ssize(limit) - 1; n > 0; --n)  // no piece as long has fewer vectors than one at a border
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
  const Affine<double> price_of = loads_.map([&](const ShardLoad& load) { return net.of(load); });
  const std::vector<double> prices = lengths(price_of);
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
      if (!fits(rows_.last[rows_.used - last_window - 1], rooms[k])) break;
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
      if (!fits(rows_.last[begin], room)) continue;
      const double all = sum[begin] + price_of.of(rows_.last[begin]) + whole;
      if (all < placed.price * (1 - 1e-12)) {
        placed.price = all;
        last_room = k;
        last = begin;
      }
    }
    const Index longest = std::min(rows_.used - 1, reached + windows[k]);
    for (Index end = longest / step * step; end >= std::max<Index>(1, least_end[k + 1]);
         end -= step) {  // falling: sum[begin] is of k - 1
      double best = sum[end] * (1 - 1e-12);
      pieces_before(end, std::min(windows[k], end), step, [&](Index begin, double vectors) {
        const std::size_t n = end - begin;
        const double all = sum[begin] + prices[n] + price_of.vector * vectors + whole;
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
