#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "io/tables/table_file.hpp"
#include "tests/io/parquet/parquet_support.hpp"
#include "tests/support/peers.hpp"

namespace srcextract {
namespace {

using testing::EveryType;
using testing::no_readers;
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
assert str(t.schema.field('VECTOR').type) == 'fixed_size_list<element: double not null>[3]', t.schema
assert t.schema.field('PICTURE').type.list_size == 6
assert t.schema.field('DOUBLE').metadata == {b'unit': b'deg', b'description': b'What it\'s like: "x"', b'ucd': b'pos.eq.ra'}
assert t.schema.field('PICTURE').metadata[b'shape'] == b'[2, 3]'
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
assert a['VECTOR'].shape == (rows, 3) and a['PICTURE'].shape == (rows, 6)
assert a.meta['creator'] == 'srcextract 1.2.3' and a.meta['config'] == "input:\n  hdu: 'it''s'\n"

import io
from astropy.io import votable
keys = f.metadata.metadata
assert keys[b'IVOA.VOTable-Parquet.version'] == b'1.0'
v = votable.parse(io.BytesIO(keys[b'IVOA.VOTable-Parquet.content']), verify='exception').get_first_table()
assert [field.name for field in v.fields] == t.schema.names and len(v.array) == 0
assert [str(v.get_field_by_id_or_name(n).unit) for n in ('INT', 'FLOAT', 'DOUBLE', 'VECTOR')] == ['pix', 'mag', 'deg', 'ct']
assert v.get_field_by_id_or_name('DOUBLE').ucd == 'pos.eq.ra' and v.get_field_by_id_or_name('PICTURE').arraysize == '6'
empty = v.to_table()
for n in KINDS: assert empty[n].dtype == truth[n].dtype and empty[n].shape == (0, *truth[n].shape[1:]), n
print('equal')
)";

/// Writes tables of 150000 rows in all manners, with dictionaries of many sizes, and their columns as raw bytes, NaN
/// where a number is missing.
constexpr const char* write_large = R"python(
import sys
import numpy as np, pandas as pd, pyarrow as pa, pyarrow.parquet as pq, polars as pl, duckdb, fastparquet
folder, rows = sys.argv[1], 150000
rng = np.random.default_rng(5)
values = {f'D{n}': rng.integers(0, n, rows).astype('f8') for n in (1, 2, 3, 200, 5000, 70000)}
values['I'] = rng.integers(-2**31, 2**31, rows).astype('f8')
values['F'] = rng.normal(size=rows)
holes = {name: rng.random(rows) < 0.1 for name in values}
holes['D3'][:] = False
columns = {}
for name, v in values.items():
    v[holes[name]] = np.nan
    v.tofile(f'{folder}/{name}.bin')
    columns[name] = pa.array(v, pa.float64() if name in ('F', 'D2') else pa.int64(), mask=holes[name])
words = [f'w\u00f6rd{n}' for n in rng.integers(0, 3000, rows)]
open(f'{folder}/S.bin', 'w', encoding='utf8').write('\n'.join(words) + '\n')
columns['S'] = pa.array(words)
table_ = pa.table(columns)
pq.write_table(table_, folder + '/pyarrow', row_group_size=40000, data_page_size=5000)
pq.write_table(table_, folder + '/pyarrow2', data_page_version='2.0', compression='gzip', data_page_size=5000)
pq.write_table(table_, folder + '/plain', use_dictionary=False, compression='zstd')
pl.from_arrow(table_).write_parquet(folder + '/polars')
duckdb.sql(f"copy (from table_) to '{folder}/duckdb' (format parquet)")
fastparquet.write(folder + '/fastparquet', table_.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get))
)python";

TEST(ParquetPeersFiles, AreReadWithTheirDictionaries) {
  SRCEXTRACT_NEEDS_PEER(!parquet_python().empty(), no_readers);
  const TemporaryFolder folder;
  std::ofstream(folder / "write.py") << write_large;
  const auto [status, output] =
      testing::run_command(parquet_python() + " '" + (folder / "write.py") + "' '" + (folder / "") + "'");
  ASSERT_EQ(status, 0) << output;
  for (const char* writer : {"pyarrow", "pyarrow2", "plain", "polars", "duckdb", "fastparquet"}) {
    const TableFile file = open_table(folder / writer);
    ASSERT_EQ(file.columns.size(), 9U) << writer;
    const Table read = read_table(file, {0, 1, 2, 3, 4, 5, 6, 7, 8});
    ASSERT_EQ(read.rows, 150'000) << writer;
    for (const TableColumn& column : read.columns) {
      const std::string raw = testing::read_file(folder / (column.name + ".bin"));
      std::string got;
      std::visit(
          [&]<class T>(const std::vector<T>& values) {
            for (const T& value : values) {
              if constexpr (std::is_same_v<T, std::string>) {
                got += value + "\n";
              } else {
                // A missing number has a NaN of any bits.
                const double number = std::isnan(static_cast<double>(value)) ? std::numeric_limits<double>::quiet_NaN()
                                                                             : static_cast<double>(value);
                got.append(reinterpret_cast<const char*>(&number), sizeof(number));
              }
            }
          },
          column.values);
      EXPECT_TRUE(got == raw) << writer << ", " << column.name;
    }
  }
}

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
  SRCEXTRACT_NEEDS_PEER(!parquet_python().empty(), no_readers);
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
