#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""predict.py FOLDER [SAMPLES]: scores a made-up batch with a model folder by libtesserec_predict, from plain Python.

TESSEREC_PREDICT names the library if the loader does not find it.
"""
import ctypes
import os
import sys
from ctypes import POINTER, c_char_p, c_float, c_int, c_int64, c_void_p


class Bags(ctypes.Structure):
    """Ids of a feature: sample s has ids[offsets[s]:offsets[s + 1]]."""

    _fields_ = [("offsets", POINTER(c_int64)), ("ids", POINTER(c_int64)), ("weights", POINTER(c_float))]


class Model:
    """A model folder with a context, for one thread."""

    def __init__(self, folder):
        library = ctypes.CDLL(os.environ.get("TESSEREC_PREDICT", "libtesserec_predict.so"))
        for name, result, arguments in [
            ("tesserec_last_error", c_char_p, []),
            ("tesserec_open", c_void_p, [c_char_p]),
            ("tesserec_close", None, [c_void_p]),
            ("tesserec_dense_count", c_int64, [c_void_p]),
            ("tesserec_feature_count", c_int64, [c_void_p]),
            ("tesserec_feature_name", c_char_p, [c_void_p, c_int64]),
            ("tesserec_feature_ids", c_int64, [c_void_p, c_int64]),
            ("tesserec_label_count", c_int64, [c_void_p]),
            ("tesserec_context_create_labels", c_void_p, [c_void_p, c_int64]),
            ("tesserec_context_destroy", None, [c_void_p]),
            ("tesserec_predict", c_int, [c_void_p, c_int64, POINTER(c_float), POINTER(Bags), POINTER(c_float)]),
        ]:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        self.library = library
        self.model = self.checked(library.tesserec_open(os.fsencode(folder)))
        self.labels = library.tesserec_label_count(self.model)
        self.context = self.checked(library.tesserec_context_create_labels(self.model, self.labels))
        self.dense_count = library.tesserec_dense_count(self.model)
        features = range(library.tesserec_feature_count(self.model))
        self.features = [library.tesserec_feature_name(self.model, f).decode() for f in features]
        self.ids = [library.tesserec_feature_ids(self.model, f) for f in features]

    def checked(self, handle):
        if not handle:
            raise RuntimeError(self.library.tesserec_last_error().decode())
        return handle

    def predict(self, dense, bags):
        """Scores samples: a list of scores each, one a label. dense: a list of numbers a sample; bags: for each feature
        a list of ids a sample."""
        samples = len(dense)
        keep = []  # arrays that the structures point to

        def array(kind, numbers):
            keep.append((kind * max(1, len(numbers)))(*numbers))
            return keep[-1]

        given = (Bags * len(bags))()
        for f, feature in enumerate(bags):
            offsets = [0]
            for ids in feature:
                offsets.append(offsets[-1] + len(ids))
            given[f].offsets = array(c_int64, offsets)
            given[f].ids = array(c_int64, [i for ids in feature for i in ids])
        scores = (c_float * max(1, samples * self.labels))()
        flat = array(c_float, [number for row in dense for number in row])
        if self.library.tesserec_predict(self.context, samples, flat, given, scores) != 0:
            raise RuntimeError(self.library.tesserec_last_error().decode())
        return [scores[s * self.labels : (s + 1) * self.labels] for s in range(samples)]

    def close(self):
        self.library.tesserec_context_destroy(self.context)
        self.library.tesserec_close(self.model)


def main():
    model = Model(sys.argv[1])
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    dense = [[(s * 5 + k * 3) % 11 / 8.0 - 0.5 for k in range(model.dense_count)] for s in range(samples)]
    bags = [
        [[(31 * s + 17 * j + 7 * f) % ids for j in range(200 if s % 50 == 0 else (s + f) % 4)] for s in range(samples)]
        for f, ids in enumerate(model.ids)
    ]
    for scores in model.predict(dense, bags):
        print(*("%.9g" % score for score in scores))
    model.close()


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"predict.py: {error}")
