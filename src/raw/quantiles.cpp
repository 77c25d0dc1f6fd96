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

std::string borders_text(Index quantiles, const std::vector<double>& borders) {
  return concat(quantiles, ": ", join(borders, " ", [](double border) { return number_text(border); }));
}

std::optional<StoredBorders> parse_borders(const std::string& text) {
  std::istringstream words(text);
  StoredBorders stored;
  words >> stored.quantiles;
  words.ignore(1);
  for (std::string word; words >> word;) {
    const std::optional<double> border = parse_number<double>(word);
    if (!border) return std::nullopt;
    stored.borders.push_back(*border);
  }
  const std::vector<double>& borders = stored.borders;
  const bool ascend = std::adjacent_find(borders.begin(), borders.end(), std::greater_equal<>()) == borders.end();
  if (borders.empty() || !ascend || borders_text(stored.quantiles, borders) != text) return std::nullopt;
  return stored;
}

void set_stored_borders(RowFormat& format, const std::vector<std::string>& features,
                        const std::vector<std::string>& borders) {
  const std::vector<Column> columns = format.layout().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    if (column.quantiles == 0) continue;
    const auto place = std::size_t(std::find(features.begin(), features.end(), column.name) - features.begin());
    const std::string text = place < features.size() && place < borders.size() ? borders[place] : std::string();
    std::optional<StoredBorders> stored = parse_borders(text);
    if (!stored || stored->quantiles != column.quantiles)
      fail("preprocess.column ", column.name, ": quantiles is ", column.quantiles, ", but the data set has ",
           text.empty() ? "no borders" : concat("the borders \"", text, "\""),
           " for this column; give the column the quantiles of the training");
    format.set_borders(c, std::move(stored->borders));
  }
}

}  // namespace tesserec::raw
