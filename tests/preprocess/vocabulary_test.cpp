// SPDX-License-Identifier: Apache-2.0
#include "src/preprocess/vocabulary.hpp"

#include <map>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::preprocess;

namespace {

std::string token_of(const Vocabulary& vocabulary, Index id) {
  const auto offsets = vocabulary.offsets();
  return {vocabulary.bytes().data() + offsets[id], static_cast<std::size_t>(offsets[id + 1] - offsets[id])};
}

}  // namespace

TEST_CASE("Vocabulary: sorts ids by count and then by token and gives 0 to rare and unknown tokens") {
  TokenCounts counts;
  for (const char* token : {"b", "a", "\xC3\xA9", "b", "zz", "", "z", "\xC3\xA9", "once"}) counts.add(token);
  counts.add("zz", 4);
  counts.add("", 1);
  counts.add("z", 1);
  counts.add("a", 1);
  const Vocabulary vocabulary("f", counts, 2);
  REQUIRE(vocabulary.rows() == 7);
  const std::vector<std::string> order = {"", "zz", "", "a", "b", "z", "\xC3\xA9"};
  for (Index id = 0; id < vocabulary.rows(); ++id) {
    REQUIRE(token_of(vocabulary, id) == order[id]);
    if (id > 0) REQUIRE(vocabulary.id(std::string_view(order[id])) == id);
  }
  REQUIRE(vocabulary.id(std::nullopt) == 0);
  REQUIRE(vocabulary.id(std::string_view("once")) == 0);
  REQUIRE(vocabulary.id(std::string_view("never")) == 0);
  REQUIRE(Vocabulary("f", TokenCounts(), 1).rows() == 1);
  REQUIRE(Vocabulary("f", TokenCounts(), 1).id(std::string_view("x")) == 0);
}

TEST_CASE("TokenMap: holds many tokens") {
  const Random random(5, Purpose::test);
  TokenMap map;
  std::map<std::string, Index> expected;
  for (Index i = 0; i < 20000; ++i) {
    const std::string token = std::to_string(random.below(7000, i, 0));
    const Index number = map.insert(token);
    REQUIRE(number == expected.emplace(token, static_cast<Index>(expected.size())).first->second);
  }
  REQUIRE(map.size() == static_cast<Index>(expected.size()));
  for (const auto& [token, number] : expected) {
    REQUIRE(map.find(token) == number);
    REQUIRE(map.token(number) == token);
  }
  REQUIRE(map.find("x") == -1);
}

TEST_CASE("TokenMap: tells tokens apart that differ late or by zeros at the end") {
  TokenMap map;
  std::vector<std::string> tokens;
  for (int i = 0; i < 300; ++i) {
    tokens.emplace_back("a common beginning ") += std::to_string(100 + i);
    tokens.push_back(std::to_string(i));
    for (int zeros = 0; zeros < 3; ++zeros) tokens.push_back(tokens.back() + '\0');
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) REQUIRE(map.insert(tokens[i]) == static_cast<Index>(i));
  for (std::size_t i = 0; i < tokens.size(); ++i) REQUIRE(map.find(tokens[i]) == static_cast<Index>(i));
}

TEST_CASE("merge: adds the counts of all ranks") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  TokenCounts mine;
  mine.add("all", 10);
  mine.add("rank" + std::to_string(comm.rank()), comm.rank() + 1);
  if (comm.rank() == comm.size() - 1) mine.add("last");
  const TokenCounts all = merge(comm, mine);
  const auto count = [&](const std::string& token) {
    const Index i = all.tokens.find(token);
    return i < 0 ? 0 : all.counts[i];
  };
  REQUIRE(all.tokens.size() == comm.size() + 2);
  REQUIRE(count("all") == 10 * comm.size());
  REQUIRE(count("last") == 1);
  for (int r = 0; r < comm.size(); ++r) REQUIRE(count("rank" + std::to_string(r)) == r + 1);
}
