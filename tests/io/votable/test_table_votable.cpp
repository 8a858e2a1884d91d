#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/votable_files.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract {
namespace {

using testing::binary;
using ::testing::ElementsAre;
using testing::field;
using ::testing::HasSubstr;
using testing::open_votable;
using testing::problem;
using testing::read_all;
using testing::tabledata;
using testing::TemporaryFolder;
using testing::values;
using testing::votable;

// --- what others write ----------------------------------------------------------------------------------------------

/// For every column of one dimension that astropy.io.votable finds in a file: name, unit, UCD, description, and the
/// values: what is masked is nan, or empty text.
const char* const dump_with_astropy = R"(
def dump(path):
    import warnings
    warnings.simplefilter('ignore')
    import numpy as np
    from astropy.io.votable import parse
    table = parse(path).get_first_table()
    print('rows', len(table.array))
    for f in table.fields:
        a = table.array[f.name if f.name in table.array.dtype.names else f.ID]
        if a.dtype.kind == 'c' or a.ndim > 2 or (a.dtype.kind == 'O' and f.datatype not in ('char', 'unicodeChar')):
            continue
        text = f.datatype in ('char', 'unicodeChar')
        for k in range(1 if a.ndim == 1 else a.shape[1]):
            c = a if a.ndim == 1 else a[:, k]
            m = np.ma.getmaskarray(c)
            print('column', f.name + (f'_{k}' if k else ''), str(f.unit or "") or "-", f.ucd or '-',
                  'text' if text else 'number', (f.description or '-') if k == 0 else '-', sep='\t')
            for v, masked in zip(c.data, m):
                if text:
                    print('' if masked else str(v))
                else:
                    print('nan' if masked else repr(int(v)) if c.dtype.kind in 'biu' else
                          str(v) if c.dtype == np.float32 else repr(float(v)))
)";

/// That the file has just the columns and values of the dump.
void expect_same(const Table& table, const std::string& dump) {
  std::istringstream lines(dump);
  std::string line;
  const auto next = [&] { return static_cast<bool>(std::getline(lines, line)); };
  ASSERT_TRUE(next());
  ASSERT_EQ(line, "rows " + std::to_string(table.rows)) << dump;
  for (const TableColumn& column : table.columns) {
    ASSERT_TRUE(next());
    const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
    const bool text = std::holds_alternative<std::vector<std::string>>(column.values);
    ASSERT_EQ(line, "column\t" + column.name + "\t" + or_dash(column.unit) + "\t" + or_dash(column.ucd) + "\t" +
                        (text ? "text" : "number") + "\t" + or_dash(column.description));
    std::visit(
        [&]<class T>(const std::vector<T>& found) {
          ASSERT_EQ(static_cast<std::int64_t>(found.size()), table.rows);
          for (std::size_t row = 0; row < found.size(); ++row) {
            ASSERT_TRUE(next());
            if constexpr (std::is_same_v<T, std::string>) {
              ASSERT_EQ(found[row], line) << column.name << ", row " << row;
            } else {
              T expected{};
              const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), expected);
              ASSERT_EQ(error, std::errc()) << column.name << ", row " << row << ": " << line;
              ASSERT_EQ(*end, '\0') << column.name << ", row " << row << ": " << line;
              ASSERT_TRUE(found[row] == expected || (found[row] != found[row] && expected != expected))
                  << column.name << ", row " << row << ": " << +found[row] << " is not " << line;
            }
          }
        },
        column.values);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_FALSE(next()) << line;
}

/// Writes a VOTable of every datatype, as its third argument says, into sys.argv[1], and dumps it.
const std::string every_type = std::string(dump_with_astropy) + R"(
import sys, warnings
warnings.simplefilter('ignore')
import numpy as np
from astropy.io.votable.tree import VOTableFile, Resource, Table, Field, Values
path, kind = sys.argv[1].rsplit('.', 1)[0], sys.argv[1].rsplit('.', 1)[1]
f = VOTableFile(version='1.4')
r = Resource(); f.resources.append(r)
t = Table(f); r.tables.append(t)
columns = [('yes', 'boolean', None), ('one_bit', 'bit', None), ('byte', 'unsignedByte', None), ('i2', 'short', None),
           ('i4', 'int', None), ('i8', 'long', None), ('letter', 'char', None), ('fixed', 'char', '10'),
           ('any', 'char', '*'), ('most', 'char', '10*'), ('ufixed', 'unicodeChar', '8'), ('uany', 'unicodeChar', '*'),
           ('f4', 'float', None), ('f8', 'double', None), ('c8', 'floatComplex', None), ('c16', 'doubleComplex', None),
           ('f4x3', 'float', '3'), ('i2x2', 'short', '2'), ('many', 'float', '*'), ('square', 'double', '2x2'),
           ('bits', 'bit', '13'), ('flags', 'boolean', '2'), ('last', 'double', None)]
for name, datatype, size in columns:
    field = Field(f, name=name, ID=name, datatype=datatype, arraysize=size)
    if name in ('byte', 'i2', 'i4', 'i8'):
        field.values = Values(f, field, null='200' if name == 'byte' else '-99')
    t.fields.append(field)
t.fields[13].unit, t.fields[13].ucd = 'deg', 'pos.eq.ra;meta.main'
t.fields[13].description = 'Right ascension,\n   <J2000> & good'
n = 700
t.create_arrays(n)
g = np.random.default_rng(3)
for k, (name, datatype, size) in enumerate(columns):
    a = t.array[name]
    for i in range(n):
        if datatype in ('char', 'unicodeChar'):
            letters = 'abc XYZ<&"' + ('é λ' if datatype == 'unicodeChar' else '')
            length = 1 if size is None else g.integers(1, 9)
            v = ''.join(g.choice(list(letters), length)).strip() or 'x'
        elif datatype in ('boolean', 'bit'):
            v = g.integers(0, 2, a.shape[1:]).astype(bool) if size else bool(g.integers(0, 2))
        elif datatype in ('float', 'double', 'floatComplex', 'doubleComplex'):
            v = g.normal(0, 1, a.shape[1:]) * 10.0 ** g.integers(-30, 30)
            if size == '*':
                v = np.ma.array(g.normal(0, 1, i % 5), 'f4', mask=np.zeros(i % 5, bool))
        else:
            limits = np.iinfo(a.dtype)
            v = g.integers(limits.min + 1, limits.max, a.shape[1:], dtype='i8') >> (12 if name == 'i8' else 0)
        (t.array.data if name == 'many' else t.array)[name][i] = v
    if datatype not in ('bit', 'floatComplex', 'doubleComplex') and size is None:
        t.array.mask[name][g.integers(0, n, 20)] = True
t.array['f8'][:4] = [np.inf, -np.inf, np.nan, 5e-324]
f.to_xml(path + '.' + kind, tabledata_format=kind)
dump(path + '.' + kind)
)";

class VotableOfAstropy : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Serialisations, VotableOfAstropy, ::testing::Values("tabledata", "binary", "binary2"),
                         [](const auto& test) { return test.param; });

TEST_P(VotableOfAstropy, IsReadAsAstropyReadsIt) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  TemporaryFolder directory;
  const std::string path = directory / ("t." + GetParam());
  const auto [status, dump] = testing::run_python(directory, every_type, path);
  ASSERT_EQ(status, 0) << dump;
  const Table table = read_all(path);
  EXPECT_EQ(table.columns.size(), 15u + 3 + 2 + 13 + 2);
  expect_same(table, dump);
}

/// Writes a catalogue of the committed image with these parameters.
void run_sextractor(const TemporaryFolder& directory, const std::string& parameters, const std::string& type,
                    const std::string& path) {
  directory.write("sex.param", parameters);
  const auto [status, log] = testing::run_command(
      "cd '" + directory.string() + "' && source-extractor -dd > sex.conf && source-extractor '" +
      testing::source_file("data/sky.fits") + "' -c sex.conf -CATALOG_TYPE " + type + " -CATALOG_NAME '" + path +
      "' -PARAMETERS_NAME sex.param -FILTER N -PHOT_APERTURES 3,5,9 -VERBOSE_TYPE QUIET");
  ASSERT_EQ(status, 0) << log;
}

class VotableOfSextractor : public ::testing::Test {
 protected:
  void SetUp() override {
    SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
    SRCEXTRACT_NEEDS_PEER(testing::have_source_extractor(), "no source-extractor");
  }
  std::vector<std::string> names(const Table& table) {
    std::vector<std::string> found;
    for (const TableColumn& column : table.columns) found.push_back(column.name);
    return found;
  }

  TemporaryFolder directory_;
};

TEST_F(VotableOfSextractor, IsReadAsAstropyReadsIt) {
  const std::string path = directory_ / "sky.vot";
  run_sextractor(directory_, "NUMBER\nX_IMAGE\nALPHA_J2000\nMAG_ISO\nFLAGS\nNITER_WIN\n", "ASCII_VOTABLE", path);
  const Table table = read_all(path);
  EXPECT_GT(table.rows, 100);
  EXPECT_THAT(names(table), ElementsAre("NUMBER", "X_IMAGE", "ALPHA_J2000", "MAG_ISO", "FLAGS", "NITER_WIN"));
  const auto [astropy, dump] =
      testing::run_python(directory_, std::string(dump_with_astropy) + "import sys\ndump(sys.argv[1])\n", path);
  ASSERT_EQ(astropy, 0) << dump;
  expect_same(table, dump);
}

// SExtractor declares FLUX_APER as one number, and astropy.io.votable then finds none. Its FITS table is right.
TEST_F(VotableOfSextractor, HasItsVectorsAsTheFitsTableHasThem) {
  const std::string parameters = "NUMBER\nFLUX_APER(3)\nVIGNET(3,3)\nFLUX_ISO\n";
  run_sextractor(directory_, parameters, "ASCII_VOTABLE", directory_ / "sky.vot");
  run_sextractor(directory_, parameters, "FITS_1.0", directory_ / "sky.fits");
  const Table table = read_all(directory_ / "sky.vot");
  ASSERT_THAT(names(table), ElementsAre("NUMBER", "FLUX_APER", "FLUX_APER_1", "FLUX_APER_2", "FLUX_ISO"));
  const auto [status, dump] = testing::run_python(directory_, R"(
import sys
from astropy.table import Table
for row in Table.read(sys.argv[1], hdu=1):
    print(*row['FLUX_APER'])
)",
                                                  directory_ / "sky.fits");
  ASSERT_EQ(status, 0) << dump;
  std::istringstream expected(dump);
  for (std::size_t row = 0; row < static_cast<std::size_t>(table.rows); ++row) {
    for (std::size_t column = 1; column <= 3; ++column) {
      double flux = 0;
      ASSERT_TRUE(expected >> flux);
      EXPECT_NEAR(values<float>(table, column)[row], flux, 1e-6 * std::abs(flux));  // seven digits are written
    }
  }
}

// --- what a file may say --------------------------------------------------------------------------------------------

/// All that is in one column of numbers.
std::vector<double> numbers(const std::string& fields, const std::string& data) {
  TemporaryFolder directory;
  const Table table = read_all(directory.write("t.vot", votable(fields, data)));
  return std::visit(
      []<class T>(const std::vector<T>& found) {
        if constexpr (std::is_same_v<T, std::string>) {
          return std::vector<double>();
        } else {
          return std::vector<double>(found.begin(), found.end());
        }
      },
      table.columns.at(0).values);
}

std::string cells(const std::vector<std::string>& texts) {
  std::string rows;
  for (const std::string& text : texts) rows += "<TR><TD>" + text + "</TD></TR>\n";
  return tabledata(rows);
}

const auto is_missing = ::testing::IsNan();

TEST(VotableTest, NumbersAreWrittenAsTheStandardAllows) {
  EXPECT_THAT(numbers(field("a", "int"), cells({"1", " -2\n", "+3", "0xFf", "-0x10", "2147483647"})),
              ElementsAre(1, -2, 3, 255, -16, 2147483647));
  EXPECT_THAT(numbers(field("a", "long"), cells({"9007199254740993"})), ElementsAre(9007199254740993.0));
  EXPECT_THAT(numbers(field("a", "double"), cells({"1e3", "+.5", "-Inf", "NaN", "", "1e400", "1e-400"})),
              ElementsAre(1000, 0.5, -INFINITY, is_missing, is_missing, INFINITY, 0));
  EXPECT_THAT(numbers(field("a", "boolean"), cells({"T", "false", "1", "?", "", "TRUE"})),
              ElementsAre(1, 0, 1, is_missing, is_missing, 1));
  EXPECT_THAT(numbers("<FIELD name='a' datatype='short'><VALUES null='-1'/></FIELD>", cells({"1", "-1", "", "NaN"})),
              ElementsAre(1, is_missing, is_missing, is_missing));
  EXPECT_THAT(numbers("<FIELD name='a' datatype='unsignedByte'><VALUES null='-1'/></FIELD>", cells({"255", "-1"})),
              ElementsAre(255, is_missing));
}

TEST(VotableTest, TheTypeOfAColumnIsTheDeclaredOne) {
  TemporaryFolder directory;
  const Table table = read_all(directory.write(
      "t.vot",
      votable(field("a", "float") + field("b", "char", "arraysize='*'") + field("c", "long") + field("d", "bit"),
              tabledata("<TR><TD>0.1</TD><TD>12 </TD><TD>5000000000</TD><TD>1</TD></TR>"))));
  EXPECT_THAT(values<float>(table, 0), ElementsAre(0.1F));
  EXPECT_THAT(values<std::string>(table, 1), ElementsAre("12 "));
  EXPECT_THAT(values<std::int64_t>(table, 2), ElementsAre(5'000'000'000));
  EXPECT_THAT(values<std::int32_t>(table, 3), ElementsAre(1));
}

TEST(VotableTest, TheHeaderSaysWhatTheColumnsAre) {
  TemporaryFolder directory;
  const std::string fields =
      "<DESCRIPTION>not of a FIELD</DESCRIPTION><GROUP><FIELDref ref='x'/></GROUP>"
      "<PARAM name='p' datatype='int' value='1'><VALUES null='7'/></PARAM>"
      "<FIELD ID='x' datatype='int' arraysize='2' unit='pix' ucd='pos'><VALUES><MIN value='1'/></VALUES>"
      "<DESCRIPTION>\n x &lt;&amp; y </DESCRIPTION><LINK href='http://example.org'/></FIELD>"
      "<v:FIELD xmlns:v='http://www.ivoa.net/xml/VOTable/v1.3' ID='i' name='n' datatype='floatComplex'/>"
      "<FIELD name='last' datatype='double'/>";
  const auto heads = open_votable(directory.write("t.vot", votable(fields, ""))).columns;
  ASSERT_EQ(heads.size(), 3u);
  EXPECT_EQ(heads[0].name + "|" + heads[0].unit + "|" + heads[0].ucd + "|" + heads[0].description, "x|pix|pos|x <& y");
  EXPECT_EQ(heads[1].name + "|" + heads[1].unit + "|" + heads[1].ucd + "|" + heads[1].description, "x_1|pix|pos|");
  EXPECT_EQ(heads[2].name, "last");
}

TEST(VotableTest, ColumnsComeInTheOrderThatIsAskedForAndTheRestIsNotLookedAt) {
  TemporaryFolder directory;
  const std::string fields = field("a", "int", "arraysize='3'") + field("wrong", "int") + field("b", "double");
  const TableFile file = open_votable(
      directory.write("t.vot", votable(fields, tabledata("<TR><TD>1 2\n3</TD><TD>wrong</TD><TD>4.5</TD></TR>\n"
                                                         "<TR><TD/><TD/><TD>5.5</TD></TR>"))));
  const Table table = read_votable(file, {4, 2, 0, 2});
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_EQ(table.columns[0].name + table.columns[1].name + table.columns[2].name + table.columns[3].name, "ba_2aa_2");
  EXPECT_THAT(values<double>(table, 0), ElementsAre(4.5, 5.5));
  EXPECT_THAT(values<double>(table, 1), ElementsAre(3, is_missing));
  EXPECT_THAT(values<double>(table, 2), ElementsAre(1, is_missing));
  EXPECT_THAT(values<double>(table, 3), ElementsAre(3, is_missing));
  EXPECT_EQ(read_votable(file, {}).rows, 2);
}

TEST(VotableTest, ATableWithoutRowsIsATable) {
  TemporaryFolder directory;
  for (const std::string data :
       {"", "<DATA/>", "<DATA/><INFO name='a' value='b'/>", "<DATA></DATA>", "<DATA><TABLEDATA/></DATA>",
        "<DATA><BINARY2><STREAM encoding='base64'/></BINARY2></DATA>"}) {
    const Table table = read_all(directory.write("t.vot", votable(field("a", "int") + field("b", "char"), data)));
    EXPECT_EQ(table.rows, 0);
    EXPECT_EQ(table.columns.size(), 2u) << data;
  }
}

TEST(VotableTest, OnlyTheFirstTableIsRead) {
  TemporaryFolder directory;
  const std::string path = directory.write(
      "t.vot", "<VOTABLE><RESOURCE><RESOURCE><TABLE>" + field("a", "int") + tabledata("<TR><TD>1</TD></TR>") +
                   "<INFO name='a' value='b'/></TABLE></RESOURCE><TABLE>" + field("b", "int") +
                   tabledata("<TR><TD>2</TD><TD/></TR>") + "</TABLE></RESOURCE></VOTABLE>");
  const Table table = read_all(path);
  ASSERT_EQ(table.columns.size(), 1u);
  EXPECT_THAT(values<std::int32_t>(table, 0), ElementsAre(1));
}

TEST(VotableTest, TextIsUtf8WhateverTheFileIs) {
  TemporaryFolder directory;
  const std::string body =
      "<VOTABLE><RESOURCE><TABLE><FIELD name='a' datatype='char' arraysize='*'/><DATA><TABLEDATA>"
      "<TR><TD>\xe9&#x3bb;</TD></TR></TABLEDATA></DATA></TABLE></RESOURCE></VOTABLE>";
  const Table table = read_all(directory.write("t.vot", "<?xml version='1.0' encoding='ISO-8859-1'?>" + body));
  EXPECT_THAT(values<std::string>(table, 0), ElementsAre("\xc3\xa9\xce\xbb"));
  EXPECT_THAT(problem(directory, "<?xml version='1.0' encoding='EBCDIC'?>" + body), HasSubstr("unknown encoding"));
  EXPECT_THAT(problem(directory, body), HasSubstr("not well-formed (invalid token)"));
}

TEST(VotableTest, GzippedItIsTheSame) {
  TemporaryFolder directory;
  std::string rows;
  for (int i = 0; i < 200'000; ++i) rows += "<TR><TD>" + std::to_string(i) + "</TD></TR>\n";
  const std::string text = votable(field("a", "int"), tabledata(rows));
  const std::string path = directory / "t.vot.gz";
  gzFile out = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(out, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(out);
  const Table table = read_all(path);
  std::vector<std::int32_t> expected(200'000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(values<std::int32_t>(table, 0), expected);
}

TEST(VotableTest, ANumberThatIsAVectorInTheFirstRowIsOneInAll) {
  TemporaryFolder directory;
  const std::string fields = field("a", "float") + field("b", "char", "arraysize='*'") + field("c", "int");
  const std::string first = "<TR><TD> 1 2\n</TD><TD>x y</TD><TD>3</TD></TR>\n";
  const Table table =
      read_all(directory.write("t.vot", votable(fields, tabledata(first + "<TR><TD/><TD/><TD/></TR>"))));
  ASSERT_EQ(table.columns.size(), 4u);
  EXPECT_THAT(values<float>(table, 1), ElementsAre(2, is_missing));
  EXPECT_THAT(problem(directory, votable(fields, tabledata(first + "<TR><TD>1</TD><TD/><TD/></TR>"))),
              HasSubstr(":10: row 2 of the TABLE: the FIELD 'a' has '1', and is to have float of arraysize 2"));
}

TEST(VotableTest, BinaryCellsMayHaveAnySize) {
  TemporaryFolder directory;
  // struct.pack('>i3s ii h', 3, b'abc', 1, 7, 5) + struct.pack('>i ii i h', 0, 2, 8, 9, 6)
  const std::string path = directory.write(
      "t.vot",
      votable(field("text", "char", "arraysize='*'") + field("many", "int", "arraysize='*'") + field("a", "short"),
              binary("AAAAA2FiYwAAAAEAAAAHAAUAAAAAAAAAAgAAAAgAAAAJAAY=")));
  const Table table = read_all(path);
  EXPECT_THAT(values<std::string>(table, 0), ElementsAre("abc", ""));
  EXPECT_THAT(values<std::int32_t>(table, 1), ElementsAre(5, 6));
}

}  // namespace
}  // namespace srcextract
