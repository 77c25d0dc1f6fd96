// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/comm/rank_watch.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/train/importance.hpp>

namespace tesserec::train {
namespace {

/// Feature of the source: a column of dense values, or bags of ids.
struct PermutedFeature {
  std::string name;
  bool dense;
  Index place;
};

/// Values of one feature in all samples of all ranks.
struct Values {
  std::vector<Index> offsets;  ///< offsets of the samples' values [N + 1]
  std::vector<Index> values;   ///< ids, or bits of dense values
  std::vector<Index> weights;  ///< bits of the ids' weights; empty = no weights
};

/// Calls sink(batch, index of its first sample in the epoch) for each batch of an epoch. Collective.
template <class Sink>
void for_each_batch(const Session& session, data::Source& source, const Sink& sink) {
  source.seek(0, 0);
  data::Batch batch(session.exec);
  Index first = 0, batches = 0;
  while (source.next(batch)) {
    comm::note("importance, batch", ++batches);
    comm::agree_on_signals(session.comm);
    const Range own =
        session.lanes.samples_of_rank(session.comm.rank(), session.comm.size(), batch.global_size, batch.micro_batch);
    sink(batch, first + own.begin);
    if (batch.micro_batch + 1 == session.lanes.micro_batches()) first += batch.global_size;
  }
}

Index bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }
float number_of(Index bits) { return std::bit_cast<float>(std::uint32_t(bits)); }

/// Collector of one feature's values: first of this rank's samples, then of all ranks. Each sample belongs to one rank,
/// so a sum over ranks combines them.
class FeatureGather {
 public:
  FeatureGather(const Session& session, const PermutedFeature& feature, const data::SourceInfo& info)
      : session_(session), feature_(feature), columns_(info.dense_features), lengths_(info.samples, 0) {}

  void add(const data::Batch& batch, Index first) {
    for (Index b = 0; b < batch.size; ++b) {
      if (feature_.dense) {
        lengths_[first + b] = 1;
        values_.push_back(bits_of(batch.dense.data()[b * columns_ + feature_.place]));
        continue;
      }
      const Index begin = batch.sparse.begin(feature_.place, b), length = batch.sparse.length(feature_.place, b);
      lengths_[first + b] = length;
      for (Index i = begin; i < begin + length; ++i) {
        values_.push_back(batch.sparse.values(i));
        if (batch.sparse.weighted()) weights_.push_back(bits_of(batch.sparse.weights(i)));
      }
    }
    runs_.push_back({first, first + batch.size});
  }

  Values all() const {
    Values all;
    std::vector<Index> lengths = lengths_;
    session_.comm.sum(lengths);
    all.offsets.resize(lengths.size() + 1, 0);
    std::inclusive_scan(lengths.begin(), lengths.end(), all.offsets.begin() + 1);
    const auto joined = [&](const std::vector<Index>& local) {
      std::vector<Index> values(all.offsets.back(), 0);
      auto from = local.begin();
      for (const Range& run : runs_) {
        const Index begin = all.offsets[run.begin], size = all.offsets[run.end] - begin;
        std::copy_n(from, size, values.begin() + begin);
        from += size;
      }
      session_.comm.sum(values);
      return values;
    };
    all.values = joined(values_);
    const bool weighted = session_.comm.max(weights_.empty() ? 0 : 1) != 0;
    if (weighted) all.weights = joined(weights_);
    return all;
  }

 private:
  const Session& session_;
  const PermutedFeature& feature_;
  Index columns_;  // dense features of the source
  std::vector<Index> lengths_, values_, weights_;
  std::vector<Range> runs_;  // ranges of this rank's samples
};

/// Draws a permutation [N]: for each sample, the sample whose values of the feature it gets.
std::vector<Index> permutation(Index samples, std::uint64_t seed, std::size_t feature) {
  std::vector<Index> order(samples);
  std::iota(order.begin(), order.end(), Index{0});
  const Random random(seed, tesserec::Purpose::sample_order,
                      std::uint64_t{1} << 63 | feature);  // epochs have the streams below 2^63
  for (Index i = samples - 1; i > 0; --i) std::swap(order[i], order[random.below(std::uint64_t(i) + 1, i, 0)]);
  return order;
}

/// Replaces the feature's values in the batch by those of the permuted samples.
void replace(data::Batch& batch, Index first, const PermutedFeature& feature, Index columns, const Values& values,
             const std::vector<Index>& order) {
  if (feature.dense) {
    for (Index b = 0; b < batch.size; ++b)
      batch.dense.data()[b * columns + feature.place] = number_of(values.values[values.offsets[order[first + b]]]);
    return;
  }
  const jagged::KeyedJaggedTensor old = batch.sparse;
  Index total = old.total();
  for (Index b = 0; b < batch.size; ++b) {
    const Index other = order[first + b];
    total += values.offsets[other + 1] - values.offsets[other] - old.length(feature.place, b);
  }
  batch.sparse.values = {};
  batch.sparse.weights = {};
  batch.sparse.offsets = {};
  data::reserve_batch(batch, batch.size, batch.global_size, columns, old.keys);
  data::reserve_values(batch, total, old.weighted());
  Index at = 0;
  for (Index f = 0; f < old.features(); ++f)
    for (Index b = 0; b < batch.size; ++b) {
      const bool changed = f == feature.place;
      const Index other = changed ? order[first + b] : 0;
      const Index begin = changed ? values.offsets[other] : old.begin(f, b);
      const Index length = changed ? values.offsets[other + 1] - begin : old.length(f, b);
      batch.sparse.offsets(f * batch.size + b) = at;
      for (Index i = begin; i < begin + length; ++i, ++at) {
        batch.sparse.values(at) = changed ? values.values[i] : old.values(i);
        if (old.weighted()) batch.sparse.weights(at) = changed ? number_of(values.weights[i]) : old.weights(i);
      }
    }
  batch.sparse.offsets(old.features() * batch.size) = at;
}

/// Lists the features that the model reads.
std::vector<PermutedFeature> features_of(const Session& session, const data::SourceInfo& info) {
  std::vector<PermutedFeature> features;
  for (Index k = 0; k < info.dense_features; ++k)
    features.push_back({info.dense_names.empty() ? concat("dense ", k + 1) : info.dense_names[k], true, k});
  for (std::size_t f = 0; f < info.features.size(); ++f) {
    const auto& tables = session.model.tables().tables();
    const bool read = std::any_of(tables.begin(), tables.end(), [&](const embedding::EmbeddingBagConfig& table) {
      const auto& names = table.feature_names;
      return std::find(names.begin(), names.end(), info.features[f]) != names.end();
    });
    if (read) features.push_back({info.features[f], false, Index(f)});
  }
  return features;
}

}  // namespace

void require_importance(const network::Settings& model) {
  if (model.labels() > 1)
    fail("evaluate --importance needs a model of one label, but model.tasks has ", join(model.tasks),
         "; omit --importance");
}

std::vector<Importance> importance(Session& session, data::Source& source) {
  require_importance(session.job.model);
  const std::vector<PermutedFeature> features = features_of(session, source.info());
  const Index samples = source.info().samples;
  std::vector<Importance> all;
  std::vector<float> labels, weights;
  for (std::size_t f = 0; f < features.size(); ++f) {
    const auto purpose = [&] { return concat("feature \"", features[f].name, "\" of all ", samples, " samples"); };
    std::vector<double> scores;
    with_memory(purpose, 16.0 * double(samples), [&] {
      FeatureGather gather(session, features[f], source.info());
      for_each_batch(session, source, [&](const data::Batch& batch, Index first) { gather.add(batch, first); });
      const Values values = gather.all();
      const std::vector<Index> order = permutation(samples, session.job.run.seed, f);
      labels.clear();
      weights.clear();
      std::vector<float> probabilities;
      for_each_batch(session, source, [&](data::Batch& batch, Index first) {
        replace(batch, first, features[f], source.info().dense_features, values, order);
        probabilities.resize(batch.size);
        session.step.predict(batch, probabilities.data());
        scores.insert(scores.end(), probabilities.begin(), probabilities.end());
        labels.insert(labels.end(), batch.labels.data(), batch.labels.data() + batch.size);
        if (source.info().sample_weights)
          weights.insert(weights.end(), batch.weights.data(), batch.weights.data() + batch.size);
      });
    });
    all.push_back({features[f].name, features[f].dense,
                   metrics::binary_metrics(session.comm, scores, labels, weights, session.job.evaluate.threshold)});
    log_info(concat("importance: ", f + 1, " of ", counted(std::ssize(features), "feature")));
  }
  return all;
}

}  // namespace tesserec::train
