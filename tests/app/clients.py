#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients.py URL TOKEN FOLDER: asks a server by tritonclient[http] and compares its scores with the library's, bit by bit.

EXAMPLE names examples/predict.py, TESSEREC_PREDICT the library.
"""
import importlib.util
import os
import sys

import numpy
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

SAMPLES = 300


def bags_of(ids, samples, feature):
    """Returns a list of ids a sample, some empty and one long."""
    return [[(31 * s + 17 * j + 7 * feature) % ids for j in range(90 if s == 5 else (s + feature) % 4)]
            for s in range(samples)]


def tensor(name, array, binary):
    kind = {"float32": "FP32", "int64": "INT64", "int32": "INT32"}[str(array.dtype)]
    return triton.InferInput(name, array.shape, kind).set_data_from_numpy(array, binary_data=binary)


def inputs_of(dense, features, bags, binary):
    """Returns the inputs of a request: ids in one list, with offsets."""
    inputs = [tensor("dense", dense, binary)]
    for name, feature in zip(features, bags):
        offsets = numpy.cumsum([0] + [len(ids) for ids in feature])
        inputs.append(tensor(name, numpy.array([i for ids in feature for i in ids], numpy.int64), binary))
        inputs.append(tensor(name + ".offsets", offsets.astype(numpy.int64), binary))
    return inputs


def must_refuse(part, call):
    try:
        call()
    except InferenceServerException as error:
        assert part in str(error), f"refused with {error}, not with {part}"
        return
    raise AssertionError(f"not refused: {part}")


def main():
    url, token, folder = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("predict", os.environ["EXAMPLE"])
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    model = example.Model(folder)
    bags = [bags_of(ids, SAMPLES, f) for f, ids in enumerate(model.ids)]
    dense = numpy.array([[(s * 5 + k * 3) % 11 / 8 - 0.5 for k in range(model.dense_count)] for s in range(SAMPLES)],
                        numpy.float32)
    expected = numpy.array(model.predict(dense.tolist(), bags), numpy.float32)[:, 0]
    assert len(numpy.unique(expected)) > SAMPLES // 2

    client = triton.InferenceServerClient(url, concurrency=4, network_timeout=30.0)

    def headers():
        return {"Authorization": "Bearer " + token}  # a new one each time, because the client adds headers to it

    assert client.is_server_live() and client.is_server_ready()
    must_refuse("the request lacks the server's token", lambda: client.get_model_metadata("clicks"))
    assert client.is_model_ready("clicks", headers=headers())
    metadata = client.get_model_metadata("clicks", headers=headers())
    version = metadata["versions"][0]
    assert client.is_model_ready("clicks", version, headers=headers())
    assert "binary_tensor_data" in client.get_server_metadata(headers=headers())["extensions"]
    known = {i["name"] for i in metadata["inputs"]}

    def check(result, scores, how):
        assert result.get_response()["model_version"] == version
        found = result.as_numpy("scores")
        assert found.dtype == numpy.float32 and found.tobytes() == scores.tobytes(), how

    for binary in (False, True):
        inputs = inputs_of(dense, model.features, bags, binary)
        assert {i.name() for i in inputs} == known
        for of_output in (False, True, None):  # None: the client's own wish
            outputs = None if of_output is None else [triton.InferRequestedOutput("scores", binary_data=of_output)]
            result = client.infer("clicks", inputs, outputs=outputs, headers=headers(), request_id="a7")
            assert result.get_response()["id"] == "a7"
            check(result, expected, f"inputs binary {binary}, output binary {of_output}")
        for algorithm in ("gzip", "deflate"):
            result = client.infer("clicks", inputs, headers=headers(), model_version=version,
                                  request_compression_algorithm=algorithm, response_compression_algorithm=algorithm)
            check(result, expected, f"{algorithm}, inputs binary {binary}")

    # A fixed number of ids a sample, by the shape and as INT32.
    fixed = [[[(s + 3 * j + f) % ids for j in range(3)] for s in range(7)] for f, ids in enumerate(model.ids)]
    by_shape = numpy.array(model.predict(dense[:7].tolist(), fixed), numpy.float32)[:, 0]
    for binary in (False, True):
        inputs = [tensor("dense", dense[:7].copy(), binary)]
        inputs += [tensor(n, numpy.array(b, numpy.int32), binary) for n, b in zip(model.features, fixed)]
        check(client.infer("clicks", inputs, headers=headers()), by_shape, "by shape")

    # Raw values as texts: an unknown user without items reads id 0 and an empty bag.
    assert [i["name"] for i in metadata["raw_inputs"]] == ["user", "items", "price"]
    none = {"user": [[0], [0]], "items": [[], []]}
    unknown = numpy.array(model.predict([[1.5], [0.0]], [none[n] for n in model.features]), numpy.float32)[:, 0]
    texts = {"user": ["nobody", ""], "items": ["", "NA"], "price": ["1.5", ""]}
    for binary in (False, True):
        inputs = [triton.InferInput(name, [2], "BYTES").set_data_from_numpy(numpy.array(values, object),
                                                                            binary_data=binary)
                  for name, values in texts.items()]
        check(client.infer("clicks", inputs, headers=headers()), unknown, "raw values")
        known = [triton.InferInput("user", [2], "BYTES").set_data_from_numpy(numpy.array(["u17", "u3"], object),
                                                                             binary_data=binary)] + inputs[1:]
        found = client.infer("clicks", known, headers=headers()).as_numpy("scores")
        assert found[0] != unknown[0] and found[1] != unknown[1] and found[0] != found[1]

    # Many requests at once, each with samples of its own.
    waiting = []
    for s in range(0, SAMPLES - 3):
        inputs = inputs_of(dense[s:s + 3].copy(), model.features, [b[s:s + 3] for b in bags], s % 2 == 0)
        waiting.append((s, client.async_infer("clicks", inputs, headers=headers())))
    for s, answer in waiting:
        check(answer.get_result(), expected[s:s + 3], f"samples from {s}, many at once")

    # Refusals, and the next request is answered.
    ids = tensor(model.features[0], numpy.array([model.ids[0]], numpy.int64), True)
    rest = [tensor(n, numpy.array([0], numpy.int64), True) for n in model.features[1:]]
    for binary in (False, True):
        one = tensor("dense", dense[:1].copy(), binary)
        must_refuse(f"id {model.ids[0]} is outside table",
                    lambda: client.infer("clicks", [one, ids] + rest, headers=headers()))
        must_refuse("the request lacks input", lambda: client.infer("clicks", [one] + rest, headers=headers()))
    must_refuse("there is no output", lambda: client.infer(
        "clicks", inputs, outputs=[triton.InferRequestedOutput("logits")], headers=headers()))
    must_refuse("there is no", lambda: client.infer("other", inputs, headers=headers()))
    check(client.infer("clicks", inputs, headers=headers()), expected[s:s + 3], "after refusals")
    print("all as expected")


if __name__ == "__main__":
    main()
