// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/network.hpp>

using namespace tesserec;
using namespace tesserec::network;

TEST_CASE("Network: throws for impossible settings and names the model types") {
  const std::vector<Index> dims{4, 4};
  Settings good;
  good.embedding_dim = 4;
  good.bottom = {6, 4};
  good.top = {5, 1};
  REQUIRE_NOTHROW(Network(good, 3, dims));
  REQUIRE_NOTHROW(Network(good, 0, dims));  // without dense features and the layers that read them
  Settings listed = good;
  listed.type = "network";
  listed.layers = layers_of(good);
  REQUIRE_NOTHROW(Network(listed, 3, dims));
  REQUIRE_THROWS_AS(Network(listed, 0, dims), Error);
  REQUIRE_THROWS_AS(Network(good, 3, std::vector<Index>{4, 5}), Error);
  const auto refused = [&](auto change) {
    Settings s = good;
    change(s);
    REQUIRE_THROWS_AS(Network(s, 3, dims), Error);
  };
  refused([](Settings& s) { s.bottom = {6, 5}; });
  refused([](Settings& s) { s.bottom = {}; });
  refused([](Settings& s) { s.bottom = {0, 4}; });
  refused([](Settings& s) { s.top = {5, 2}; });
  refused([](Settings& s) { s.top = {}; });
  refused([](Settings& s) { s.loss_settings.threshold = 0.5; });
  refused([](Settings& s) { s.loss_settings.weights = {1.0}; });

  Settings other = good;
  other.type = "three_tower";
  const std::string text = error_of([&] { Network(other, 3, dims); });
  REQUIRE(mentions(text, "there is no model \"three_tower\"; use one of: "));
  for (const ModelType& type : model_types()) REQUIRE(mentions(text, type.name));
}
