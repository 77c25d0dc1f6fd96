// SPDX-License-Identifier: Apache-2.0
#include "row_partitions.hpp"

#include <algorithm>

namespace tesserec::planning {

RowShares::RowShares(const TableCosts& costs, Index min_rows) {
  const auto& blocks = costs.blocks();
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
    last[begin] = share(begin, embedding::block_count);
    const Index next = begin + (begin & -begin);
    last[begin].vectors = next < used ? full[next - begin].filled + last[next].vectors : last[begin].filled;
  }
  const auto too_few = [&](const Share& piece) { return piece.rows < double(min_rows); };
  shortest = std::max<Index>(1, std::partition_point(full.begin(), full.end(), too_few) - full.begin());
  for (last_begin = used - 1; last_begin > 0 && too_few(last[last_begin]);) --last_begin;
  if (last_begin < shortest) last_begin = 0;
}

RowPartitions::RowPartitions(const RowShares& rows, const TableCosts& costs, double width, double widest,
                             ExchangeForm form)
    : rows_(rows), loads_(loads(costs, width, form)) {
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

/// The subtrees of a piece climb from its begin to the border inside it that most subtrees share, and descend from
/// there to its end.
template <class Visit>
void RowPartitions::pieces_before(Index end, Index window, Index step, const Visit& visit) const {
  const Index latest = (end - rows_.shortest) & -step;  // begin of the shortest piece
  for (Index top = end; top > 0; top &= top - 1) {
    const Index low = std::max(top - (top & -top), end - window);
    if (top - step < low) break;
    const double after = rows_.full[end - top].vectors;
    for (Index begin = std::min(top - step, latest); begin >= low; begin -= step)
      visit(begin, after + rows_.full[top - begin].vectors);
  }
}

double RowPartitions::least(const Load& most, const Price& price, double a_piece, Index step,
                            std::vector<Index>& borders) const {
  const Affine<double> price_of = loads_.map([&](const ShardLoad& load) { return price.of(load); });
  const std::vector<double> prices = lengths(price_of), limit = vector_limit(most);
  const Index used = rows_.used, window = this->window(limit);
  std::vector<double> sum(used, none);
  std::vector<Index> from(used);
  sum[0] = 0;
  for (Index end = step; end < used && rows_.last_begin > 0; end += step) {
    double best = none;
    Index best_begin = 0;
    pieces_before(end, window, step, [&](Index begin, double vectors) {
      const std::size_t n = end - begin;
      const double all = sum[begin] + prices[n] + price_of.vector * vectors + a_piece;
      if (all >= best || vectors > limit[n]) return;
      best = all;
      best_begin = begin;
    });
    sum[end] = best;
    from[end] = best_begin;
  }
  double best = none;
  Index last = 0;
  for (Index begin = 0; begin <= rows_.last_begin; ++begin) {
    const double all = sum[begin] + price_of.of(rows_.last[begin]) + a_piece;
    if (all >= best || !fits(rows_.last[begin], most)) continue;
    best = all;
    last = begin;
  }
  if (best == none) return none;
  borders = {embedding::block_count, last};
  while (borders.back() > 0) borders.push_back(from[borders.back()]);
  std::reverse(borders.begin(), borders.end());
  return best;
}

/// The search for the best length begins at the longest piece. A piece that were one subtree would cost a concave
/// function of its rows, and no piece costs less than that. So the search ends where one subtree costs no less than the
/// best found: shorter pieces cost no less a block, and of the last pieces the first or the last costs least.
double RowPartitions::relaxed(const Load& most, const Price& price) const {
  const Affine<double> prices = loads_.map([&](const ShardLoad& load) { return price.of(load); });
  const auto one_subtree = [&](const Share& s) { return prices.of({s.rows, s.filled, s.filled}); };
  const auto too_large = [&](const Share& s) { return !fits({s.rows, s.filled, s.filled}, most); };
  // The whole table stands apart: its vectors are finished, and may be smaller than a subtree's.
  double best = fits_whole(most) ? prices.of(rows_.last[0]) : none;
  if (rows_.last_begin == 0) return best;
  const auto longest = std::partition_point(rows_.full.rbegin(), rows_.full.rend() - 1, too_large);
  double rate = none;
  for (auto piece = longest; piece < rows_.full.rend() - rows_.shortest; ++piece) {
    const double blocks = double(rows_.full.rend() - 1 - piece);
    if (one_subtree(*piece) >= rate * blocks) break;
    if (fits(*piece, most)) rate = std::min(rate, prices.of(*piece) / blocks);
  }
  if (rate == none) return best;
  const auto before = [&](auto piece) { return rate * double(piece - rows_.last.begin()); };
  const auto end = rows_.last.begin() + rows_.last_begin;
  const double at_end = before(end) + one_subtree(*end);
  for (auto piece = std::partition_point(rows_.last.begin() + rows_.shortest, end + 1, too_large); piece <= end;
       ++piece) {
    if (std::min(at_end, before(piece) + one_subtree(*piece)) >= best) break;
    if (fits(*piece, most)) best = std::min(best, before(piece) + prices.of(*piece));
  }
  return best;
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
    placed.price = least(rooms[0], net, waste * rooms[0].seconds, step, placed.borders);
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
    for (Index begin = std::max<Index>(0, least_end[k]); begin <= std::min(reached, rows_.last_begin); ++begin) {
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
  placed.borders = {embedding::block_count, last};
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
