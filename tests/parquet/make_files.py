# SPDX-License-Identifier: Apache-2.0
"""Writes the Parquet files of this folder, which its tests read: python3 make_files.py (with pyarrow)."""
import datetime
import decimal

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

# A row of each type, for columns_test.cpp; times of 96 bits stand in a file of their own.
when = datetime.datetime(1969, 12, 31, 23, 59, 58, 250000)
types = pa.table({
    "int8": pa.array([-128, None], pa.int8()), "uint8": pa.array([255, 7], pa.uint8()),
    "int16": pa.array([-32768, None], pa.int16()), "uint16": pa.array([65535, 7], pa.uint16()),
    "int32": pa.array([-2**31, 1000], pa.int32()), "uint32": pa.array([2**32 - 1, 999], pa.uint32()),
    "int64": pa.array([-2**63, None], pa.int64()), "uint64": pa.array([2**64 - 1, 0], pa.uint64()),
    "float": pa.array([0.1, None], pa.float32()), "double": pa.array([-1e-300, 5], pa.float64()),
    "bool": pa.array([True, False]), "string": pa.array(["a b", ""]), "large": pa.array(["x", None], pa.large_string()),
    "binary": pa.array([b"\x01", None]), "dictionary": pa.array([None, "d"]).dictionary_encode(),
    "date": pa.array([datetime.date(1970, 1, 2), datetime.date(1969, 12, 31)]),
    "second": pa.array([-2, 60], pa.timestamp("s")), "milli": pa.array([when, None], pa.timestamp("ms")),
    "micro": pa.array([when, None], pa.timestamp("us")), "nano": pa.array([-1750000000, 10**18], pa.timestamp("ns")),
    "null": pa.nulls(2), "list": pa.array([[1, None, 2], []], pa.list_(pa.uint8())),
})
pq.write_table(types, "types.parquet")
pq.write_table(types.select(["nano", "double"]), "times.parquet", use_deprecated_int96_timestamps=True, store_schema=False,
               use_dictionary=False)

# Small pages, long and empty lists, and lists inside of the elements.
USERS = 700
count = lambda i: 0 if 100 <= i < 400 else {450: 900, 699: 300}.get(i, i % 4)
element = lambda i, j: None if (i, j) == (3, 1) else {
    "tags": None if (i + j) % 5 == 0 else [f"t{k}" for k in range((i + j) % 3)],
    "item": None if j % 7 == 3 else i * j % 11}
pages = pa.table({
    "user": pa.array([i for i in range(USERS)], pa.int32()),
    "seq": pa.array([None if count(i) == 0 and i % 2 else [element(i, j) for j in range(count(i))] for i in range(USERS)],
                    pa.list_(pa.struct([("tags", pa.list_(pa.string())), ("item", pa.int32())]))),
    "note": pa.array([None if i % 9 == 0 else f"n{i}" for i in range(USERS)]),
})
pq.write_table(pages, "pages.parquet", row_group_size=450, data_page_size=300, write_batch_size=64,
               use_dictionary=["user"], compression="zstd")
# Two fields of one name.
twins = pa.StructArray.from_arrays([pa.array([1, 2, 3]), pa.array([4, 5, 6])], names=["x", "x"])
pq.write_table(pa.table({"user": [7, 8], "two": pa.ListArray.from_arrays([0, 1, 3], twins)}), "twins.parquet")

# Pages without values, which pyarrow writes between those of lists with a dictionary.
USERS = 14
gaps = pa.table({
    "user": pa.array(range(USERS), pa.int32()),
    "seq": pa.array([None if i % 7 == 3 else [{"item": i * j % 11, "tag": f"t{(i + j) % 5}"} for j in range(i % 6)]
                     for i in range(USERS)], pa.list_(pa.struct([("item", pa.int32()), ("tag", pa.string())]))),
    "groups": pa.array([[f"g{i * k % 9}" for k in range(i % 5)] for i in range(USERS)])})
pq.write_table(gaps, "gaps.parquet", data_page_size=20, write_batch_size=1, store_schema=False)

# Numbers of values inside of pages, which the test damages: no checksums.
packed = pa.table({"number": pa.array([2000 + 7 * i for i in range(100)]), "text": [f"x{i % 10}" for i in range(100)]})
pq.write_table(packed, "packed.parquet", use_dictionary=False, compression="none", store_schema=False,
               column_encoding={"number": "DELTA_BINARY_PACKED", "text": "DELTA_LENGTH_BYTE_ARRAY"})

# Times of 96 bits beyond the nanoseconds of 64, and large whole floats.
far = pa.array([datetime.datetime(1500, 1, 1), datetime.datetime(9999, 12, 31, 0, 0, 0, 500000)], pa.timestamp("us"))
pq.write_table(pa.table({"when": far, "double": [800000.0, -1e15], "float": pa.array([16777216, 1e20], pa.float32())}),
               "far.parquet", use_deprecated_int96_timestamps=True, store_schema=False, use_dictionary=False)

# Times whose fractions of a second a double does not hold, in 64 bits and in 96.
exact = pa.table({"micro": pa.array([-1, 1500000909925041], pa.timestamp("us")),
                  "nano": pa.array([-1500000000000000001, 1500000000123456789], pa.timestamp("ns"))})
pq.write_table(exact, "exact.parquet", use_dictionary=False)
pq.write_table(exact, "exact96.parquet", use_deprecated_int96_timestamps=True, store_schema=False, use_dictionary=False)

# Decimals in bytes and in integers.
prices = [decimal.Decimal(text) if text else None for text in ["3.50", "-0.05", None, "12345.00", "-123456789012345678.9"]]
money = pa.table({"wide": pa.array([p and p.quantize(decimal.Decimal("0.00001")) for p in prices], pa.decimal128(38, 5)),
                  "long": pa.array([p and p.quantize(decimal.Decimal("0.01")) for p in prices[:4]] + [None],
                                   pa.decimal128(18, 2)),
                  "short": pa.array([None if p is None else p.quantize(decimal.Decimal("0.01")) for p in prices[:4]]
                                    + [None], pa.decimal128(7, 2)),
                  "list": pa.array([[prices[0], prices[3]], [], None, [prices[1]], []], pa.list_(pa.decimal128(9, 2)))})
pq.write_table(money, "decimals.parquet", store_schema=False)
pq.write_table(money, "decimals_int.parquet", store_schema=False, store_decimal_as_integer=True)

# Times of a day, durations, days as milliseconds, decimals of more than 38 digits, and lists of one length.
day = datetime.time(9, 8, 7, 250000)
huge = decimal.Decimal("1234567890123456789012345678901234567890.1250")
clock = pa.table({"seconds": pa.array([day.replace(microsecond=0), None], pa.time32("s")),
                  "milli": pa.array([day, datetime.time(0)], pa.time32("ms")),
                  "micro": pa.array([day, None], pa.time64("us")), "nano": pa.array([day, datetime.time(1)], pa.time64("ns")),
                  "span": pa.array([-1500, None], pa.duration("ms")),
                  "date64": pa.array([86400000, None], pa.date64()),
                  "wide": pa.array([huge, huge.copy_negate()], pa.decimal256(76, 4)),
                  "pair": pa.array([[1, 2], [3, None]], pa.list_(pa.int32(), 2))})
pq.write_table(clock, "clock.parquet")
