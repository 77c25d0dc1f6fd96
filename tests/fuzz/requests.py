#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""requests.py PORT MODEL SECONDS [SEED]: sends damaged requests to a server, and whole ones in between.

MODEL takes the dense input and sparse inputs with offsets that the server's metadata name. A damaged request may get any
reply or none. A whole one must get the scores that it got first. Prints counts by status as one JSON object.
"""
import collections
import http.client
import json
import random
import re
import select
import socket
import struct
import sys
import time

ODD_NUMBERS = ["0", "-1", "1", "2147483647", "-2147483649", "9223372036854775807", "9223372036854775808", "1e999", "-0.0",
               "1e-320", "NaN", "null", "true", "\"1\"", "[]", "{}", "0.5", "99999999999999999999999999", "1099511627776"]
ODD_BYTES = [b"", b"\0", b"\xff", b"\r\n", b"\r\n\r\n", b"{", b"[" * 3000, b"}", b"\"", b",", b"\xc3\x28", b"\\ud800", b"%00"]
HEADERS = [b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n",
           b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"Content-Encoding: deflate\r\n",
           b"Content-Encoding: br\r\n", b"Expect: 100-continue\r\n", b"Inference-Header-Content-Length: 7\r\n",
           b"Inference-Header-Content-Length: -7\r\n", b"Inference-Header-Content-Length: 1e3\r\n", b"Range: bytes=0-1\r\n",
           b"Range: bytes=0-60000\r\n", b"Range: bytes=" + b"0-," * 900 + b"0-\r\n", b"Content-Length: 0\r\n",
           b"Accept-Encoding: gzip\r\n", b"Connection: close\r\n", b"X: " + b"y" * 9000 + b"\r\n", b": \r\n", b"\t\r\n"]


def json_request(inputs):
    body = json.dumps({"id": "fuzz", "inputs": [
        {"name": n, "datatype": t, "shape": s, "data": v} for n, t, s, v in inputs]}).encode()
    return body, b""


def binary_request(inputs):
    heads, tail = [], b""
    for name, kind, shape, numbers in inputs:
        data = struct.pack("<%d%s" % (len(numbers), {"FP32": "f", "INT64": "q"}[kind]), *numbers)
        heads.append({"name": name, "datatype": kind, "shape": shape, "parameters": {"binary_data_size": len(data)}})
        tail += data
    head = json.dumps({"inputs": heads, "parameters": {"binary_data_output": True}}).encode()
    return head + tail, b"Inference-Header-Content-Length: %d\r\n" % len(head)


def raw_requests(columns):
    """Returns the two forms of a request with raw values of four samples."""
    texts = {"number": ["1.5", "", "-2e3", "NA"], "category": ["a1|b2", "", "c3", "zebra|\u00e9"]}
    inputs = [(c["name"], "BYTES", [4], texts[c["kind"]]) for c in columns]
    heads, tail = [], b""
    for name, kind, shape, values in inputs:
        data = b"".join(struct.pack("<I", len(v.encode())) + v.encode() for v in values)
        heads.append({"name": name, "datatype": kind, "shape": shape, "parameters": {"binary_data_size": len(data)}})
        tail += data
    head = json.dumps({"inputs": heads}).encode()
    return [json_request(inputs), (head + tail, b"Inference-Header-Content-Length: %d\r\n" % len(head))]


def whole(model, body, more):
    return (b"POST /v2/models/%s/infer HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n" % (model, more, len(body))) + body


def chunked(model, body, more, rng):
    pieces = b""
    while body:
        n = rng.randint(1, len(body))
        pieces, body = pieces + b"%x\r\n" % n + body[:n] + b"\r\n", body[n:]
    return b"POST /v2/models/%s/infer HTTP/1.1\r\nHost: x\r\n%sTransfer-Encoding: chunked\r\n\r\n%s0\r\n\r\n" % (model, more, pieces)


def damage(rng, text):
    """Makes one to four changes to a request."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(8)
        if kind == 0:
            text = text[:at]
        elif kind == 1:
            text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]
        elif kind == 2:
            text = text[:at] + rng.choice(ODD_BYTES) + text[at:]
        elif kind == 3:
            text = text[:at] + text[rng.randrange(len(text) + 1):]
        elif kind == 4:
            line = text.find(b"\r\n") + 2
            text = text[:line] + rng.choice(HEADERS) + text[line:]
        elif kind == 5:
            numbers = list(re.finditer(rb"-?\d+(\.\d+)?", text))
            if numbers:
                number = rng.choice(numbers)
                text = text[:number.start()] + rng.choice(ODD_NUMBERS).encode() + text[number.end():]
        elif kind == 6:
            words = list(re.finditer(rb'"[a-zA-Z0-9_.]+"', text))
            if len(words) > 1:
                word, other = rng.choice(words), rng.choice(words)
                text = text[:word.start()] + other.group() + text[word.end():]
        else:
            end = min(len(text), at + rng.randint(1, 40))
            text = text[:end] + text[at:end] * rng.randint(1, 50) + text[end:]
        text = text or b"x"
    return text


def with_length(text):
    """Returns a damaged request whose Content-Length is right again, so that the damage reaches the parser."""
    head, _, body = text.partition(b"\r\n\r\n")
    return re.sub(rb"Content-Length: \d+(?=\r\n|$)", b"Content-Length: %d" % len(body), head) + b"\r\n\r\n" + body


def send(port, text, rng):
    """Sends a text and returns the status of the first reply, or "none"."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        try:
            if rng.random() < 0.1:  # in two pieces
                cut = rng.randrange(len(text) + 1)
                connection.sendall(text[:cut])
                time.sleep(0.001)
                text = text[cut:]
            connection.sendall(text)
            if rng.random() < 0.05:
                return "left"
            if not select.select([connection], [], [], 0.02)[0]:  # The server waits for the rest of a cut request.
                connection.shutdown(socket.SHUT_WR)
            reply = b""
            while len(reply) < 12:
                piece = connection.recv(4096)
                if not piece:
                    return "none"
                reply += piece
            return reply[9:12].decode("latin-1")
        except OSError as error:
            return type(error).__name__


def main():
    port, model, seconds = int(sys.argv[1]), sys.argv[2].encode(), float(sys.argv[3])
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)

    def ask(method, path, body=None, headers=None):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        client.request(method, path, body, headers or {})
        reply = client.getresponse()
        data = reply.read()
        client.close()
        return reply.status, data

    inputs = []
    metadata = json.loads(ask("GET", "/v2/models/%s" % model.decode())[1])
    for tensor in metadata["inputs"]:
        name = tensor["name"]
        if name == "dense":
            inputs.append((name, "FP32", [4, tensor["shape"][1]], [0.25 * i for i in range(4 * tensor["shape"][1])]))
        elif name.endswith(".offsets"):
            inputs.append((name, "INT64", [5], [0, 2, 2, 3, 6]))
        else:
            inputs.append((name, "INT64", [6], [0, 1, 2, 3, 4, 5]))
    forms = [json_request(inputs), binary_request(inputs)] + raw_requests(metadata["raw_inputs"])
    requests = [whole(model, *form) for form in forms] + [chunked(model, *form, rng) for form in forms]
    requests += [b"GET /v2/models/%s HTTP/1.1\r\n\r\n" % model, b"GET /metrics HTTP/1.1\r\n\r\n"]
    path = "/v2/models/%s/infer" % model.decode()
    first, raw = ask("POST", path, forms[0][0]), ask("POST", path, forms[2][0])
    assert first[0] == 200 and raw[0] == 200, (first, raw)
    counts = collections.Counter()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for _ in range(50):
            text = damage(rng, rng.choice(requests))
            if rng.random() < 0.6:
                text = with_length(text)
            counts[send(port, text, rng)] += 1
        again = ask("POST", path, forms[0][0])
        assert again == first, again
        again = ask("POST", path, forms[2][0])
        assert again == raw, again
    print(json.dumps(dict(sorted(counts.items()))))


if __name__ == "__main__":
    main()
