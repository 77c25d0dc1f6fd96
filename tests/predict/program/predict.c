/* SPDX-License-Identifier: Apache-2.0 */
/* predict_c FOLDER SAMPLES: scores a made-up batch twice, the samples backwards the second time, and prints one score a
 * line. Ends with 1 if the second call allocated memory or gave other scores, and with 2 for an error. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tesserec/predict.h>

/* Counts each allocation of the process, whoever makes it: these names are found before those of the C library. */
extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
static volatile long allocations;
void* malloc(size_t size) { ++allocations; return __libc_malloc(size); }
void* calloc(size_t count, size_t size) { ++allocations; return __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { ++allocations; return __libc_realloc(old, size); }
void* memalign(size_t line, size_t size) { ++allocations; return __libc_memalign(line, size); }
void* aligned_alloc(size_t line, size_t size) { return memalign(line, size); }
int posix_memalign(void** to, size_t line, size_t size) {
  *to = memalign(line, size);
  return *to == NULL ? ENOMEM : 0;
}

static void stop(const char* what) {
  fprintf(stderr, "predict_c: %s: %s\n", what, tesserec_last_error());
  exit(2);
}

/* The batch of examples/predict.py: sample s of feature f has 200 or (s + f) % 4 ids, (31 s + 17 j + 7 f) % rows. */
static tesserec_bags bags_of(int64_t samples, int64_t f, int64_t rows, int64_t step) {
  int64_t* offsets = malloc((size_t)(samples + 1) * sizeof *offsets);
  int64_t* ids = malloc((size_t)(8 * samples + 200) * sizeof *ids);
  tesserec_bags bags = {offsets, ids, NULL};
  int64_t count = 0, at, j;
  for (at = 0; at < samples; ++at) {
    const int64_t s = step > 0 ? at : samples - 1 - at;
    offsets[at] = count;
    for (j = 0; j < (s % 50 == 0 ? 200 : (s + f) % 4); ++j) ids[count++] = (31 * s + 17 * j + 7 * f) % rows;
  }
  offsets[samples] = count;
  return bags;
}

static float* dense_of(int64_t samples, int64_t columns, int64_t step) {
  float* dense = malloc((size_t)(samples * columns + 1) * sizeof *dense);
  int64_t at, k;
  for (at = 0; at < samples; ++at)
    for (k = 0; k < columns; ++k)
      dense[at * columns + k] = (float)(((step > 0 ? at : samples - 1 - at) * 5 + k * 3) % 11) / 8.0f - 0.5f;
  return dense;
}

int main(int argc, char** argv) {
  const int64_t samples = argc > 2 ? atol(argv[2]) : 300;
  tesserec_model* model = tesserec_open(argc > 1 ? argv[1] : "");
  tesserec_context* context;
  tesserec_bags *forth, *back;
  float *scores, *again;
  const float *dense, *dense_back;
  int64_t f, features, s;
  long before;
  if (model == NULL) stop("tesserec_open");
  if ((context = tesserec_context_create(model)) == NULL) stop("tesserec_context_create");
  features = tesserec_feature_count(model);
  forth = malloc((size_t)features * sizeof *forth);
  back = malloc((size_t)features * sizeof *back);
  for (f = 0; f < features; ++f) {
    forth[f] = bags_of(samples, f, tesserec_feature_ids(model, f), 1);
    back[f] = bags_of(samples, f, tesserec_feature_ids(model, f), -1);
  }
  dense = dense_of(samples, tesserec_dense_count(model), 1);
  dense_back = dense_of(samples, tesserec_dense_count(model), -1);
  scores = malloc((size_t)samples * sizeof *scores);
  again = malloc((size_t)samples * sizeof *again);
  if (tesserec_predict(context, samples, dense, forth, scores) != 0) stop("tesserec_predict");
  before = allocations;
  if (tesserec_predict(context, samples, dense_back, back, again) != 0) stop("tesserec_predict");
  if (allocations != before) {
    fprintf(stderr, "predict_c: the second call allocated memory %ld times\n", allocations - before);
    return 1;
  }
  for (s = 0; s < samples; ++s)
    if (memcmp(scores + s, again + samples - 1 - s, sizeof *scores) != 0) {
      fprintf(stderr, "predict_c: sample %ld has another score in another batch\n", (long)s);
      return 1;
    }
  for (s = 0; s < samples; ++s) printf("%.9g\n", (double)scores[s]);
  tesserec_context_destroy(context);
  tesserec_close(model);
  return 0;
}
