/* SPDX-License-Identifier: Apache-2.0 */
/* score_calls FOLDER SAMPLES SECONDS: times calls of tesserec_predict() on one thread by its processor time. Each
 * feature has one id per sample, drawn uniformly, in 16 batches that take turns. Build:
 * cc -O2 -Iinclude runs/compare/score_calls.c -o score_calls -Lbuild/src -ltesserec_predict -Wl,-rpath,build/src */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tesserec/predict.h"

enum { batches = 16, most_calls = 1000000 };

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the next number of an xorshift generator, which has enough bits for any table. */
static uint64_t next_random(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void stop(const char* why) {
  fprintf(stderr, "score_calls: %s\n", why);
  exit(2);
}

static void* allocate(size_t count, size_t size) {
  void* memory = calloc(count, size);
  if (memory == NULL) stop("not enough memory");
  return memory;
}

int main(int count, char** words) {
  const int64_t samples = count == 4 ? atoll(words[2]) : 0;
  if (samples < 1) stop("give FOLDER SAMPLES SECONDS");
  tesserec_model* model = tesserec_open(words[1]);
  tesserec_context* context = model == NULL ? NULL : tesserec_context_create(model);
  if (context == NULL) stop(tesserec_last_error());
  const int64_t features = tesserec_feature_count(model), columns = tesserec_dense_count(model);
  int64_t* offsets = allocate((size_t)samples + 1, sizeof *offsets);
  for (int64_t s = 0; s <= samples; ++s) offsets[s] = s;
  float* scores = allocate((size_t)samples, sizeof *scores);
  double* times = allocate(most_calls, sizeof *times);
  float* dense[batches];
  tesserec_bags* bags[batches];
  for (int b = 0; b < batches; ++b) {
    dense[b] = allocate((size_t)(samples * columns + 1), sizeof *dense[b]);
    bags[b] = allocate((size_t)features + 1, sizeof *bags[b]);
    for (int64_t i = 0; i < samples * columns; ++i) dense[b][i] = (float)(next_random() % 1024) / 1024.0f;
    for (int64_t f = 0; f < features; ++f) {
      const uint64_t rows = (uint64_t)tesserec_feature_ids(model, f);
      int64_t* ids = allocate((size_t)samples, sizeof *ids);
      for (int64_t s = 0; s < samples; ++s) ids[s] = (int64_t)(next_random() % rows);
      bags[b][f].offsets = offsets;
      bags[b][f].ids = ids;
    }
  }
  size_t calls = 0;
  const double end = seconds(CLOCK_MONOTONIC) + atof(words[3]);
  for (long i = -batches; calls < most_calls && (i < 20 || seconds(CLOCK_MONOTONIC) < end); ++i) {
    const int b = (int)((i + batches) % batches);
    const double start = seconds(CLOCK_THREAD_CPUTIME_ID);
    if (tesserec_predict(context, samples, dense[b], bags[b], scores) != 0) stop(tesserec_last_error());
    if (i >= 0) times[calls++] = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
  }
  qsort(times, calls, sizeof *times, compare);
  printf("{\"samples\": %lld, \"calls\": %zu, \"p10_us\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f}\n",
         (long long)samples, calls, 1e6 * times[calls / 10], 1e6 * times[calls / 2], 1e6 * times[calls * 99 / 100]);
  return 0;
}
