// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dataset_source.hpp"
#include "multi_hot_source.hpp"
#include "planted_table.hpp"
#include "sequential_source.hpp"
#include "trace_generator.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/mixed_bits.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/data/planted.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/synthetic_source.hpp>

namespace tesserec::data {
namespace {

void check(const SyntheticSettings& s) {
  const auto require = [](bool valid, const char* key, const char* rule) {
    if (!valid) fail("data.synthetic.", key, " must be ", rule);
  };
  require(!s.rows.empty(), "rows", "a list with the rows of each table");
  for (const Index rows : s.rows) require(rows > 0, "rows", "positive, for every table");
  require(s.max_rows >= 0, "max_rows", "0 (no cap) or positive");
  require(s.dense_features >= 0, "dense_features", "0 or more");
  require(s.ids_per_bag > 0, "ids_per_bag", "1 or more");
  if (const auto invalid = fault(s)) fail("data.synthetic.", invalid->key, " ", invalid->text);
  require(std::isfinite(s.zipf) && s.zipf >= 0 && s.zipf <= 10, "zipf", "between 0 and 10");
  require(s.click_rate > 0 && s.click_rate < 1, "click_rate", "between 0 and 1, both excluded");
  require(std::isfinite(s.strength) && s.strength >= 0, "strength", "0 or more");
}

/// Files of a use, and the key that names them.
struct Files {
  std::string key;
  const std::vector<std::string>& files;
};

Files files_of(const Settings& settings, Use use) {
  if (use == Use::train) return {"data.train", settings.train};
  if (use == Use::predict && !settings.predict.empty()) return {"data.predict", settings.predict};
  return {"data.evaluate", settings.evaluate};
}

/// Returns `fill` with ids that are hashed to 64 bits.
SyntheticSource::Fill hashed(SyntheticSource::Fill fill) {
  return [=](std::span<const Index> samples, Index global_size, Batch& batch) {
    fill(samples, global_size, batch);
    const Index ids = batch.sparse.offsets(batch.sparse.features() * batch.size);
    for (Index i = 0; i < ids; ++i) batch.sparse.values(i) = Index(mixed_bits(std::uint64_t(batch.sparse.values(i))));
  };
}

/// Makes the source of samples that are drawn one after the other.
std::unique_ptr<Source> make_sequential(const SyntheticSettings& s, const SourceInfo& info, const Deal& deal) {
  const bool twister = s.bit_generator == BitGenerator::mt19937;
  if (deal.shuffle)
    fail(twister ? "data.synthetic.bit_generator = \"mt19937\"" : "data.synthetic.ids = \"trace\"",
         " draws the samples in order; set train.shuffle = false");
  if (!twister)
    return std::make_unique<SequentialSource>(
        info, deal, [s, seed = deal.seed, trace = std::make_shared<const ReuseProfile>(trace_profile(s))] {
          auto generator = std::make_shared<TraceGenerator>(s, *trace, seed);
          SyntheticSource::Fill fill = [generator](std::span<const Index> samples, Index global_size, Batch& batch) {
            generator->fill(samples, global_size, batch);
          };
          return s.hashed ? hashed(std::move(fill)) : fill;
        });
  auto generator = std::make_shared<const ReferenceGenerator>(s);
  return std::make_unique<SequentialSource>(info, deal, [generator, seed = std::uint32_t(deal.seed)] {
    return [generator, uniform = Mt19937Stream(seed)](std::span<const Index> samples, Index global_size,
                                                      Batch& batch) mutable {
      generator->fill(samples, global_size, uniform, batch);
    };
  });
}

std::unique_ptr<Source> make_synthetic(const SyntheticSettings& s, Use use, const Deal& deal) {
  check(s);
  if (s.bit_generator == BitGenerator::mt19937) {
    if (s.kind != SyntheticKind::reference)
      fail("data.synthetic.bit_generator = \"mt19937\" requires data.synthetic.kind = \"reference\"");
    if (deal.seed > std::numeric_limits<std::uint32_t>::max())
      fail("run.seed = ", deal.seed,
           " is too large for data.synthetic.bit_generator = \"mt19937\"; give a seed below 2^32");
  }
  const bool planted = s.kind == SyntheticKind::planted;
  const SourceInfo info = synthetic_info(s, use);
  if (info.samples <= 0)
    fail("data.synthetic.", use == Use::train ? "samples" : "evaluate_samples",
         " is 0; give the number of samples to generate");
  if (draws_in_order(s)) return make_sequential(s, info, deal);
  SyntheticSource::Fill fill;
  if (planted) {
    const auto stream = use == Use::train ? PlantedStream::train : PlantedStream::evaluate;
    auto model = std::make_shared<const PlantedModel>(s, deal.seed);
    fill = [model, stream](std::span<const Index> samples, Index global_size, Batch& batch) {
      model->fill(stream, samples, global_size, batch);
    };
  } else {
    CounterStream uniform(deal.seed, std::ssize(info.features));
    auto generator = std::make_shared<const ReferenceGenerator>(s);
    fill = [generator, uniform](std::span<const Index> samples, Index global_size, Batch& batch) mutable {
      generator->fill(samples, global_size, uniform, batch);
    };
  }
  return std::make_unique<SyntheticSource>(info, deal, s.hashed ? hashed(std::move(fill)) : std::move(fill));
}

}  // namespace

SourceInfo synthetic_info(const SyntheticSettings& settings, Use use) {
  const bool planted = settings.kind == SyntheticKind::planted;
  SourceInfo info;
  info.description = planted ? "planted model" : "reference generator";
  info.samples = use == Use::train ? settings.samples : settings.evaluate_samples;
  info.dense_features = settings.dense_features;
  for (Index k = 1; k <= settings.dense_features; ++k) info.dense_names.push_back(concat("I", k));
  info.features = synthetic_features(settings);
  info.tasks = settings.labels.names;
  info.rows = synthetic_rows(settings);
  if (settings.hashed) info.rows.assign(info.rows.size(), any_id);
  if (planted || id_law(settings) == IdLaw::zipf) info.zipf.assign(info.rows.size(), zipf_exponent(settings));
  info.weighted.assign(info.rows.size(), false);
  std::optional<ReferenceGenerator> reference;
  std::optional<ReuseProfile> trace;
  if (id_law(settings) == IdLaw::trace) {
    trace = trace_profile(settings);
    info.description = "reference generator, ids of " + settings.profile;
    info.vocabulary = trace->digest;
  } else if (!planted) {
    reference.emplace(settings);
  }
  for (std::size_t f = 0; f < info.rows.size(); ++f) {
    const BagLength bag = bag_length(settings, f);
    const double planted_mean = bag.variable ? double(bag.max_ids) / 2 : double(bag.max_ids);
    if (trace)
      info.ids_per_bag.push_back(double(trace->features[f].ids) / double(trace->samples));
    else
      info.ids_per_bag.push_back(reference ? reference->ids_per_bag(f) : planted_mean);
  }
  return info;
}

store::Trust trust_of(const Settings& settings) { return settings.trust ? store::Trust::all : store::Trust::none; }

bool has_source(const Settings& settings, Use use) {
  const bool files = !settings.train.empty() || !settings.evaluate.empty() || !settings.predict.empty();
  const SyntheticSettings& synthetic = settings.synthetic;
  if (files && synthetic.kind != SyntheticKind::none)
    fail(
        "data.train, data.evaluate or data.predict name files and data.synthetic.kind names a generator; keep one of "
        "them");
  if (!settings.source.empty() && (files || synthetic.kind != SyntheticKind::none))
    fail("data.source = \"", settings.source, "\" cannot be combined with ", files ? "files" : "data.synthetic.kind",
         "; keep one of them");
  if (!settings.source.empty()) return has_own_source(settings, use);
  if (synthetic.kind != SyntheticKind::none)
    return (use == Use::train ? synthetic.samples : synthetic.evaluate_samples) > 0;
  return !files_of(settings, use).files.empty();
}

void require_labels(const SourceInfo& data, const std::string& key) {
  if (!data.labelled)
    fail(key, ": ", data.description,
         " has no labels, so it cannot be trained on or evaluated; score it with data.predict and `tesserec predict`");
}

namespace {

/// Makes the source of the ids as the files or the generator have them.
std::unique_ptr<Source> make_plain_source(const Settings& settings, Use use, const Deal& deal) {
  Deal dealt = deal;
  dealt.shuffle = use == Use::train && deal.shuffle;
  const bool has_samples = has_source(settings, use);
  if (use == Use::train && !settings.window.empty() && (!settings.source.empty() || settings.train.empty()))
    fail("data.window divides HDF5 files, but data.train names none; remove it");
  if (settings.synthetic.kind != SyntheticKind::none) return make_synthetic(settings.synthetic, use, dealt);
  if (!settings.source.empty()) {
    if (!has_samples) fail("data.source = \"", settings.source, "\" has no samples for this command");
    auto source = make_own_source(settings, use, dealt);
    if (use != Use::predict) require_labels(source->info(), "data.source");
    return source;
  }
  const auto [key, files] = files_of(settings, use);
  if (!has_samples) fail(key, " is empty; give HDF5 files, or set data.synthetic.kind");
  const std::string window = use == Use::train ? settings.window : "";
  auto source = std::make_unique<DatasetSource>(files, key, trust_of(settings), dealt, window);
  if (use != Use::predict) require_labels(source->info(), key);
  return source;
}

}  // namespace

SourceInfo known_info(SourceInfo info, const Settings& settings) {
  return settings.multi_hot_sizes.empty() ? info : multi_hot_info(std::move(info), settings.multi_hot_sizes);
}

std::unique_ptr<Source> make_source(const Settings& settings, Use use, const Deal& deal) {
  auto source = make_plain_source(settings, use, deal);
  if (settings.multi_hot_sizes.empty()) return source;
  return std::make_unique<MultiHotSource>(std::move(source), settings.multi_hot_sizes, settings.multi_hot_seed);
}

}  // namespace tesserec::data
