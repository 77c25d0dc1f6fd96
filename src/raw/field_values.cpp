// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <tesserec/core/text.hpp>
#include <tesserec/core/weight_bounds.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::raw {
namespace {

template <class Float>
std::errc parse(std::string_view text, Float& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (stop != end) return std::errc::invalid_argument;
  if (code != std::errc::result_out_of_range) return code;
  const double nearest = std::strtod(std::string(text).c_str(), nullptr);  // from_chars does not tell large from small
  if (std::abs(nearest) > 1) return code;
  value = Float(nearest);
  return {};
}

/// Returns the text of a number without a fraction of 0.
std::string without_zero(std::string text) {
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

}  // namespace

const char* kind_name(ColumnKind kind) {
  constexpr const char* names[] = {"label", "weight", "number", "category", "time", "key", "skip"};
  return names[std::size_t(kind)];
}

std::errc parse_float(std::string_view text, float& value) { return parse(text, value); }
std::errc parse_float(std::string_view text, double& value) { return parse(text, value); }

const char* transform_name(Transform transform) {
  constexpr const char* names[] = {"none", "log1p", "standardise"};
  return names[std::size_t(transform)];
}

std::string number_fault(std::string_view text, double& value) {
  const std::errc code = parse_float(text, value);
  if (code == std::errc::invalid_argument) return "is not a number";
  if (code == std::errc() && !std::isfinite(value)) return "is not a finite number";
  if (code != std::errc() || !(std::abs(value) <= std::numeric_limits<float>::max()))
    return "is out of the range of 32-bit floats";
  return "";
}

bool take_weight(std::string_view& value, float& weight) {
  const std::size_t colon = value.rfind(':');
  if (colon == std::string_view::npos) return true;
  if (parse_float(value.substr(colon + 1), weight) != std::errc() || !(std::abs(weight) <= max_id_weight)) return false;
  value = value.substr(0, colon);
  return true;
}

std::string number_text(double number) { return without_zero(shortest(number)); }
std::string number_text(float number) { return without_zero(shortest(number)); }

std::vector<std::string> bucket_texts(const std::vector<double>& borders) {
  std::vector<std::string> texts = {"below " + number_text(borders.front())};
  for (std::size_t i = 0; i + 1 < borders.size(); ++i)
    texts.push_back(number_text(borders[i]) + " to " + number_text(borders[i + 1]));
  texts.push_back("from " + number_text(borders.back()));
  return texts;
}

}  // namespace tesserec::raw
