// SPDX-License-Identifier: Apache-2.0
// A registered source type, tested like files and generators.
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/data.hpp>

using namespace tesserec;
using data::Use;

namespace {

/// Makes a source whose samples have their number as the label and as the only id.
std::unique_ptr<data::Source> make_numbers(const data::Settings& settings, Use use, const data::Deal& deal) {
  data::SourceInfo info;
  info.description = "numbers";
  info.samples = settings.own<Index>("count");
  info.features = {"n"};
  info.rows = {info.samples};
  info.labelled = use != Use::predict && !settings.own<bool>("blind");
  return std::make_unique<data::SyntheticSource>(
      info, deal, [=](std::span<const Index> samples, Index global_size, data::Batch& batch) {
        const Index size = std::ssize(samples);
        data::reserve_batch(batch, size, global_size, 0, info.features);
        data::reserve_values(batch, size, false);
        batch.sparse.offsets(0) = 0;
        for (Index b = 0; b < size; ++b) {
          batch.labels(b) = float(samples[b]);
          batch.sparse.values(b) = samples[b];
          batch.sparse.offsets(b + 1) = b + 1;
        }
      });
}

bool has_numbers(const data::Settings& settings, Use use) {
  return use != Use::evaluate || settings.own<Index>("count") > 50;
}

const bool added = [] {
  data::add_source_type({.name = "numbers",
                         .text = "Numbers.",
                         .make = make_numbers,
                         .own = {{.name = "count", .preset = Index{20}, .least = 1, .sentence = "How many."},
                                 {.name = "blind", .preset = false, .sentence = "Without labels."}},
                         .has = has_numbers});
  return true;
}();

data::Settings numbers(Index count) {
  data::Settings settings;
  settings.source = "numbers";
  if (count > 0) settings.own_values.set("count", count);
  return settings;
}

const data::Deal deal{.ranks = 2, .lanes = Lanes(2), .batch_size = 8, .shuffle = true};

}  // namespace

TEST_CASE("add_source_type: a registered source gives each sample once on any rank for every use") {
  CHECK(data::make_source(numbers(0), Use::train, deal)->info().samples == 20);  // the preset
  for (const Use use : {Use::train, Use::evaluate, Use::predict}) {
    std::vector<Index> seen(60);
    bool in_order = true;
    for (int rank = 0; rank < 2; ++rank) {
      data::Deal mine = deal;
      mine.rank = rank;
      const auto source = data::make_source(numbers(60), use, mine);
      source->seek(0, 0);
      data::Batch batch{Exec()};
      for (Index last = -1; source->next(batch);)
        for (Index b = 0; b < batch.size; ++b) {
          const Index sample = batch.sparse.values(b);
          ++seen[sample];
          CHECK(batch.labels(b) == float(sample));
          in_order = in_order && sample > last;
          last = sample;
        }
    }
    CHECK(seen == std::vector<Index>(60, 1));
    CHECK(in_order == (use != Use::train));  // only training shuffles
  }
}

TEST_CASE("add_source_type: a registered source says for which use it has samples") {
  CHECK(data::has_source(numbers(20), Use::train));
  CHECK_FALSE(data::has_source(numbers(20), Use::evaluate));
  CHECK(data::has_source(numbers(60), Use::evaluate));
  CHECK(error_of([] { data::make_source(numbers(20), Use::evaluate, deal); }) ==
        "data.source = \"numbers\" has no samples for this command");
}

TEST_CASE("add_source_type: a registered source throws on other data or lacking labels or bad values") {
  const auto refusal = [](const auto& change, Use use = Use::train) {
    data::Settings settings = numbers(60);
    change(settings);
    return error_of([&] { data::make_source(settings, use, deal); });
  };
  CHECK(mentions(refusal([](auto& s) { s.train = {"a.h5"}; }),
                 "data.source = \"numbers\" cannot be combined with files"));
  CHECK(mentions(refusal([](auto& s) { s.synthetic.kind = data::SyntheticKind::planted; }),
                 "data.source = \"numbers\" cannot be combined with data.synthetic.kind"));
  CHECK(mentions(refusal([](auto& s) { s.own_values.set("blind", true); }), "data.source: numbers has no labels"));
  CHECK(refusal([](auto& s) { s.own_values.set("blind", true); }, Use::predict) == "");
  CHECK(mentions(refusal([](auto& s) { s.own_values.set("count", Index{0}); }),
                 "source \"numbers\": the key \"count\" is 0"));
  CHECK(mentions(refusal([](auto& s) { s.own_values.set("cuont", Index{5}); }),
                 "source \"numbers\": the key \"cuont\" is not registered"));
  CHECK(
      mentions(refusal([](auto& s) { s.source = "letters"; }), "there is no source \"letters\"; use one of: numbers"));
}

TEST_CASE("add_source_type: throws if the name cannot be a block of the deck") {
  const auto refusal = [](const std::string& name) {
    return error_of([&] { data::add_source_type({.name = name, .text = "", .make = make_numbers}); });
  };
  CHECK(refusal("numbers") == "there is already a source \"numbers\"; choose another name");
  CHECK(mentions(refusal("Two words"), "cannot name a block [data.NAME]"));
  for (const char* name : {"train", "evaluate", "predict", "trust", "source", "synthetic"})
    CHECK(mentions(refusal(name), "has the name of a key of [data]"));
}
