# SPDX-License-Identifier: Apache-2.0
"""Writes clicks.parquet, which reader_test.cpp reads: python3 make_clicks.py (with pyarrow)."""
import datetime

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 300
start = datetime.datetime(2014, 10, 21)
table = pa.table({
    "box": pa.array([{"a": i, "b": str(i)} for i in range(ROWS)]),  # skipped; a column of two leaves
    "user": pa.array([None if i % 11 == 0 else f"u, {i % 17}" for i in range(ROWS)]),
    "tags": pa.array([None if i % 7 == 0 else [None if j == 2 else f"t{(i + j) % 9}" for j in range(i % 4)]
                      for i in range(ROWS)]),
    "sizes": pa.array([[i % 5, i % 3] for i in range(ROWS)], pa.large_list(pa.int64())),
    "price": pa.array([None if i % 13 == 0 else i / 7 for i in range(ROWS)], pa.float64()),
    "small": pa.array([i % 10 / 10 for i in range(ROWS)], pa.float32()),
    "count": pa.array([i * 1000003 for i in range(ROWS)], pa.uint32()),
    "when": pa.array([start + datetime.timedelta(minutes=37 * i) for i in range(ROWS)], pa.timestamp("ms")),
    "clicked": pa.array([i % 3 == 0 for i in range(ROWS)]),
    "country": pa.array([["de", "fr", "jp"][i % 3] for i in range(ROWS)]).dictionary_encode(),
})
codecs = {name: "zstd" if name in ("user", "price") else "snappy" for name in
          ("user", "price", "small", "count", "when", "clicked", "country", "box.a", "box.b", "tags.list.element",
           "sizes.list.element")}
pq.write_table(table, "clicks.parquet", row_group_size=70, compression=codecs)

# Rows of events.parquet are users; their events are unrolled. The user's row 5 has no list, row 6 has an empty one.
event = pa.struct([("item", pa.int64()), ("action", pa.int32()), ("at", pa.int64())])
USERS = 1500
events = pa.table({
    "user": pa.array([1000 + i for i in range(USERS)]),
    "seq": pa.array([None if i == 5 else [None if (i, j) == (7, 1) else
                                          {"item": (i * j) % 11, "action": None if j == 4 else (i + j) % 2, "at": 1745919240 + 60 * j}
                                          for j in range(i % 6)] for i in range(USERS)], pa.list_(event)),
    "groups": pa.array([[i % 3, 7] for i in range(USERS)]),
    "other": pa.array([[{"x": i}] for i in range(USERS)], pa.large_list(pa.struct([("x", pa.int64())]))),
})
pq.write_table(events, "events.parquet", row_group_size=1100, compression="snappy")
