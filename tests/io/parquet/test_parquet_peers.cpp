#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/io/parquet/parquet_support.hpp"

namespace srcextract {
namespace {

using testing::EveryType;
using testing::parquet_python;
using testing::TemporaryFolder;
using testing::write_parquet;

/// Holds what each program reads of t.parquet against the raw bytes of the columns. Arguments: the folder, the rows.
constexpr const char* hold_peers = R"(
import sys, warnings
import numpy as np
folder, rows = sys.argv[1], int(sys.argv[2])
path = folder + '/t.parquet'
KINDS = {'SHORT': 'i2', 'INT': 'i4', 'LONG': 'i8', 'FLOAT': 'f4', 'DOUBLE': 'f8', 'VECTOR': 'f8', 'PICTURE': 'f4'}
SHAPES = {'VECTOR': 3, 'PICTURE': 6}
truth = {}
for name, kind in KINDS.items():
    truth[name] = np.fromfile(f'{folder}/{name}.bin', kind).reshape([rows] + ([SHAPES[name]] if name in SHAPES else []))
truth['TEXT'] = open(f'{folder}/TEXT.bin', encoding='utf8', newline='\n').read().split('\n')[:-1]

def hold(who, name, values, typed=True):
    if name == 'TEXT':
        assert [str(v) for v in values] == truth[name], (who, name)
        return
    if name in SHAPES:
        values = np.array([np.asarray(v) for v in values], KINDS[name]).reshape(truth[name].shape)
    values = np.ascontiguousarray(values)
    if typed:
        assert values.dtype == truth[name].dtype, (who, name, values.dtype)
    assert values.astype(truth[name].dtype).tobytes() == truth[name].tobytes(), (who, name)

import pyarrow as pa, pyarrow.parquet as pq
f = pq.ParquetFile(path)
t = f.read()
assert f.metadata.num_rows == rows == t.num_rows
assert f.metadata.created_by == 'srcextract version 1.2.3'
assert t.schema.names == [*KINDS, 'TEXT']
assert [str(t.schema.field(n).type) for n in ('SHORT', 'INT', 'LONG', 'FLOAT', 'DOUBLE', 'TEXT')] == \
    ['int16', 'int32', 'int64', 'float', 'double', 'string'], t.schema
for n in t.schema.names:
    assert t[n].null_count == 0 and not t.schema.field(n).nullable, n
    hold('pyarrow', n, t[n].to_pylist() if n == 'TEXT' else t[n].to_numpy())
for g in range(f.metadata.num_row_groups):
    group = f.metadata.row_group(g)
    for c in range(group.num_columns):
        column = group.column(c)
        s = column.statistics
        part = f.read_row_group(g, [column.path_in_schema.split('.')[0]]).column(0)
        if column.path_in_schema.startswith(('VECTOR', 'PICTURE')): part = part.combine_chunks().flatten()
        values = np.array(part.to_pylist())
        if values.dtype.kind == 'f' and np.isnan(values).any():
            assert not s.has_min_max, column
        else:
            assert s.has_min_max and s.null_count == 0, column
            assert s.min == min(values, key=lambda v: v.encode() if isinstance(v, str) else v), column
            assert s.max == max(values, key=lambda v: v.encode() if isinstance(v, str) else v), column

import duckdb
r = duckdb.sql(f"select * from '{path}'")
assert r.columns == t.schema.names
assert [str(x) for x in r.types] == ['SMALLINT', 'INTEGER', 'BIGINT', 'FLOAT', 'DOUBLE', 'DOUBLE[]', 'FLOAT[]', 'VARCHAR'], r.types
found = r.fetchnumpy()
for n in r.columns:
    assert not np.ma.getmaskarray(np.ma.asarray(found[n])).any(), n
    hold('duckdb', n, np.ma.getdata(found[n]))

import polars as pl
p = pl.read_parquet(path)
for n in p.columns:
    assert p[n].null_count() == 0
    hold('polars', n, p[n].to_list() if n in ('TEXT', *SHAPES) else p[n].to_numpy())

import fastparquet
if rows > 0:
    q = fastparquet.ParquetFile(path).to_pandas()
    for n in q.columns:
        hold('fastparquet', n.split('.')[0], list(q[n]) if n in ('TEXT', *SHAPES) else q[n].to_numpy())

from astropy.table import Table
a = Table.read(path)
for n in a.colnames: hold('astropy', n, a[n], n not in SHAPES)
assert [str(a[n].unit) for n in ('INT', 'FLOAT', 'DOUBLE', 'VECTOR')] == ['pix', 'mag', 'deg', 'ct']
assert a['DOUBLE'].description == 'What it\'s like: "x"' and a['DOUBLE'].meta['ucd'] == 'pos.eq.ra'
assert a.meta['creator'] == 'srcextract 1.2.3' and a.meta['config'] == "input:\n  hdu: 'it''s'\n"
print('equal')
)";

struct Case {
  std::size_t rows;
  ParquetCompression compression;
};

class ParquetPeers : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ParquetPeers,
                         ::testing::Values(Case{0, ParquetCompression::none}, Case{1, ParquetCompression::none},
                                           Case{100, ParquetCompression::zstd}, Case{140'000, ParquetCompression::none},
                                           Case{140'000, ParquetCompression::zstd}),
                         [](const auto& test) {
                           return std::to_string(test.param.rows) +
                                  (test.param.compression == ParquetCompression::none ? "" : "Zstd");
                         });

TEST_P(ParquetPeers, EveryProgramReadsEveryBit) {
  if (parquet_python().empty())
    GTEST_SKIP() << "SRCEXTRACT_PARQUET_PYTHON names no Python that has tests/io/parquet/requirements.txt";
  const TemporaryFolder folder;
  const EveryType table(GetParam().rows);
  write_parquet(folder / "t.parquet", table, 70'001, GetParam().compression, 2);
  table.write_raw(folder);
  std::ofstream(folder / "hold.py") << hold_peers;
  const auto [status, output] = testing::run_command(parquet_python() + " '" + (folder / "hold.py") + "' '" +
                                                     (folder / "") + "' " + std::to_string(GetParam().rows));
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, ::testing::HasSubstr("equal"));
}

}  // namespace
}  // namespace srcextract
