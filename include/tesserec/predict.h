/* SPDX-License-Identifier: Apache-2.0 */
/**
 * libtesserec_predict: the scores of a model folder (tesserec export), from C and from whatever calls C.
 *
 * The library has no MPI. A model is read by any number of threads at once. A context belongs to one thread at a time.
 * It takes 128 samples at a time, and allocates no memory once it has seen its largest such chunk, if the model has no
 * un-pooled features. Functions that can fail return NULL or -1, and tesserec_last_error() then tells why, on the same
 * thread. docs/serving.md has an example.
 */
#ifndef TESSEREC_PREDICT_H
#define TESSEREC_PREDICT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this interface. It grows when a function is added; none is changed or removed. */
#define TESSEREC_PREDICT_VERSION 4

/** A model, opened from a model folder. */
typedef struct tesserec_model tesserec_model;
/** Buffers of one thread that scores with a model. */
typedef struct tesserec_context tesserec_context;

/** Ids of a feature: sample s has ids[offsets[s]] up to ids[offsets[s + 1]]. */
typedef struct tesserec_bags {
  const int64_t* offsets; /**< [samples + 1], not decreasing; NULL = no sample has an id */
  const int64_t* ids;     /**< ids of the data's vocabulary, from 0 up to tesserec_feature_ids() */
  const float* weights;   /**< parallel to ids; read by weighted tables alone, else NULL */
} tesserec_bags;

/** Raw values of a column: the text of sample s is bytes [offsets[s], offsets[s + 1]), as in Arrow's large strings. */
typedef struct tesserec_texts {
  const char* bytes;
  const int64_t* offsets; /**< [samples + 1], not decreasing; NULL = no sample has a value */
} tesserec_texts;

/** Returns TESSEREC_PREDICT_VERSION of the library. */
int tesserec_predict_version(void);
/** Returns the message of the last call that failed on this thread; "" if none did. Valid until the next one fails. */
const char* tesserec_last_error(void);

/**
 * Opens a model folder, and compares all but the rows of its tables with their checksums. Maps the rows, so that a page
 * is read when a score needs it; `tesserec verify` compares them. Returns NULL if the folder is missing, or what was
 * compared is damaged. The folder's files must not change while the model is open.
 */
tesserec_model* tesserec_open(const char* folder);
/** Closes a model, whose contexts must have been destroyed before. NULL is allowed. */
void tesserec_close(tesserec_model* model);

/** Returns the number of steps that the model was trained. */
int64_t tesserec_step(const tesserec_model* model);
/** Returns the number K of dense features of a sample. */
int64_t tesserec_dense_count(const tesserec_model* model);
/** Returns the number F of sparse features. */
int64_t tesserec_feature_count(const tesserec_model* model);
/** Returns the name of a sparse feature in [0, F); NULL outside. */
const char* tesserec_feature_name(const tesserec_model* model, int64_t feature);
/** Returns the number of ids of a sparse feature in [0, F), so that ids lie in [0, number); INT64_MAX if all tables of
 *  the feature grow, which take any number; -1 outside. */
int64_t tesserec_feature_ids(const tesserec_model* model, int64_t feature);

/** Returns the number T of labels, each of which a sample has a score of. Since version 4. */
int64_t tesserec_label_count(const tesserec_model* model);
/** Returns the name of a label in [0, T); NULL outside, and for one label without a name. Since version 4. */
const char* tesserec_label_name(const tesserec_model* model, int64_t label);

/**
 * Makes a context for one thread. The model must stay open. Returns NULL if there is not enough memory, or if the model
 * has several labels, whose scores need the next function.
 */
tesserec_context* tesserec_context_create(const tesserec_model* model);
/**
 * Makes a context for a caller whose arrays have room for `labels` scores a sample: scores[s * labels + t] is that of
 * label t. Returns NULL as tesserec_context_create() does, or if `labels` is not tesserec_label_count(). Since version
 * 4.
 */
tesserec_context* tesserec_context_create_labels(const tesserec_model* model, int64_t labels);
/** Frees a context. NULL is allowed. */
void tesserec_context_destroy(tesserec_context* context);

/**
 * Scores samples: scores [samples, T] row-major are the probabilities of the T labels of each; with one label,
 * scores[s] is that of sample s. A sample's score does not depend on the others.
 * dense: [samples, K] row-major, transformed as the training data were; NULL if K is 0. bags: [F], in the order of the
 * features. Returns 0, or -1, before any score is written, if an id is outside its table, an offset decreases, a weight
 * is missing or a number is not finite; or -1, after the scores are written, if a score is not finite.
 */
int tesserec_predict(tesserec_context* context, int64_t samples, const float* dense, const tesserec_bags* bags,
                     float* scores);

/**
 * Scores items for one user, with the scores of tesserec_predict() for samples that each have the user's features.
 * `of_user` [F]: not 0 = the feature is the user's, and its bags have offsets [2]; else they have offsets [items + 1].
 * `dense_of_user`: not 0 = dense is [K], the user's; else [items, K]. The user's rows are looked up once for 128 items,
 * and layers that read only the user's features are computed as often. Returns 0 or -1 as tesserec_predict() does.
 * Since version 2.
 */
int tesserec_predict_items(tesserec_context* context, int64_t items, const float* dense, int dense_of_user,
                           const tesserec_bags* bags, const unsigned char* of_user, float* scores);

/**
 * Returns the name of raw column number `column`, in [0, C); NULL outside, and for a model folder that was exported
 * without a vocabulary. Since version 3.
 */
const char* tesserec_raw_column(const tesserec_model* model, int64_t column);

/**
 * Scores samples by the raw values of their columns [C], with the scores of tesserec_predict() for the ids and numbers
 * that `tesserec preprocess` makes of the same texts. A text of several values has the separator of its column, the
 * items of a sequence have '\x1F' between them. `of_user` [C]: not 0 = the column is the user's, and its texts have
 * offsets [2], as in tesserec_predict_items(); NULL = none is. Adds to missing [C] the samples without a value, and to
 * unknown [F] the values of a feature that have no id or no row; both may be NULL. Allocates memory in each call.
 * Returns 0, or -1, before any score is written, if a text is no value of its column, and as tesserec_predict() does.
 * Since version 3.
 */
int tesserec_predict_raw(tesserec_context* context, int64_t samples, const tesserec_texts* columns,
                         const unsigned char* of_user, float* scores, int64_t* missing, int64_t* unknown);

#ifdef __cplusplus
}
#endif

#endif
