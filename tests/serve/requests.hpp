// SPDX-License-Identifier: Apache-2.0
// Requests of the Open Inference Protocol about samples of a batch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/batch.hpp>
#include <tesserec/serve/service.hpp>

namespace tesserec {

inline std::string input(const std::string& name, const std::string& datatype, const std::string& shape,
                         const std::string& data) {
  return R"({"name": ")" + name + R"(", "datatype": ")" + datatype + R"(", "shape": [)" + shape + R"(], "data": [)" +
         data + "]}";
}

/// Returns a reader that gives a body in two pieces.
inline auto reader_of(const std::string& body) {
  return [body](const serve::TakePiece& take) {
    const std::string_view all = body;
    return take(all.substr(0, all.size() / 2)) && take(all.substr(all.size() / 2));
  };
}

inline std::string list(const auto* numbers, Index n) {
  std::vector<std::string> texts;
  for (Index i = 0; i < n; ++i) texts.push_back(concat(numbers[i]));
  return join(texts);
}

/// The first three samples of a batch of three features and three dense numbers.
struct ThreeSamples {
  std::vector<float> dense, scores;
  std::vector<std::vector<Index>> offsets, ids;  // of each feature

  ThreeSamples() = default;
  ThreeSamples(const data::Batch& batch, const std::vector<float>& probabilities)
      : dense(batch.dense.data(), batch.dense.data() + 9), scores(probabilities.begin(), probabilities.begin() + 3) {
    for (Index f = 0; f < 3; ++f) {
      const Index begin = batch.sparse.begin(f, 0);
      std::vector<Index>& ends = offsets.emplace_back();
      for (Index s = 0; s <= 3; ++s) ends.push_back(batch.sparse.begin(f, s) - begin);
      const Index* const first = batch.sparse.values.data() + begin;
      ids.emplace_back(first, first + ends.back());
    }
  }
  std::string dense_input() const {
    std::vector<std::string> texts;
    for (const float v : dense) texts.push_back(shortest(v));
    return input("dense", "FP32", "3, 3", join(texts));
  }
  std::string feature_input(Index f) const {
    const std::string name = "C" + std::to_string(f + 1);
    const auto count = std::ssize(ids[f]);
    return input(name, "INT64", std::to_string(count), list(ids[f].data(), count)) + ", " +
           input(name + ".offsets", "INT64", "4", list(offsets[f].data(), 4));
  }
  std::vector<std::string> inputs() const {
    return {dense_input(), feature_input(0), feature_input(1), feature_input(2)};
  }
};

/// Returns a request's text of these inputs.
inline std::string request_of(const std::vector<std::string>& inputs, const std::string& more = "") {
  return "{\"inputs\": [" + join(inputs) + "]" + more + "}";
}

/// Returns the scores of a reply, which must have some.
inline std::vector<float> scores_of(const serve::HttpReply& reply) {
  INFO(reply.body);
  REQUIRE(reply.status == 200);
  const Json output = parse_json(reply.body).at("outputs").elements().at(0);
  CHECK(output.at("name").string() == "scores");
  CHECK(output.at("datatype").string() == "FP32");
  std::vector<float> scores;
  for (const Json& score : output.at("data").elements()) scores.push_back(float(score.number()));
  CHECK(output.at("shape").elements().at(0).integer() == std::ssize(scores));
  return scores;
}

}  // namespace tesserec
