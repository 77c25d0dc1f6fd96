// SPDX-License-Identifier: Apache-2.0
// Losses over a whole batch in device memory against the same losses chunk by chunk: every bit is the same.
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "device_copies.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/losses.hpp>

using namespace tesserec;
using namespace tesserec::losses;

namespace {

std::vector<float> numbers(Index n, Index column) {
  const Random random(24, Purpose::test);
  std::vector<float> made;
  for (Index i = 0; i < n; ++i) made.push_back(4.0f * random.normal(i, column));
  return made;
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

TEST_CASE("LossFunction: on a device has the bits of the loss chunk by chunk") {
  for (const LossType& type : loss_types())
    for (const double threshold : {0.0, 0.01})
      for (const bool weighed : {true, false})
        for (const Index rows : {1, 17, 300, 3000}) {
          CAPTURE(type.name, threshold, weighed, rows);
          const auto loss = type.make({threshold, {0.3, 0.7}, 0.5});
          const Index width = loss->refuses(1).empty() ? 1 : 10, samples = 5000;
          std::vector<float> out = numbers(rows * width, 0);
          if (width == 10) out[0] = out[2] = out[5] = 0x1p30f, out[7] = -0x1p30f;  // cancel: their order shows
          std::vector<float> labels(rows), weights(rows);
          for (Index r = 0; r < rows; ++r) labels[r] = float(r % 3 == 0), weights[r] = 0.5f * float(r % 4);
          const float* const weight = weighed ? weights.data() : nullptr;

          std::vector<float> expected(rows * width, 7.0f), probabilities(rows, 7.0f), expected_probabilities;
          const auto host_workspace = loss->make_workspace(), workspace = loss->make_workspace();
          std::vector<double> of_chunk(rows);
          std::vector<Index> first;
          for (Index at = 0; at < rows; at += chunk_samples) {
            first.push_back(at);
            const OnePiece piece(std::min(chunk_samples, rows - at));
            loss->evaluate({},
                           {std::min(chunk_samples, rows - at),
                            samples,
                            piece.pieces(),
                            {out.data() + at * width, width, width},
                            labels.data() + at,
                            weighed ? weight + at : nullptr,
                            host_workspace.get()},
                           of_chunk.data() + at, {expected.data() + at * width, width, width});
          }
          expected_probabilities.resize(rows);
          loss->predict({}, rows, {out.data(), width, width}, expected_probabilities.data());
          for (Index r = 0; r < rows && width == 10; ++r) {  // a score is summed from the first number on
            double score = 0.0;
            for (Index d = 0; d < 5; ++d) score += double(out[r * 10 + d]) * out[r * 10 + 5 + d];
            REQUIRE(expected_probabilities[r] == float(elementary::sigmoid(2.0 * score)));
          }
          first.push_back(rows);

          const std::vector<Index> of_lane{0, std::ssize(first) - 1};
          std::vector<float> gradient(rows * width, 7.0f);
          std::vector<double> of_samples(rows, 7.0);
          DeviceCopies there;
          const Rows<const float> all{there(out), width, width};
          const Where where(there.device);
          const LossFunction::Batch batch{rows,
                                          samples,
                                          {of_lane[1], 1, there(first), there(of_lane)},
                                          all,
                                          there(labels),
                                          weighed ? there(weights) : nullptr,
                                          workspace.get()};
          loss->evaluate(where, batch, there(of_samples), {there(gradient), width, width});
          loss->predict(where, rows, all, there(probabilities));
          there.fetch();
          CHECK(same(of_samples, of_chunk));
          CHECK(same(gradient, expected));
          CHECK(same(probabilities, expected_probabilities));
        }
}
