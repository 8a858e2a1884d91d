#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/text_table_support.hpp"
#include "tests/support/random_sources.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/vector_columns.hpp"

namespace srcextract {
namespace {

using testing::ascii_head;
using testing::csv;
using testing::dump;
using testing::ecsv;
using ::testing::HasSubstr;
using testing::read_all;
using testing::read_text;
using testing::TemporaryFolder;
using testing::TextFormat;

/// Prints, as dump() does, what Astropy reads. Where a number is missing we have doubles, of bool and int16 int32.
const char* const dump_in_python = R"(
import struct, sys
import numpy as np
from astropy.table import Column, MaskedColumn, Table

def exact(v):
    if isinstance(v, str): return "'" + v + "'"
    if isinstance(v, int): return str(v)
    return 'nan' if v != v else struct.pack('>d', v).hex()

def columns(table):
    for name in table.colnames:
        c = table[name]
        if c.ndim == 1 and c.dtype.kind in 'biufUS': yield name, c, c
        if c.ndim == 1 or c.dtype.kind not in 'biuf': continue
        vectors = c.reshape(len(c), int(np.prod(c.shape[1:])))
        for i in range(vectors.shape[1]): yield name + ('_%d' % i if i else ''), c, vectors[:, i]

def dump(table):
    for name, whole, c in columns(table):
        missing = np.ma.getmaskarray(c) if isinstance(c, MaskedColumn) else np.zeros(len(c), bool)
        values = [None if m else v for v, m in zip(c.tolist(), missing)]
        if c.dtype.kind in 'US':
            kind, values = 'text', ['' if v is None else v for v in values]
        elif c.dtype.kind == 'f' or missing.any() or not values:
            kind = 'float32' if c.dtype == 'f4' and values else 'float64' if c.dtype != 'f4' else 'float32'
            values = [float('nan') if v is None else float(v) for v in values]
        else:
            values = [int(v) for v in values]
            kind = 'int32' if all(abs(v) < 2**31 for v in values) else 'int64'
        unit = '' if whole.unit is None else original_units.get(name) or whole.unit.to_string()
        print(name, unit, whole.info.meta.get('ucd', '') if whole.info.meta else '', (whole.description or '').rstrip(),
              ' '.join([kind, *map(exact, values)]), sep='|')
    print(len(table), 'rows')
original_units = {}
)";

/// What Python prints, which `script` writes after the above; `path` is its argument.
std::string in_astropy(const TemporaryFolder& directory, const std::string& script, const std::string& path) {
  const auto [status, output] = testing::run_python(directory, dump_in_python + script, path);
  EXPECT_EQ(status, 0) << output;
  return output;
}

class AstropysTables : public ::testing::Test {
 protected:
  void SetUp() override { SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy"); }
  TemporaryFolder directory_;
};

/// Columns of every type that Astropy writes, whole and with gaps, and text that needs quotes.
const char* const make_table = R"(
n = 40
random = np.random.default_rng(4)
t = Table()
for dtype in ('i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4'):
    t[dtype] = random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype=dtype, endpoint=True)
t['u8'] = random.integers(0, 2**63, n, dtype='u8')
with np.errstate(all='ignore'):
    t['f8'] = random.integers(0, 2**64, n, dtype='u8').view('f8')
    t['f4'] = random.integers(0, 2**32, n, dtype='u4').view('f4')
t['f8'][:4] = np.nan, np.inf, -np.inf, -0.0
t['flux'] = Column(random.normal(size=n), unit='Jy', description='Flux: "peak", not total', meta={'ucd': 'phot.flux'})
t['text'] = np.resize(['NGC 224', 'a,b', 'say "hi"', "it's", '#1', 'Sérsic', '1.50', '--'], n)
t['number then text'] = np.resize(['1.50', '007', 'M31', '1e5'], n)
for name in ('i4', 'f8', 'f4'):
    t['some ' + name] = MaskedColumn(t[name], mask=random.random(n) < 0.3)
t['some text'] = MaskedColumn(np.resize(['x', 'y y'], n), mask=random.random(n) < 0.3)
)";

TEST_F(AstropysTables, EcsvIsReadAsAstropyDoes) {
  for (const std::string delimiter : {" ", ","}) {
    const std::string path = directory_ / "table.ecsv";
    const std::string expected = in_astropy(directory_,
                                            make_table + std::string(R"(
t['bool'] = random.random(n) < 0.5
t['some bool'] = MaskedColumn(t['bool'], mask=random.random(n) < 0.3)
t['vector'] = random.normal(size=(n, 3))
t['object'] = np.array([{'a': 1}, [1, 2]] * (n // 2), dtype=object)
t['speed'] = Column(random.normal(size=n), unit='km/s')
t['tabs'] = np.resize(['a\tb', 'x', 'a\t', '\tb'], n)
t.write(sys.argv[1], format='ascii.ecsv', overwrite=True, delimiter=')") +
                                                delimiter + R"(')
dump(Table.read(sys.argv[1], format='ascii.ecsv'))
)",
                                            path);
    EXPECT_THAT(expected, HasSubstr("flux|Jy|phot.flux|Flux: \"peak\", not total|float64"));
    EXPECT_EQ(dump(read_all(ecsv, path)), expected);
  }
}

TEST_F(AstropysTables, VectorsAreReadAsAstropyHasThem) {
  const std::string path = directory_ / "vectors.ecsv";
  const std::string expected = in_astropy(directory_, R"(
t = Table({'f': np.array([[1.5, np.nan], [np.inf, -1e300], [0.1, 7]]), 'e': np.arange(12, dtype='f4').reshape(3, 4) / 3,
           'b': np.array([[True, False], [False, True], [True, True]]), 'i': np.array([[2**62, 1], [2, 3], [4, -5]])})
t['f'].unit = 'count'
t['f'].description = 'light'
t.write(sys.argv[1], format='ascii.ecsv')
dump(t)
)",
                                          path);
  EXPECT_THAT(expected, HasSubstr("f_1|ct||light|float64 nan "));
  EXPECT_EQ(dump(read_all(ecsv, path)), expected);
}

TEST_F(AstropysTables, CoordinatesAndTimesAreTheirColumns) {
  const std::string path = directory_ / "sky.ecsv";
  const std::string expected = in_astropy(directory_, R"(
from astropy import units as u
from astropy.coordinates import SkyCoord
from astropy.table import QTable
from astropy.time import Time
t = QTable({'sky': SkyCoord([10, 20.5] * u.deg, [-30, 40.25] * u.deg), 'when': Time([51544.5, 60000], format='mjd'),
            'size': [1, 2] * u.arcsec})
t.write(sys.argv[1])
print(*(f'{name}|{unit}' for name, unit in (('sky.ra', 'deg'), ('sky.dec', 'deg'), ('size', 'arcsec'))))
)",
                                          path);
  const Table table = read_all(ecsv, path);
  const std::string dumped = dump(table);
  EXPECT_THAT(expected, HasSubstr("sky.ra|deg sky.dec|deg size|arcsec"));
  EXPECT_THAT(dumped, HasSubstr("sky.ra|deg|||" + dump(ColumnValues(std::vector<double>{10, 20.5})) + "\n"));
  EXPECT_THAT(dumped, HasSubstr("sky.dec|deg|||" + dump(ColumnValues(std::vector<double>{-30, 40.25})) + "\n"));
  EXPECT_THAT(dumped, HasSubstr("size|arcsec|||" + dump(ColumnValues(std::vector<double>{1, 2})) + "\n"));
}

TEST_F(AstropysTables, CsvIsReadAsAstropyDoes) {
  const std::string path = directory_ / "table.csv";
  const std::string expected = in_astropy(directory_, make_table + std::string(R"(
t.remove_columns(['f4', 'some f4', 'u8'])  # CSV does not say that they are narrow
t['text'][t['text'] == '--'] = 'x'
t.write(sys.argv[1], format='ascii.csv')
dump(Table.read(sys.argv[1], format='ascii.csv'))
)"),
                                          path);
  EXPECT_THAT(expected, HasSubstr("'007' 'M31' '1e5'"));
  EXPECT_EQ(dump(read_all(csv, path)), expected);
}

TEST_F(AstropysTables, GzippedOnesAreTheSame) {
  const std::string path = directory_ / "table.ecsv.gz";
  const std::string expected = in_astropy(directory_, make_table + std::string(R"(
import gzip, io
text = io.StringIO()
t.write(text, format='ascii.ecsv')
with gzip.open(sys.argv[1], 'wt', encoding='utf-8') as file: file.write(text.getvalue())
dump(t)
)"),
                                          path);
  EXPECT_EQ(dump(read_all(ecsv, path)), expected);
}

TEST_F(AstropysTables, ZeroRowsAreAResult) {
  const std::string path = directory_ / "empty.ecsv";
  in_astropy(directory_, "Table({'a': np.zeros(0, int), 'b': np.zeros(0, str)}).write(sys.argv[1])\n", path);
  EXPECT_EQ(dump(read_all(ecsv, path)), "a||||float64\nb||||text\n0 rows\n");
  EXPECT_EQ(dump(read_text(csv, "a,b\n")), "a||||float64\nb||||float64\n0 rows\n");
  EXPECT_EQ(dump(read_text(ascii_head, "#   1 NUMBER  Running object number\n#   2 X_IMAGE  x  [pixel]\n")),
            "NUMBER|||Running object number|float64\nX_IMAGE|pixel||x|float64\n0 rows\n");
}

TEST_F(AstropysTables, TheTruthOfTheSkyThatComesWithSrcextract) {
  const std::string path = testing::source_file("data/sky_truth.ecsv");
  EXPECT_EQ(dump(read_all(ecsv, path)),
            in_astropy(directory_, "dump(Table.read(sys.argv[1], format='ascii.ecsv'))\n", path));
}

TEST_F(AstropysTables, SextractorsCatalogueIsReadAsAstropyDoes) {
  SRCEXTRACT_NEEDS_PEER(testing::have_source_extractor(), "no source-extractor");
  directory_.write("columns", "NUMBER\nX_IMAGE\nFLUX_APER(3)\nALPHA_J2000\nX2_IMAGE\nFLAGS\nFLUX_RADIUS(2)\n");
  const std::string path = directory_ / "sky.cat";
  const std::string command =
      "source-extractor '" + testing::source_file("data/sky.fits") + "' -c /dev/null -FILTER N -VERBOSE_TYPE QUIET" +
      " -CATALOG_TYPE ASCII_HEAD -PHOT_APERTURES 3,5,7 -PHOT_FLUXFRAC 0.2,0.5 -PARAMETERS_NAME '" +
      (directory_ / "columns") + "' -CATALOG_NAME '" + path + "'";
  const auto [status, output] = testing::run_command(command);
  ASSERT_EQ(status, 0) << output;
  const std::string expected = in_astropy(directory_, R"(
original_units = {'X2_IMAGE': 'pixel**2', 'X_IMAGE': 'pixel', 'FLUX_RADIUS': 'pixel', 'FLUX_RADIUS_1': 'pixel',
                  'FLUX_APER': 'count', 'FLUX_APER_1': 'count', 'FLUX_APER_2': 'count'}
dump(Table.read(sys.argv[1], format='ascii.sextractor'))
)",
                                          path);
  EXPECT_THAT(expected, HasSubstr("FLUX_APER_2|count||Flux vector within fixed circular aperture(s)|float64 "));
  EXPECT_EQ(dump(read_all(ascii_head, path)), expected);
}

TEST(TextTablesTest, CutoutsOfSextractorAreLeftOut) {
  const std::string head = "#   1 NUMBER  Running object number\n#   2 VIGNET  Pixel data  [count]\n#   6 FLAGS\n";
  EXPECT_EQ(dump(read_text(ascii_head, head + "1 10 20 30 40 5\n")),
            "NUMBER|||Running object number|int32 1\nFLAGS||||int32 5\n1 rows\n");
  EXPECT_EQ(dump(read_text(ascii_head, "# 1 NUMBER\n# 2 VIGNET\n7 10 20 30 40\n")), "NUMBER||||int32 7\n1 rows\n");
  EXPECT_THROW(read_text(ascii_head, "# 1 VIGNET\n10 20 30 40\n"), Error);
}

TEST(TextTablesTest, VectorsOfSextractorAreTheGapsInItsNumbering) {
  const Table table = read_text(ascii_head,
                                "#   1 NUMBER       Running object number\n"
                                "#   2 FLUX_APER    Flux vector within [fixed] aperture(s)   [count]\n"
                                "# a remark\n"
                                "#   5 FLUX_RADIUS  Fraction-of-light radii                  [pixel]\n"
                                "\n"
                                "    1   10.5 20.5\t30.5  1 2\r\n"
                                "    2   11.5 21.5  31.5  3 4");
  EXPECT_EQ(dump(table),
            "NUMBER|||Running object number|int32 1 2\n"
            "FLUX_APER|count||Flux vector within [fixed] aperture(s)|float64 4025000000000000 4027000000000000\n"
            "FLUX_APER_1|count||Flux vector within [fixed] aperture(s)|float64 4034800000000000 4035800000000000\n"
            "FLUX_APER_2|count||Flux vector within [fixed] aperture(s)|float64 403e800000000000 403f800000000000\n"
            "FLUX_RADIUS|pixel||Fraction-of-light radii|int32 1 3\n"
            "FLUX_RADIUS_1|pixel||Fraction-of-light radii|int32 2 4\n"
            "2 rows\n");
}

TEST(TextTablesTest, CsvIsThatOfRfc4180) {
  EXPECT_EQ(dump(read_text(csv,
                           "\xef\xbb\xbf# made today\r\n\r\n a ,\"b \"\"c\"\"\",,d\r\n"
                           " 1 ,\" x, y \",\"p\r\nq\",\r\n"
                           "\"2\" , it's \"so\" ,\"\"\"\", 5\r\n\r\n"
                           "3,,\"\n\n\",\"6\"")),
            "a||||int32 1 2 3\n"
            "b \"c\"||||text ' x, y ' 'it's \"so\"' ''\n"
            "col3||||text 'p\r\nq' '\"' '\n\n'\n"
            "d||||float64 nan 4014000000000000 4018000000000000\n"
            "3 rows\n");
}

TEST(TextTablesTest, ColumnsThatAreNoNumbersAndNoTextAreLeftOut) {
  EXPECT_EQ(dump(read_text(ecsv,
                           "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n"
                           "# - {name: a, datatype: complex128}\n"
                           "# - {name: b, datatype: int8, unit: !astropy.units.Unit {unit: deg}}\n"
                           "# - {name: c, datatype: string, subtype: 'float64[2,null]'}\n"
                           "# - {name: d, datatype: string, meta: !!omap [{x: 1}, {ucd: meta.id}]}\n"
                           "a,b,c,d\n1+2j,7,\"[1,2]\",x\n# a remark\n3j,,,\"\"\n")),
            "b|deg|||float64 401c000000000000 nan\nd||meta.id||text 'x' ''\n2 rows\n");
}

TEST(TextTablesTest, VectorsOfEcsvAreAColumnForEachElementButThoseOfPictures) {
  const std::string header =
      "# %ECSV 1.0\n# ---\n# datatype:\n"
      "# - {name: F, unit: count, datatype: string, subtype: 'float64[3]', description: light}\n"
      "# - {name: n, datatype: string, subtype: 'int32[4]'}\n"
      "# - {name: VIGNET, datatype: string, subtype: 'float32[2,2]'}\n"
      "F n VIGNET\n";
  EXPECT_EQ(
      dump(read_text(ecsv, header + "[1,2.5,NaN] [1,2,3,null] [[1,2],[3,4]]\n\"[-Infinity, 1e+300 ,null]\" \"\" x\n")),
      "F|count||light|float64 3ff0000000000000 fff0000000000000\n"
      "F_1|count||light|float64 4004000000000000 7e37e43c8800759c\n"
      "F_2|count||light|float64 nan nan\n"
      "n||||float64 3ff0000000000000 nan\nn_1||||float64 4000000000000000 nan\n"
      "n_2||||float64 4008000000000000 nan\nn_3||||float64 nan nan\n2 rows\n");
  TemporaryFolder directory;
  const TableFile file = ecsv.open(directory.write("table", header + "[1,2,3] [1,2,3,4] x\n"));
  EXPECT_EQ(dump(ecsv.read(file, {4, 2, 4})),
            "n_1||||int32 2\nF_2|count||light|float64 4008000000000000\nn_1||||int32 2\n1 rows\n");
}

TEST(TextTablesTest, IntegersBeyond64BitsAreText) {
  const std::string rows = "a\n1\n18446744073709551615\n\n";
  const std::string expected = "a||||text '1' '18446744073709551615'\n2 rows\n";
  EXPECT_EQ(dump(read_text(csv, rows)), expected);
  EXPECT_EQ(dump(read_text(ecsv, "# %ECSV 1.0\n# ---\n# datatype: [{name: a, datatype: uint64}]\n" + rows)), expected);
}

TEST(TextTablesTest, ColumnsComeInTheOrderTheyAreAskedFor) {
  TemporaryFolder directory;
  const TableFile file = csv.open(directory.write("table", "a,b,c,d\n1,2,x,4\n5,6,7,y\n"));
  EXPECT_EQ(dump(csv.read(file, {3, 0, 2})), "d||||text '4' 'y'\na||||int32 1 5\nc||||text 'x' '7'\n2 rows\n");
  EXPECT_EQ(dump(csv.read(file, {})), "2 rows\n");
}

TEST(TextTablesTest, LinesMayBeLongerThanAPieceOfTheFile) {
  const std::string text(3'000'001, 'x');
  std::string file = "a,b\n", expected_b = "text";
  for (int i = 0; i < 5; ++i) {
    file += std::to_string(i) + ",\"" + text + "\n" + text + "\"\n";
    expected_b += " '" + text + "\n" + text + "'";
  }
  EXPECT_TRUE(dump(read_text(csv, file)) == "a||||int32 0 1 2 3 4\nb||||" + expected_b + "\n5 rows\n");
}

TEST(TextTablesTest, ManyRowsAcrossPiecesOfTheFile) {
  std::string text = "number,half,name\n";
  std::vector<std::int32_t> number;
  std::vector<double> half;
  std::vector<std::string> name;
  for (std::int32_t i = 0; i < 200'000; ++i) {
    number.push_back(i);
    half.push_back(i / 2.0);
    name.push_back("s" + std::to_string(i));
    text += std::to_string(i) + "," + std::to_string(i / 2) + (i % 2 ? ".5," : ".0,") + name.back() + "\n";
  }
  const Table table = read_text(csv, text);
  ASSERT_EQ(table.rows, 200'000);
  EXPECT_TRUE(table.columns[0].values == ColumnValues(number));
  EXPECT_TRUE(table.columns[1].values == ColumnValues(half));
  EXPECT_TRUE(table.columns[2].values == ColumnValues(name));
}

TEST(TextTablesTest, ManyColumns) {
  constexpr int count = 100'000;
  std::string names, row, csv_header, head, yaml = "# %ECSV 1.0\n# ---\n# datatype:\n";
  for (int i = 1; i <= count; ++i) {
    const std::string name = "c" + std::to_string(i);
    names += name + (i < count ? "," : "\n");
    row += std::to_string(i) + (i < count ? "," : "\n");
    head += "# " + std::to_string(i) + " " + name + "\n";
    yaml += "# - {name: " + name + ", datatype: int32}\n";
  }
  std::string blanks = row;
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  const std::string expected = dump(read_text(csv, names + row));
  EXPECT_THAT(expected, HasSubstr("\nc100000||||int32 100000\n1 rows\n"));
  EXPECT_TRUE(dump(read_text(ecsv, yaml + "# delimiter: ','\n" + names + row)) == expected);
  EXPECT_TRUE(dump(read_text(ascii_head, head + blanks)) == expected);
}

TEST(TextTablesTest, OurOwnCataloguesComeBackToTheBit) {
  TemporaryFolder directory;
  Sources sources = testing::random_sources(3000, true, 3000);
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  testing::add_vector_columns<std::int64_t>(sources, "COUNT", 2, 2);
  for (const TextFormat& format : {csv, ecsv, ascii_head}) {
    const CatalogFormat catalog_format = format.format == TableFormat::csv    ? CatalogFormat::csv
                                         : format.format == TableFormat::ecsv ? CatalogFormat::ecsv
                                                                              : CatalogFormat::ascii_head;
    const std::string path = directory / format.name;
    write_catalog(path, catalog_format, sources, {"1.2.3", "input:\n  hdu: it's\n"}, Cpu{1}).commit();
    const Table table = read_all(format, path);
    std::size_t i = 0;
    for_each_column(sources, [&]<class T>(const Column& column, const std::vector<T>& values) {
      ASSERT_LT(i, table.columns.size());
      const TableColumn& read = table.columns[i++];
      EXPECT_EQ(read.name, column.name);
      if (catalog_format == CatalogFormat::ecsv) {
        EXPECT_EQ(read.ucd, column.ucd);
      }
      if (catalog_format != CatalogFormat::csv) {
        EXPECT_EQ(read.description, column.description);
      }
      using Wide = std::conditional_t<std::is_same_v<T, std::int16_t>, std::int32_t, T>;
      const ColumnValues expected = std::vector<Wide>(values.begin(), values.end());
      EXPECT_TRUE(dump(read.values) == dump(expected)) << column.name << " of " << format.name;
    });
    EXPECT_EQ(i, table.columns.size());
  }
}

}  // namespace
}  // namespace srcextract
