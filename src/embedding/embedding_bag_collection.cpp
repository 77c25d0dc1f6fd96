// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/embedding_bag_collection.hpp>

namespace tesserec::embedding {
namespace {

void require_ready(bool empty, const jagged::KeyedJaggedTensor& sparse) {
  if (empty) fail("the embedding bag collection has no storage yet; call allocate() or initialize()");
  if (sparse.variable_stride())
    fail("the features of the batch differ in their number of samples; give each feature the same number");
}

}  // namespace

std::vector<std::string> embedding_names(const std::vector<EmbeddingBagConfig>& tables, bool pooled) {
  std::map<std::string, int> uses;
  for (const EmbeddingBagConfig& table : tables)
    for (const std::string& feature : table.feature_names) ++uses[feature];
  std::vector<std::string> names;
  for (const EmbeddingBagConfig& table : tables)
    for (std::size_t f = 0; f < table.feature_names.size(); ++f)
      if (const std::string& feature = table.feature_names[f]; table.pools(f) == pooled)
        names.push_back(uses[feature] > 1 ? feature + "@" + table.name : feature);
  return names;
}

void check_tables(const std::vector<EmbeddingBagConfig>& tables) {
  if (tables.empty()) fail("the embedding bag collection has no table; add one");
  std::set<std::string> names;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const EmbeddingBagConfig& table = tables[t];
    if (table.name.empty()) fail("table ", t, " (counted from 0) of the collection has no name; set one");
    const auto refuse = [&](const auto&... message) { fail("table ", table.name, ": ", message...); };
    if (!names.insert(table.name).second) refuse("the collection has two tables of this name; rename one");
    if (table.num_embeddings < 1) refuse("num_embeddings is ", table.num_embeddings, "; set 1 or more");
    if (table.half && table.num_embeddings != table.half->rows())
      refuse("num_embeddings is ", table.num_embeddings, ", but this half of table ", table.half->table, " has ",
             table.half->rows(), " rows; set that number");
    if (table.grows() && table.weight_format() != NumberType::fp32)
      refuse("it grows, and has format \"", name(table.weight_format()),
             "\"; growing tables have format \"fp32\", so set table.", table.name, ".format");
    if (table.embedding_dim < 1) refuse("embedding_dim is ", table.embedding_dim, "; set 1 or more");
    if (table.feature_names.empty()) refuse("feature_names is empty; name a feature");
    std::set<std::string> features;
    for (const std::string& feature : table.feature_names)
      if (!features.insert(feature).second) refuse("feature \"", feature, "\" is listed twice; remove one");
    for (const std::string& feature : table.unpooled) {
      if (!features.contains(feature))
        refuse("unpooled has \"", feature, "\", which is none of its features ", join(table.feature_names));
      if (table.weighted)
        refuse("feature \"", feature, "\" is un-pooled, but the table is weighted; pool it, or set weighted = false");
    }
  }
}

std::string describe(const EmbeddingBagConfig& table) {
  const std::string features = table.feature_names.empty() ? "" : "'" + join(table.feature_names, "', '") + "'";
  const std::string mode = table.pooling == PoolingType::mean ? "mean" : "sum";
  const std::string weighted = table.weighted ? ", weighted" : "";
  const std::string unpooled = table.unpooled.empty() ? "" : ", un-pooled=[" + join(table.unpooled) + "]";
  return "(" + table.name + "): EmbeddingBag(" + std::to_string(table.num_embeddings) + ", " +
         std::to_string(table.embedding_dim) + ", mode='" + mode + "'" + weighted + ", features=[" + features + "]" +
         unpooled + ")";
}

EmbeddingBagCollection::EmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables) : configs_(std::move(tables)) {
  check_tables(configs_);
  names_ = embedding::embedding_names(configs_);
}

std::vector<std::string> EmbeddingBagCollection::features() const {
  std::vector<std::string> names;
  for (const EmbeddingBagConfig& table : configs_)
    for (const std::string& feature : table.feature_names)
      if (std::ranges::count(names, feature) == 0) names.push_back(feature);
  return names;
}

void EmbeddingBagCollection::allocate(const Exec& exec) {
  bags_.clear();
  for (const EmbeddingBagConfig& config : configs_) bags_.push_back(std::make_unique<EmbeddingBag>(exec, config));
}

void EmbeddingBagCollection::initialize(const Exec& exec, std::uint64_t seed) {
  allocate(exec);
  for (std::size_t t = 0; t < bags_.size(); ++t) bags_[t]->initialize(exec, seed, Index(t));
}

jagged::KeyedTensor EmbeddingBagCollection::forward(const Exec& exec, const jagged::KeyedJaggedTensor& sparse) const {
  require_ready(bags_.empty(), sparse);
  std::vector<Index> dims;
  Index width = 0;
  for (const EmbeddingBagConfig& table : configs_)
    for (std::size_t f = 0; f < table.feature_names.size(); ++f)
      if (table.pools(f)) {
        dims.push_back(table.embedding_dim);
        width += table.embedding_dim;
      }
  const Index samples = sparse.stride;
  Matrix<float> pooled = make_matrix<float>(exec, "tesserec::embedding::pooled", samples, width);
  float* out = pooled.data();
  for (const auto& bag : bags_) {
    const EmbeddingBagConfig& table = bag->config();
    for (std::size_t f = 0; f < table.feature_names.size(); ++f)
      if (table.pools(f)) {
        bag->forward(exec, bags_of(table, f, sparse), out, width);
        out += table.embedding_dim;
      }
  }
  return jagged::KeyedTensor::from_values(names_, dims, pooled);
}

std::vector<jagged::JaggedVectors> EmbeddingBagCollection::unpooled(const Exec& exec,
                                                                    const jagged::KeyedJaggedTensor& sparse) const {
  require_ready(bags_.empty(), sparse);
  std::vector<jagged::JaggedVectors> result;
  for (const auto& bag : bags_) {
    const EmbeddingBagConfig& table = bag->config();
    for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
      if (table.pools(f)) continue;
      Bags bags = bags_of(table, f, sparse);
      bags.unpooled = true;
      jagged::JaggedVectors& vectors = result.emplace_back();
      vectors.offsets = make_vector<Index>(exec, "tesserec::embedding::offsets", bags.count + 1);
      for (Index s = 0; s <= bags.count; ++s) vectors.offsets(s) = bags.offsets[s] - bags.offsets[0];
      vectors.values = make_matrix<float>(exec, "tesserec::embedding::unpooled", bags.total(), table.embedding_dim);
      bag->forward(exec, bags, vectors.values.data(), table.embedding_dim);
    }
  }
  return result;
}

Bags EmbeddingBagCollection::bags_of(const EmbeddingBagConfig& table, std::size_t f,
                                     const jagged::KeyedJaggedTensor& sparse) const {
  const std::string& feature = table.feature_names[f];
  const Index key = std::find(sparse.keys.begin(), sparse.keys.end(), feature) - sparse.keys.begin();
  if (key == sparse.features())
    fail("table ", table.name, ": feature \"", feature, "\" is not in the batch, which has ", join(sparse.keys));
  if (table.weighted && !sparse.weighted())
    fail("table ", table.name, " is weighted, but the batch has no weights for feature \"", feature, "\"; add weights");
  for (Index s = 0; s < sparse.stride; ++s)
    for (Index i = sparse.begin(key, s); i < sparse.begin(key, s) + sparse.length(key, s); ++i)
      if (!table.takes(sparse.values(i)))
        fail("feature ", feature, ", sample ", s, ": id ", sparse.values(i), " is outside table ", table.whole(),
             " of ", table.ids(), " rows");
  return {.count = sparse.stride,
          .offsets = sparse.offsets.data() + key * sparse.stride,
          .ids = sparse.values.data(),
          .weights = table.weighted ? sparse.weights.data() : nullptr};
}

const EmbeddingBag& EmbeddingBagCollection::embedding_bag(const std::string& table) const {
  for (std::size_t t = 0; t < configs_.size(); ++t) {
    if (configs_[t].name == table && bags_.empty()) fail("table ", table, " has no storage yet; call initialize()");
    if (configs_[t].name == table) return *bags_[t];
  }
  fail("there is no table \"", table, "\"; name one of ", join(configs_, ", ", std::mem_fn(&EmbeddingBagConfig::name)));
}

std::string EmbeddingBagCollection::describe() const {
  std::string text = "EmbeddingBagCollection(\n";
  for (const EmbeddingBagConfig& table : configs_) text += "  " + embedding::describe(table) + "\n";
  return text + ")\n";
}

}  // namespace tesserec::embedding
