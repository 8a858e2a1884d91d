#!/usr/bin/env python3
"""Makes tests/fuzz/corpus/table_parquet: the same small table as pyarrow, Polars, DuckDB and fastparquet write it, and files
that are refused. Needs the Python of requirements.txt. What is in the table is in test_table_parquet.cpp."""
import pathlib
import sys

import duckdb
import fastparquet
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

OUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "fuzz/corpus/table_parquet"
NAN = float("nan")

numbers = pa.table({
    "ID": pa.array([1, -2, 3], pa.int64()),
    "WIDE": pa.array([1, 2**62 + 1, -5], pa.int64()),
    "SMALL": pa.array([-1, 0, 7], pa.int16()),
    "U32": pa.array([0, 4294967295, 7], pa.uint32()),
    "U64": pa.array([0, 2**64 - 1, 7], pa.uint64()),
    "FLAG": pa.array([True, False, True]),
    "MAG": pa.array([0.5, NAN, -1.25], pa.float32()),
    "RA": pa.array([0.1, -0.0, 1e300], pa.float64()),
    "NAME": pa.array(["a", "d\u00e9j\u00e0", "a"]),
})
missing = pa.table({
    "N": pa.array([1, None, 3], pa.int32()),
    "F": pa.array([None, 0.5, None], pa.float32()),
    "B": pa.array([None, True, False]),
    "S": pa.array(["x", None, ""]),
    "NONE": pa.array([None, None, None], pa.float64()),
})
vectors = pa.table({
    "FLUX": pa.array([[1.5, 2.5], [3.5, None], [5.5, 6.5]], pa.list_(pa.float64())),
    "K": pa.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], pa.list_(pa.int32(), 3)),
    "LATE": pa.array([[1], [2, 3], []], pa.list_(pa.int32())),
    "DEEP": pa.array([{"a": 1}, {"a": 2}, {"a": 3}]),
    "LAST": pa.array([7, 8, 9], pa.int32()),
})


def repeated(table, times):
    return pa.concat_tables([table] * times)


def make():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, rows_of in ("numbers", numbers), ("missing", missing), ("vectors", vectors):
        path, table = str(OUT / f"{name}_%s.parquet"), rows_of
        pq.write_table(table, path % "pyarrow")
        pq.write_table(table, path % "pyarrow_v2", data_page_version="2.0", compression="zstd")
        pq.write_table(table, path % "pyarrow_plain", use_dictionary=False, compression="none", row_group_size=2)
        pq.write_table(table, path % "pyarrow_gzip", compression="gzip", data_page_size=1, write_batch_size=1)
        duckdb.sql(f"copy (from rows_of) to '{path % 'duckdb'}' (format parquet)")
        pl.from_arrow(table).write_parquet(path % "polars")
        if name != "vectors":
            frame = table.to_pandas(types_mapper={pa.int32(): pd.Int32Dtype(), pa.bool_(): pd.BooleanDtype()}.get)
            fastparquet.write(path % "fastparquet", frame, compression="SNAPPY", write_index=False)
    pq.write_table(numbers, OUT / "refused_brotli.parquet", compression="brotli")
    pq.write_table(numbers, OUT / "refused_delta.parquet", use_dictionary=False, column_encoding={"ID": "DELTA_BINARY_PACKED"})
    pq.write_table(vectors.select(["DEEP"]), OUT / "refused_nested.parquet")
    pq.write_table(numbers.slice(0, 0), OUT / "numbers_empty.parquet")


make()
