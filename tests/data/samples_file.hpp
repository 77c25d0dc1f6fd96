// SPDX-License-Identifier: Apache-2.0
// Small dataset files whose content names the sample, and batches as text for comparison.
#pragma once

#include <fstream>
#include <functional>
#include <sstream>

#include <tesserec/data.hpp>
#include <tesserec/store/hdf5.hpp>

namespace samples_file {

using namespace tesserec;

inline void attributes(store::File& file, Index samples, const std::vector<std::string>& features,
                       const std::vector<std::int64_t>& rows, const std::vector<std::string>& dense) {
  file.set_attribute("/", "format", std::string("tesserec-dataset"));
  file.set_attribute("/", "version", std::int64_t{1});
  file.set_attribute("/", "samples", std::int64_t{samples});
  file.set_attribute("/", "features", features);
  file.set_attribute("/", "rows", rows);
  file.set_attribute("/", "dense_features", dense);
}

/// Writes samples from `first` on: sample i has dense (i, -i), ids (i % 1000, i / 1000), label i % 2.
inline void packed(const std::string& path, Index first, Index samples,
                   const std::function<void(store::File&)>& change = {}) {
  store::File file = store::File::create(path);
  attributes(file, samples, {"low", "high"}, {1000, 1000}, {"plus", "minus"});
  std::vector<std::uint8_t> labels;
  std::vector<float> dense;
  std::vector<std::int32_t> ids;
  for (Index i = first; i < first + samples; ++i) {
    labels.push_back(static_cast<std::uint8_t>(i % 2));
    dense.insert(dense.end(), {static_cast<float>(i), -static_cast<float>(i)});
    ids.insert(ids.end(), {static_cast<std::int32_t>(i % 1000), static_cast<std::int32_t>(i / 1000)});
  }
  file.write_all("/labels", {samples}, labels.data());
  file.write_all("/dense", {samples, 2}, dense.data());
  file.write_all("/sparse/ids", {samples, 2}, ids.data());
  if (change) change(file);
  file.close();
}

/// Writes the samples of packed() with their columns in reverse order.
inline void packed_turned(const std::string& path, Index first, Index samples,
                          const std::function<void(store::File&)>& change = {}) {
  packed(path, first, samples, [&](store::File& file) {
    file.set_attribute("/", "features", std::vector<std::string>{"high", "low"});
    file.set_attribute("/", "dense_features", std::vector<std::string>{"minus", "plus"});
    std::vector<float> dense;
    std::vector<std::int32_t> ids;
    for (Index i = first; i < first + samples; ++i) {
      dense.insert(dense.end(), {-static_cast<float>(i), static_cast<float>(i)});
      ids.insert(ids.end(), {static_cast<std::int32_t>(i / 1000), static_cast<std::int32_t>(i % 1000)});
    }
    file.write("/dense", {0, samples}, dense.data());
    file.write("/sparse/ids", {0, samples}, ids.data());
    if (change) change(file);
  });
}

/// Removes the seal from a file's front, as if another program had written the file.
inline void drop_seal(const std::string& path) {
  constexpr std::streamoff seal = 512;
  std::ifstream file(path, std::ios::binary);
  file.seekg(seal);
  std::ostringstream rest;
  rest << file.rdbuf();
  file.close();
  std::ofstream(path, std::ios::binary) << rest.str();
}

/// Gives the samples the weights 0, 1, 2 in turn.
inline void add_weights(store::File& file) {
  const Index samples = file.shape("/labels")[0];
  std::vector<float> weights;
  for (Index i = 0; i < samples; ++i) weights.push_back(float(i % 3));
  file.write_all("/weights", {samples}, weights.data());
}

/// Writes jagged samples: sample i has the bag a = {i, i+1, ...} of i % 4 ids with weights 0.5 * id, the bag b = {2i},
/// and the label i / 2^17.
inline void jagged(const std::string& path, Index first, Index samples,
                   const std::function<void(store::File&)>& change = {}) {
  store::File file = store::File::create(path);
  attributes(file, samples, {"a", "b"}, {1 << 30, 1 << 30}, {});
  std::vector<float> labels, weights;
  std::vector<std::int64_t> offsets_a{0}, offsets_b{0}, a;
  std::vector<std::int32_t> b;
  for (Index i = first; i < first + samples; ++i) {
    labels.push_back(static_cast<float>(i) / (1 << 17));
    for (Index j = 0; j < i % 4; ++j) a.push_back(i + j);
    b.push_back(static_cast<std::int32_t>(2 * i));
    offsets_a.push_back(static_cast<Index>(a.size()));
    offsets_b.push_back(static_cast<Index>(b.size()));
  }
  for (const std::int64_t id : a) weights.push_back(0.5f * static_cast<float>(id));
  file.write_all("/labels", {samples}, labels.data());
  file.write_all("/sparse/a/offsets", {samples + 1}, offsets_a.data());
  file.write_all("/sparse/a/values", {static_cast<Index>(a.size())}, a.data());
  file.write_all("/sparse/a/weights", {static_cast<Index>(a.size())}, weights.data());
  file.write_all("/sparse/b/offsets", {samples + 1}, offsets_b.data());
  file.write_all("/sparse/b/values", {static_cast<Index>(b.size())}, b.data());
  if (change) change(file);
  file.close();
}

/// Returns one line per sample: label, dense numbers, bags with weights, in full precision.
inline std::vector<std::string> lines(const data::Batch& batch) {
  std::vector<std::string> all;
  for (Index s = 0; s < batch.size; ++s) {
    std::ostringstream line;
    line.precision(9);
    line << batch.labels(s);
    if (batch.weights.size() != 0) line << " times " << batch.weights(s);
    line << " |";
    for (Index k = 0; k < static_cast<Index>(batch.dense.extent(1)); ++k) line << ' ' << batch.dense(s, k);
    for (Index f = 0; f < batch.sparse.features(); ++f) {
      line << " |";
      for (Index j = batch.sparse.begin(f, s); j < batch.sparse.begin(f, s) + batch.sparse.length(f, s); ++j) {
        line << ' ' << batch.sparse.values(j);
        if (batch.sparse.weighted()) line << '*' << batch.sparse.weights(j);
      }
    }
    all.push_back(line.str());
  }
  return all;
}

/// Returns all remaining batches of the epoch.
inline std::vector<std::vector<std::string>> drain(data::Source& source) {
  std::vector<std::vector<std::string>> batches;
  data::Batch batch{Exec()};
  while (source.next(batch)) batches.push_back(lines(batch));
  return batches;
}

/// Returns the batches of a job's ranks, read one rank after the other, with their samples joined.
inline std::vector<std::vector<std::string>> drain(const data::Settings& settings, data::Use use, data::Deal deal,
                                                   int ranks, Index epoch, Index batch) {
  std::vector<std::vector<std::string>> joined;
  for (int rank = 0; rank < ranks; ++rank) {
    deal.rank = rank;
    deal.ranks = ranks;
    const auto source = data::make_source(settings, use, deal);
    source->seek(epoch, batch);
    const auto local = drain(*source);
    joined.resize(local.size());
    for (std::size_t k = 0; k < local.size(); ++k) joined[k].insert(joined[k].end(), local[k].begin(), local[k].end());
  }
  return joined;
}

}  // namespace samples_file
