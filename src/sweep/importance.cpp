// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <tesserec/core/text.hpp>
#include <tesserec/sweep/importance.hpp>

namespace tesserec::sweep {
namespace {

double mean(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0) / double(x.size()); }

double squares(const std::vector<double>& x) {
  const double m = mean(x);
  double sum = 0;
  for (const double value : x) sum += (value - m) * (value - m);
  return sum;
}

/// Returns the rank of each value, ascending from 1. Equal values share their mean rank.
std::vector<double> ranks(const std::vector<double>& x) {
  std::vector<double> out;
  for (const double value : x) {
    const auto below = std::count_if(x.begin(), x.end(), [&](double other) { return other < value; });
    out.push_back(double(below) + (double(std::count(x.begin(), x.end(), value)) + 1) / 2);
  }
  return out;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double mx = mean(x), my = mean(y);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mx) * (y[i] - my);
  return sum / std::sqrt(squares(x) * squares(y));
}

template <class T>
bool is_constant(const std::vector<T>& values) {
  return std::count(values.begin(), values.end(), values[0]) == std::ssize(values);
}

Importance rank_correlation(const std::vector<std::string>& x, const std::vector<double>& y, bool more_is_better) {
  std::vector<double> numbers;
  for (const std::string& text : x) numbers.push_back(parse_number<double>(text).value());
  const double rho = correlation(ranks(numbers), ranks(y));
  return {"", rho * rho, (rho > 0) == more_is_better ? "more" : "less"};
}

Importance correlation_ratio(const std::vector<std::string>& x, const std::vector<double>& y, bool more_is_better) {
  std::map<std::string, std::vector<double>> groups;
  for (std::size_t i = 0; i < x.size(); ++i) groups[x[i]].push_back(y[i]);
  const double overall = mean(y);
  double between = 0;
  for (const auto& [value, of_value] : groups)
    between += double(of_value.size()) * (mean(of_value) - overall) * (mean(of_value) - overall);
  const auto worse = [&](const auto& a, const auto& b) {
    return more_is_better ? mean(a.second) < mean(b.second) : mean(a.second) > mean(b.second);
  };
  if (groups.size() == y.size()) return {"", std::nan(""), ""};  // all variance is between values
  return {"", between / squares(y), std::max_element(groups.begin(), groups.end(), worse)->first};
}

}  // namespace

std::vector<Importance> importance(const Settings& settings, const std::vector<Point>& points,
                                   const std::vector<double>& values, bool more_is_better) {
  std::vector<std::size_t> finite;
  std::vector<double> y;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::isfinite(values[i])) {
      finite.push_back(i);
      y.push_back(values[i]);
    }
  std::vector<Importance> all;
  for (std::size_t k = 0; k < settings.keys.size(); ++k) {
    const Key& key = settings.keys[k];
    std::vector<std::string> x;
    for (const std::size_t i : finite) x.push_back(points[i][k]);
    const bool is_undefined = y.size() < 3 || is_constant(x) || is_constant(y);
    if (is_undefined)
      all.push_back({"", std::nan(""), ""});
    else
      all.push_back(key.values.empty() ? rank_correlation(x, y, more_is_better)
                                       : correlation_ratio(x, y, more_is_better));
    all.back().key = key.path;
  }
  return all;
}

}  // namespace tesserec::sweep
