// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/field_values.hpp>
#include <tesserec/raw/quantiles.hpp>

namespace tesserec::raw {
namespace {

/// Parses the text of borders_text() for `quantiles` buckets. Returns nothing for any other text.
std::optional<std::vector<double>> parse_borders(const std::string& text, Index quantiles) {
  std::istringstream words(text.substr(std::min(text.size(), text.find(':') + 1)));
  std::vector<double> borders;
  for (std::string word; words >> word;) {
    const std::optional<double> border = parse_number<double>(word);
    if (!border) return std::nullopt;
    borders.push_back(*border);
  }
  const bool ascend = std::adjacent_find(borders.begin(), borders.end(), std::greater_equal<>()) == borders.end();
  if (borders.empty() || !ascend || borders_text(quantiles, borders) != text) return std::nullopt;
  return borders;
}

}  // namespace

std::string borders_text(Index quantiles, const std::vector<double>& borders) {
  return concat(quantiles, ": ", join(borders, " ", [](double border) { return number_text(border); }));
}

void set_stored_borders(RowFormat& format, const std::vector<std::string>& features,
                        const std::vector<std::string>& borders) {
  const std::vector<Column> columns = format.layout().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    if (column.quantiles == 0) continue;
    const auto place = std::size_t(std::find(features.begin(), features.end(), column.name) - features.begin());
    const std::string text = place < features.size() && place < borders.size() ? borders[place] : std::string();
    std::optional<std::vector<double>> stored = parse_borders(text, column.quantiles);
    if (!stored)
      fail("preprocess.column ", column.name, ": quantiles is ", column.quantiles, ", but the data have ",
           text.empty() ? "no borders" : concat("the borders \"", text, "\""),
           " of it; give the column the quantiles of the training");
    format.set_borders(c, *std::move(stored));
  }
}

}  // namespace tesserec::raw
