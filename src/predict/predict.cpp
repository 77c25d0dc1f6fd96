// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/memory.hpp>
#include <tesserec/predict.h>
#include <tesserec/scoring/owned_samples.hpp>
#include <tesserec/scoring/raw_inputs.hpp>
#include <tesserec/scoring/scoring_context.hpp>
#include <tesserec/scoring/served_model.hpp>

struct tesserec_model {
  explicit tesserec_model(const std::string& folder) : served(tesserec::Exec(), folder) {}
  tesserec::scoring::ServedModel served;
};

struct tesserec_context {
  explicit tesserec_context(const tesserec::scoring::ServedModel& served)
      : model(served), scorer(served), bags(served.features().size()) {}
  const tesserec::scoring::ServedModel& model;
  tesserec::scoring::ScoringContext scorer;
  std::vector<tesserec::scoring::ScoredBags> bags;
};

namespace tesserec::predict {
namespace {

std::string& last_error() {
  thread_local std::string message;
  return message;
}

/// Runs `body` and returns its result. Keeps the message of an exception and returns `failed`.
template <class Result, class Body>
Result guarded(Result failed, const Body& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    try {
      last_error() = message_of(error);
    } catch (...) {
      last_error().clear();  // no memory for the message
    }
  } catch (...) {
    last_error() = "an exception of an unknown type";
  }
  return failed;
}

/// Throws Error if a manifest is there, but is damaged.
void require_manifest(const std::string& path) {
  if (!std::filesystem::exists(path)) return;
  try {
    parse_json(read_file(path));
  } catch (const Error& error) {
    fail(path, " is damaged: ", error.what(), "; export the model again");
  }
}

/// Opens a model. Starts Kokkos with the first one, unless the caller's program has; the end of the process ends it.
tesserec_model* open(const std::string& folder) {
  static std::mutex opening;  // a model packs its weights on the threads of Kokkos, which one caller at a time may use
  const std::lock_guard lock(opening);
  if (!Kokkos::is_initialized()) Kokkos::initialize();
  if (!scoring::is_model_folder(folder)) {
    require_manifest(folder + "/manifest.json");
    fail(folder, ": this is no model folder; write one with `tesserec export CHECKPOINT --to FOLDER`");
  }
  return new tesserec_model(folder);
}

/// Scores the samples. Throws Error if a score is not finite.
void score(tesserec_context& context, const scoring::ScoringBatch& batch, float* scores) {
  context.scorer.score(batch, scores);
  const auto count = std::size_t(batch.samples * context.model.label_count());
  if (const std::string reason = scoring::not_finite_reason(context.model, {scores, count}); !reason.empty())
    fail(reason);
}

bool is_feature(const tesserec_model* model, std::int64_t feature) {
  return feature >= 0 && feature < std::ssize(model->served.features());
}

}  // namespace
}  // namespace tesserec::predict

using namespace tesserec;
using predict::guarded;

int tesserec_predict_version(void) { return TESSEREC_PREDICT_VERSION; }
const char* tesserec_last_error(void) { return predict::last_error().c_str(); }

tesserec_model* tesserec_open(const char* folder) {
  return guarded<tesserec_model*>(nullptr, [&] { return predict::open(folder); });
}
void tesserec_close(tesserec_model* model) { delete model; }

int64_t tesserec_step(const tesserec_model* model) { return model->served.facts().step; }
int64_t tesserec_dense_count(const tesserec_model* model) { return model->served.facts().dense_features; }
int64_t tesserec_feature_count(const tesserec_model* model) { return std::ssize(model->served.features()); }
const char* tesserec_feature_name(const tesserec_model* model, int64_t feature) {
  return predict::is_feature(model, feature) ? model->served.features()[feature].c_str() : nullptr;
}
int64_t tesserec_feature_ids(const tesserec_model* model, int64_t feature) {
  return predict::is_feature(model, feature) ? model->served.ids(feature) : -1;
}

int64_t tesserec_label_count(const tesserec_model* model) { return model->served.label_count(); }
const char* tesserec_label_name(const tesserec_model* model, int64_t label) {
  const std::vector<std::string>& labels = model->served.labels();
  return label >= 0 && label < std::ssize(labels) ? labels[std::size_t(label)].c_str() : nullptr;
}

tesserec_context* tesserec_context_create(const tesserec_model* model) {
  return tesserec_context_create_labels(model, 1);
}
tesserec_context* tesserec_context_create_labels(const tesserec_model* model, int64_t labels) {
  return guarded<tesserec_context*>(nullptr, [&] {
    if (const Index own = model->served.label_count(); labels != own) {
      const std::string names = own > 1 ? concat(" (", join(model->served.labels()), ")") : "";
      fail("the model gives ", counted(own, "score"), " a sample", names, ", but the caller has room for ", labels,
           "; make the context with tesserec_context_create_labels(model, ", own, ")");
    }
    return new tesserec_context(model->served);
  });
}
void tesserec_context_destroy(tesserec_context* context) { delete context; }

int tesserec_predict_items(tesserec_context* context, int64_t items, const float* dense, int dense_of_user,
                           const tesserec_bags* bags, const unsigned char* of_user, float* scores) {
  return guarded(-1, [&] {
    if (items < 0) fail("the number of samples is ", items, "; give 0 or more");
    for (std::size_t f = 0; f < context->bags.size(); ++f) {
      const bool is_shared = of_user != nullptr && of_user[f] != 0;
      const int64_t last = is_shared ? 1 : items;
      if (bags[f].offsets != nullptr && bags[f].ids == nullptr && bags[f].offsets[last] > bags[f].offsets[0])
        fail("feature ", context->model.features()[f], ": there are offsets, but no ids; give both");
      context->bags[f] = {bags[f].offsets, bags[f].ids, bags[f].weights, is_shared};
    }
    predict::score(*context,
                   {.samples = items, .dense = dense, .sparse = context->bags, .shared_dense = dense_of_user != 0},
                   scores);
    return 0;
  });
}

int tesserec_predict(tesserec_context* context, int64_t samples, const float* dense, const tesserec_bags* bags,
                     float* scores) {
  return tesserec_predict_items(context, samples, dense, 0, bags, nullptr, scores);
}

const char* tesserec_raw_column(const tesserec_model* model, int64_t column) {
  const scoring::RawInputs* const raw = model->served.raw();
  const bool is_there = raw != nullptr && column >= 0 && column < std::ssize(raw->columns());
  return is_there ? raw->columns()[std::size_t(column)].name.c_str() : nullptr;
}

int tesserec_predict_raw(tesserec_context* context, int64_t samples, const tesserec_texts* columns,
                         const unsigned char* of_user, float* scores, int64_t* missing, int64_t* unknown) {
  return guarded(-1, [&] {
    const scoring::RawInputs* const raw = context->model.raw();
    if (samples < 0) fail("the number of samples is ", samples, "; give 0 or more");
    if (raw == nullptr) fail("the model takes no raw values: ", context->model.no_raw());
    std::vector<scoring::RawTexts> texts;
    for (std::size_t c = 0; c < raw->columns().size(); ++c) {
      const bool is_shared = of_user != nullptr && of_user[c] != 0;
      const int64_t* const offsets = columns[c].offsets;
      if (offsets != nullptr && columns[c].bytes == nullptr && offsets[is_shared ? 1 : samples] > offsets[0])
        fail("column ", raw->columns()[c].name, ": there are offsets, but no bytes; give both");
      texts.push_back({columns[c].bytes, offsets, is_shared});
    }
    scoring::OwnedSamples encoded;
    scoring::RawCounts counts;
    raw->encode(samples, texts, encoded, counts);
    predict::score(*context,
                   {.samples = samples,
                    .dense = encoded.dense.data(),
                    .sparse = encoded.bags(),
                    .shared_dense = encoded.shared_dense},
                   scores);
    for (std::size_t c = 0; missing != nullptr && c < counts.missing.size(); ++c) missing[c] += counts.missing[c];
    for (std::size_t f = 0; unknown != nullptr && f < counts.unknown.size(); ++f)
      unknown[f] += counts.unknown[f] + context->scorer.without_row(f);
    return 0;
  });
}
