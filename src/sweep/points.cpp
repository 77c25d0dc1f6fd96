// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/sweep/points.hpp>

namespace tesserec::sweep {
namespace {

/// Largest number of keys of a Halton sequence. Each key takes a prime of its own.
inline constexpr std::size_t max_halton_keys = 32;

constexpr std::array<std::uint32_t, max_halton_keys> primes = {2,  3,  5,  7,   11,  13,  17,  19,  23,  29, 31,
                                                               37, 41, 43, 47,  53,  59,  61,  67,  71,  73, 79,
                                                               83, 89, 97, 101, 103, 107, 109, 113, 127, 131};
constexpr Index permutations = Index{1} << 32;  // first stream of permutations, after those of random_number()

/// Returns the image of `digit` under a random permutation (Fisher, Yates) of 0 ... base - 1, drawn for `place`.
std::uint32_t permuted(const Random& random, Index place, std::uint32_t base, std::uint32_t digit) {
  std::array<std::uint32_t, primes.back()> order;
  std::iota(order.begin(), order.begin() + base, 0u);
  for (std::uint32_t i = base - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1, place, i)]);
  return order[digit];
}

/// Returns number `row` of key `dimension`, uniform in [0, 1): a function of (seed, row, dimension) alone.
double random_number(std::uint64_t seed, Index row, std::size_t dimension) {
  return Random(seed, Purpose::sweep_points, dimension).uniform53(row, 0);
}

/// Returns element `row` of Halton's sequence (1960) in [0, 1): its digits in the dimension's prime base, mirrored at
/// the point. Each digit is permuted at random (Owen, "A randomized Halton algorithm in R", 2017) to break the lines of
/// large bases.
double halton_number(std::uint64_t seed, Index row, std::size_t dimension) {
  const Random random(seed, Purpose::sweep_points, permutations + dimension);
  const std::uint32_t base = primes[dimension];
  std::uint64_t digits = 0, denominator = 1;  // integers, so that only the quotient rounds
  for (Index place = 0; denominator < std::uint64_t{1} << 40; ++place, row /= base) {
    digits = digits * base + permuted(random, place, base, row % base);
    denominator *= base;
  }
  return double(digits) / double(denominator);
}

/// Returns the key's value at u in [0, 1), as TOML: one of its list, an integer of its range, or a float with four
/// digits.
std::string value_at(const Key& key, double u) {
  if (!key.values.empty()) return key.values[std::size_t(u * double(key.values.size()))];
  const double top = key.integer ? key.max + 1 : key.max;
  const double low = key.log ? elementary::log(key.min) : key.min;
  const double high = key.log ? elementary::log(top) : top;
  const double drawn = low + u * (high - low), value = key.log ? elementary::exp(drawn) : drawn;
  const double rounded = key.integer ? std::floor(value) : *parse_number<double>(significant(value, 4));
  const double inside = std::clamp(rounded, key.min, key.max);
  return key.integer ? std::to_string(Index(inside)) : shortest(inside);
}

constexpr Index max_points = 100'000;

bool draws(const Settings& settings) { return settings.method == Method::random || settings.method == Method::halton; }

/// Counts the points of a grid or list. Stops at max_points + 1 for a grid.
Index enumerated(const Settings& settings) {
  if (settings.method == Method::list) return std::ssize(settings.keys.front().values);
  Index count = 1;
  for (const Key& key : settings.keys) count = std::min(max_points + 1, count * std::ssize(key.values));
  return count;
}

Point enumerated_point(const Settings& settings, Index index) {
  Point point(settings.keys.size());
  for (std::size_t k = point.size(); k-- > 0;) {
    const std::vector<std::string>& values = settings.keys[k].values;
    point[k] = values[settings.method == Method::list ? index : index % std::ssize(values)];
    index /= settings.method == Method::list ? 1 : std::ssize(values);
  }
  return point;
}

/// Draws settings.points different points, or fewer if the tries find no more.
std::vector<Point> drawn(const Settings& settings) {
  std::vector<Point> all;
  std::set<Point> known;
  const Index tries = 1000 + 64 * settings.points;
  for (Index row = 0; row < tries && std::ssize(all) < settings.points; ++row) {
    Point point;
    for (std::size_t k = 0; k < settings.keys.size(); ++k)
      point.push_back(value_at(settings.keys[k], settings.method == Method::random
                                                     ? random_number(settings.seed, row, k)
                                                     : halton_number(settings.seed, row, k)));
    if (known.insert(point).second) all.push_back(std::move(point));
  }
  return all;
}

std::optional<Fault> range_fault(const Key& key) {
  const std::string name = "keys." + key.path;
  const auto whole = [](double x) { return x == std::floor(x) && std::abs(x) < 0x1p53; };
  if (!(key.min < key.max))
    return Fault{name, concat("has min = ", shortest(key.min), ", which is not below max = ", shortest(key.max))};
  if (key.log && key.min <= 0)
    return Fault{name, concat("has scale = \"log\", which needs a min above 0, but min is ", shortest(key.min))};
  if (key.integer && !(whole(key.min) && whole(key.max)))
    return Fault{name, concat("has integer = true, but min = ", shortest(key.min), " or max = ", shortest(key.max),
                              " is not an integer")};
  return std::nullopt;
}

std::optional<Fault> key_fault(const Settings& settings, const Key& key) {
  const std::string name = "keys." + key.path;
  if (key.values.empty() && !draws(settings))
    return Fault{name, "is a range, which needs method = \"random\" or \"halton\"; set it, or give a list of values"};
  if (key.values.empty()) return range_fault(key);
  std::set<std::string> seen;
  for (const std::string& value : key.values)
    if (!seen.insert(value).second && settings.method != Method::list)
      return Fault{name, "has " + value + " twice, which would repeat points; remove one"};
  const std::size_t length = settings.keys.front().values.size();
  if (settings.method == Method::list && key.values.size() != length)
    return Fault{name, concat("has ", counted(key.values.size(), "value"), ", but ", settings.keys.front().path,
                              " has ", length, "; method = \"list\" needs lists of the same length")};
  return std::nullopt;
}

std::vector<std::string> words_of(const std::string& path) {
  std::vector<std::string> all(1);
  for (const char c : path)
    if (c == '.')
      all.emplace_back();
    else
      all.back() += c;
  return all;
}

/// Returns the fewest last words of the path that no other key ends with.
std::string short_name(const Settings& settings, const std::string& path) {
  const std::vector<std::string> words = words_of(path);
  std::string name;
  for (std::size_t count = 1; count <= words.size(); ++count) {
    name = words[words.size() - count] + (name.empty() ? "" : "." + name);
    const auto ends_so = [&](const Key& key) { return ("." + key.path).ends_with("." + name); };
    if (std::count_if(settings.keys.begin(), settings.keys.end(), ends_so) == 1) break;
  }
  return name;
}

}  // namespace

std::optional<Fault> fault(const Settings& settings) {
  if (settings.keys.empty()) return Fault{"keys", "is empty; give at least one key that varies"};
  for (const Key& key : settings.keys)
    if (const auto found = key_fault(settings, key)) return found;
  if (settings.method == Method::halton && settings.keys.size() > max_halton_keys)
    return Fault{"method", concat("is halton, which takes at most ", max_halton_keys, " keys, but ",
                                  settings.keys.size(), " vary")};
  if (draws(settings)) {
    if (settings.points == 0) return Fault{"points", "is missing; give the number of points to draw"};
    if (const Index found = std::ssize(drawn(settings)); found < settings.points)
      return Fault{"points", concat("is ", settings.points, ", but only ", found,
                                    " different points were drawn; lower it, or set method = \"grid\"")};
    return std::nullopt;
  }
  if (enumerated(settings) > max_points)
    return Fault{"keys", concat("makes more than ", max_points, " points; draw some with method = \"halton\"")};
  std::map<Point, Index> seen;
  for (const Point& point : points(settings))
    if (const auto [same, is_new] = seen.emplace(point, Index(seen.size())); !is_new)
      return Fault{"keys", concat("makes points ", same->second, " and ", seen.size(), " the same, ",
                                  label(settings, point), "; remove one")};
  return std::nullopt;
}

std::vector<Point> points(const Settings& settings) {
  if (draws(settings)) return drawn(settings);
  std::vector<Point> all;
  for (Index i = 0; i < enumerated(settings); ++i) all.push_back(enumerated_point(settings, i));
  return all;
}

std::string label(const Settings& settings, const Point& point) {
  constexpr std::size_t longest = 120;  // a file name has at most 255 bytes
  std::string text;
  for (std::size_t k = 0; k < point.size(); ++k)
    text += (k > 0 ? "," : "") + short_name(settings, settings.keys[k].path) + "=" + point[k];
  std::string plain;
  for (const char c : text) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._+-=,").find(c) != std::string_view::npos;
    if (keeps)
      plain += c == ',' && plain.ends_with(',') ? '-' : c;
    else if (c == ' ' && plain.ends_with(','))  // a space between elements of a list
      plain.back() = '-';
  }
  return plain.substr(0, longest);
}

}  // namespace tesserec::sweep
