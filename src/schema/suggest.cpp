// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/schema/suggest.hpp>

namespace tesserec::schema {

int edit_distance(const std::string& a, const std::string& b) {
  const std::size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1));
  for (std::size_t i = 0; i <= n; ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= m; ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= n; ++i)
    for (std::size_t j = 1; j <= m; ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  if (word.size() > 200) return best;
  int fewest = 1 + int(word.size()) / 4;
  for (const std::string& candidate : candidates) {
    const int edits = edit_distance(word, candidate);
    if (edits < fewest || (edits == fewest && best.empty())) {
      fewest = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tesserec::schema
