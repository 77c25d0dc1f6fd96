// SPDX-License-Identifier: Apache-2.0
#include "table_list.hpp"

#include <fstream>
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::app {
namespace {

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> list(1);
  for (const char c : line) {
    if (c == ',')
      list.emplace_back();
    else if (c != '\r' && !(c == ' ' && list.back().empty()))
      list.back() += c;
  }
  return list;
}

template <class T>
T number(const std::string& text, const std::string& where, const char* what, T low, T high) {
  const std::optional<T> value = parse_number<T>(text);
  if (!value || !(*value >= low && *value <= high))
    fail(where, what, " must be a number, ", low, " to ", high, ", but is \"", text, "\"");
  return *value;
}

}  // namespace

std::vector<embedding::EmbeddingBagConfig> read_table_list(const std::string& path, deck::Deck& deck) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, ": cannot read this list of tables");
  std::vector<embedding::EmbeddingBagConfig> tables;
  std::set<std::string> names;
  std::string line;
  for (Index at = 1; std::getline(file, line); ++at) {
    const std::vector<std::string> words = fields(line);
    if (words.size() == 1 && words[0].empty()) continue;
    if (at == 1 && words[0] == "name") continue;
    const std::string where = path + ":" + std::to_string(at) + ": ";
    if (words.size() != 4 && words.size() != 5)
      fail(where, "a line is name,rows,dim,ids_per_bag or name,rows,dim,ids_per_bag,zipf, but has ", words.size(),
           " fields");
    if (words[0].empty()) fail(where, "a table has no name");
    if (const std::string fault = name_fault(words[0]); !fault.empty())
      fail(where, "\"", printable_line(words[0]), "\" cannot be a table's name: ", fault);
    if (!names.insert(words[0]).second) fail(where, "table ", words[0], " stands twice");
    const std::string of = where + "table " + words[0] + ": ";
    embedding::EmbeddingBagConfig table;
    table.name = words[0];
    table.feature_names = {words[0]};
    table.num_embeddings = number<Index>(words[1], of, "rows", 1, Index{1} << 50);
    table.embedding_dim = number<Index>(words[2], of, "dim", 1, Index{1} << 20);
    const double ids = number<double>(words[3], of, "ids_per_bag", 1e-3, 1e6);
    planning::ParameterConstraints& demand = deck.plan.tables[table.name];
    if (deck.lines.count("plan.tables." + table.name + ".pooling_factor") == 0) demand.pooling_factor = ids;
    const double zipf = words.size() == 5 ? number<double>(words[4], of, "zipf", 0, 10) : 0;
    if (!demand.zipf) demand.zipf = zipf;
    tables.push_back(std::move(table));
  }
  if (tables.empty()) fail(path, ": there is no table in it");
  return tables;
}

}  // namespace tesserec::app
