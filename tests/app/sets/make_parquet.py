# SPDX-License-Identifier: Apache-2.0
"""Writes small Parquet files in the form of two public data sets (../lib_sets.sh): python3 make_parquet.py (with pyarrow).

listens.parquet: Yambda's flat/50m/listens.parquet, sorted by user and time, times in steps of 5 s.
TencentGR-1M/: seq/, a row per user with a list of events; user_feat/ and item_feat/, features with numbers as names."""
import os
import random

import pyarrow as pa
import pyarrow.parquet as pq

random.seed(1)
rows = []
for user in range(100, 160):
    time = random.randrange(0, 100000, 5)
    for _ in range(50):
        item = random.randrange(40)
        time += random.randrange(5, 200000, 5)
        heard = random.random() < (0.85 if item % 2 else 0.15)
        rows.append((user, 3000 + 17 * item, time, random.random() < 0.4, 60 + random.randrange(240),
                     random.randrange(60, 120) if heard else random.randrange(45)))
uid, item, time, organic, length, played = zip(*rows)
pq.write_table(pa.table({
    "uid": pa.array(uid, pa.uint32()), "timestamp": pa.array(time, pa.uint32()), "item_id": pa.array(item, pa.uint32()),
    "is_organic": pa.array(map(int, organic), pa.uint8()), "played_ratio_pct": pa.array(played, pa.uint16()),
    "track_length_seconds": pa.array(length, pa.uint32())}), "listens.parquet", row_group_size=1000)

event = pa.struct([("item_id", pa.int64()), ("action_type", pa.int32()), ("timestamp", pa.int64())])
for folder in ("seq", "user_feat", "item_feat"):
    os.makedirs(f"TencentGR-1M/{folder}", exist_ok=True)


def feature(rows, several):
    value = lambda: 100000 + random.randrange(6)
    return [None if random.random() < 0.05 else [value() for _ in range(random.randrange(4))] if several else value()
            for _ in range(rows)]


for part in range(2):
    users, lists = [], []
    for user in range(20):
        time = 1744000000 + random.randrange(4000000)
        events = []
        for _ in range(random.randrange(1, 90)):
            item = random.randrange(50)
            time += random.randrange(600)
            events.append({"item_id": 2900000 + item, "action_type": int(random.random() < (0.6 if item % 2 else 0.1)),
                           "timestamp": time})
        users.append(1 + 2 * user + part)
        lists.append(events)
    pq.write_table(pa.table({"user_id": pa.array(users, pa.int64()),
                             "seq": pa.array(lists, pa.list_(pa.field("element", event, nullable=False)))}),
                   f"TencentGR-1M/seq/part-0000{part}.parquet")
    table = {"user_id": pa.array(users, pa.int64())}
    table |= {name: pa.array(feature(20, False), pa.int64()) for name in ("103", "104", "105", "109")}
    table |= {name: pa.array(feature(20, True), pa.list_(pa.int64())) for name in ("106", "107", "108", "110")}
    pq.write_table(pa.table(table), f"TencentGR-1M/user_feat/part-0000{part}.parquet")
    table = {"item_id": pa.array([2900000 + 25 * part + i for i in range(25)], pa.int64())}
    names = ("100", "117", "118", "101", "102", "119", "120", "114", "112", "121", "115", "122", "116")
    table |= {name: pa.array(feature(25, False), pa.int64()) for name in names}
    pq.write_table(pa.table(table), f"TencentGR-1M/item_feat/part-0000{part}.parquet")
