#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/ldac_head.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/tables/table_file.hpp"
#include "tests/io/support/catalogs.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/random_sources.hpp"
#include "tests/support/vector_columns.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_file;
using testing::read_lines;
using testing::TemporaryFolder;
using testing::three_sources;
using testing::written;

/// Cards of 80 columns, END the last.
std::string cards(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + std::string(80 - line.size(), ' ');
  return out + "END" + std::string(77, ' ');
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at += 80) {
    const std::string line = text.substr(at, 80);
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
  return lines;
}

TEST(LdacHead, IsTheHeaderOfTheImage) {
  const std::string own =
      cards({"XTENSION= 'IMAGE   '", "BITPIX  =                  -32", "NAXIS   =                    3", "NAXIS1  = 7",
             "NAXIS2  = 5", "NAXIS3  = 2", "PCOUNT  = 0", "GCOUNT  = 1", "EXTNAME = 'SCI     '", "GAIN    = 2.5 / mine",
             "SEXGAIN = 9", "NAME    = 'a long&'", "CONTINUE  ' text'", "HISTORY of \xc3\xa4", "CHECKSUM= 'x'"});
  const std::string primary =
      cards({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0", "EXTEND  = T", "GAIN    = 1", "EXPTIME = 30.",
             "BUNIT   = 'Jy'", "LONG    = 'a&'", "CONTINUE  'b'", "HISTORY not mine", "NEXTEND = 1"});
  const std::vector<HeadCard> added = {{{"SEXGAIN", 2.5}, "used"}};
  EXPECT_THAT(lines_of(ldac_head(own, primary, added)),
              ElementsAre("SIMPLE  =                    T / this is a FITS header", "BITPIX  =                  -32",
                          "NAXIS   =                    2 / of the plane that was looked at", "NAXIS1  = 7",
                          "NAXIS2  = 5", "EXTNAME = 'SCI     '", "GAIN    = 2.5 / mine", "NAME    = 'a long&'",
                          "CONTINUE  ' text'", "HISTORY of ??", "EXPTIME = 30.", "LONG    = 'a&'", "CONTINUE  'b'",
                          "SEXGAIN =                  2.5 / used", "END"));
  EXPECT_THAT(ldac_head(cards({"XTENSION= 'IMAGE   '", "INHERIT =                    F"}), primary, {}),
              Not(HasSubstr("EXPTIME")));
}

TEST(LdacHead, HasTheImagesOwnWcsAlone) {
  const std::string own = cards({"XTENSION= 'IMAGE   '", "CTYPE1  = 'RA---TAN'", "CDELT1  = -1E-4"});
  const std::string primary = cards({"SIMPLE  = T", "CTYPE1  = 'GLON-CAR'", "CD1_1   = -2E-4", "LONPOLE = 90.",
                                     "RADESYS = 'FK4     '", "EQUINOX = 1950.", "EXPTIME = 30."});
  EXPECT_THAT(lines_of(ldac_head(own, primary, {})),
              ElementsAre("SIMPLE  =                    T / this is a FITS header", "CTYPE1  = 'RA---TAN'",
                          "CDELT1  = -1E-4", "EXPTIME = 30.", "END"));
}

TEST(Ldac, TheFileIsThatOfSextractor) {
  TemporaryFolder directory;
  CatalogMetadata beside = testing::metadata;
  beside.head = ldac_head(cards({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"}), {}, {});
  Sources sources = three_sources();
  testing::add_vector_columns<double>(sources, "FLUX_APER", 2, 1);
  const std::string file = read_file(written(directory, CatalogFormat::ldac, sources, beside));
  ASSERT_EQ(file.size() % 2880, 0u);
  EXPECT_EQ(file.substr(0, 9), "SIMPLE  =");
  const std::string head = file.substr(2880, 2880);
  for (const char* card :
       {"XTENSION= 'BINTABLE'", "NAXIS1  =                  320", "NAXIS2  =                    1",
        "EXTNAME = 'LDAC_IMHEAD'", "TTYPE1  = 'Field Header Card'", "TFORM1  = '320A    '", "TDIM1   = '(80, 4)"})
    EXPECT_THAT(head, HasSubstr(card));
  EXPECT_EQ(file.substr(5760, 320), beside.head);
  EXPECT_EQ(file.substr(6080, 2560), std::string(2560, '\0'));
  const std::string objects = file.substr(8640);
  for (const char* card :
       {"EXTNAME = 'LDAC_OBJECTS'", "NAXIS2  =                    3", "TTYPE2  = 'X_IMAGE '", "TFORM1  = '1J      '",
        "TFORM2  = '1D      '", "TFORM11 = '1E      '", "TUNIT2  = 'pixel   '"})
    EXPECT_THAT(objects, HasSubstr(card));
  EXPECT_THAT(objects, HasSubstr("'2E      '"));
  EXPECT_THAT(objects, HasSubstr("HISTORY srcextract config:"));
}

TEST(Ldac, ValuesComeBackInTheTypesThatProgramsTakeThemFor) {
  TemporaryFolder directory;
  Sources sources = three_sources({"IMAFLAGS_ISO", "NIMAFLAGS_ISO"});
  sources[columns::flux_iso] = {0.1, -1e300, std::numeric_limits<double>::quiet_NaN()};
  sources[columns::x_image] = {0.1, 1e300, -3};
  sources[columns::imaflags_iso] = {5, std::int64_t{1} << 40, -(std::int64_t{1} << 40)};
  sources[ColumnKey<std::int64_t>{"NIMAFLAGS_ISO"}] = {1, 2, 3};
  const TableFile file = open_table(written(directory, CatalogFormat::ldac, sources));
  const auto values = [&](const std::string& name) {
    for (std::size_t i = 0; i < file.columns.size(); ++i)
      if (file.columns[i].name == name) return read_table(file, {i}).columns[0].values;
    ADD_FAILURE() << "no " << name;
    return ColumnValues();
  };
  EXPECT_EQ(std::get<std::vector<double>>(values("X_IMAGE")), sources[columns::x_image]);
  const auto flux = std::get<std::vector<float>>(values("FLUX_ISO"));
  EXPECT_EQ(flux[0], 0.1F);
  EXPECT_EQ(flux[1], -std::numeric_limits<float>::max());
  EXPECT_NE(flux[2], flux[2]);
  using Limits = std::numeric_limits<std::int32_t>;
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(values("IMAFLAGS_ISO")),
              ElementsAre(5, Limits::max(), Limits::min()));
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(values("NPIX")), ElementsAre(5, 6, 5'000'000'000));
}

/// The name that SExtractor gives the header's column has blanks.
TEST(Ldac, FitsverifyWarnsOfTheHeadersNameAlone) {
  SRCEXTRACT_NEEDS_PEER(testing::have_fitsverify(), "no fitsverify");
  for (const std::size_t count : {0, 1, 3000}) {
    TemporaryFolder directory;
    const std::string path = written(directory, CatalogFormat::ldac, testing::random_sources(count, true, 7));
    const auto [status, output] = testing::run_command("fitsverify '" + path + "'");
    EXPECT_THAT(output, HasSubstr("Name \"Field Header Card\" contains character ' '"));
    EXPECT_THAT(output, HasSubstr("found 2 warning(s) and 0 error(s)"));
  }
}

TEST(Ldac, PiecesMakeTheFileThatTheWholeMakes) {
  TemporaryFolder directory;
  const Sources whole = testing::random_sources(500, true, 3), first = testing::random_sources(200, true, 1);
  const CatalogRows rows = rows_of(whole, Vectors::joined), begun = rows_of(first, Vectors::joined);
  const std::string at_once = read_file(written(directory, CatalogFormat::ldac, whole));
  OutputFile file(directory / "pieces");
  const auto sink = ldac_sink(file, begun, rows.count, testing::metadata, Cpu{1});
  for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 333}, std::pair{333, 500}}) {
    CatalogRows piece = rows;
    piece.count = to - from;
    for (CatalogField& field : piece.fields)
      std::visit(
          [from = from](auto& v) {
            for (auto& e : v.elements) e += from;
          },
          field.values);
    sink->write(piece);
  }
  sink->finish();
  file.commit();
  EXPECT_EQ(read_file(directory / "pieces"), at_once);
}

std::string sextractor_text(const Sources& sources, SextractorHeader header) {
  TemporaryFolder directory;
  OutputFile file(directory / "text");
  const CatalogRows rows = rows_of(sources, Vectors::joined);
  write_all(*sextractor_text_sink(file, rows, testing::metadata, header), rows);
  file.commit();
  return read_file(directory / "text");
}

Sources four_columns() {
  Sources sources = three_sources();
  testing::add_vector_columns<double>(sources, "FLUX_APER", 2, 1);
  sources.written = {"NUMBER", "X_IMAGE", "FLUX_APER", "FLAGS"};
  for (const char* name : {"FLUX_APER", "FLUX_APER_1"}) sources[ColumnKey<double>{name}] = {1.5, -2e-7, 1.0 / 3};
  return sources;
}

TEST(SextractorText, HeadsAreThoseOfSextractor) {
  const std::string text = sextractor_text(four_columns(), SextractorHeader::head);
  EXPECT_THAT(text,
              ::testing::StartsWith(
                  "#   1 NUMBER                 Running number, in raster order of the first pixel        \n"
                  "#   2 X_IMAGE                Intensity-weighted x, 1-based                              [pixel]\n"
                  "#   3 FLAGS "));
  EXPECT_THAT(text, HasSubstr("\n#   4 FLUX_APER "));
  EXPECT_THAT(
      text,
      EndsWith("\n          3                      0.1      9       0.3333333333333333       0.3333333333333333\n"));
  const std::string bare = sextractor_text(four_columns(), SextractorHeader::none);
  EXPECT_TRUE(text.ends_with(bare));
  EXPECT_THAT(bare, ::testing::StartsWith("          1                     10.5      0 "));
  const std::string skycat = sextractor_text(four_columns(), SextractorHeader::skycat);
  EXPECT_THAT(skycat, ::testing::StartsWith("QueryResult\n\n# Config entry for original catalog server:\n"));
  EXPECT_THAT(skycat, HasSubstr("\nid\tra\tdec\tmag\tFLUX_APER_1\n------------------\n          1 \t "));
  EXPECT_THAT(skycat, EndsWith("\n[EOD]\n"));
}

TEST(SextractorText, AstropyReadsIt) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  TemporaryFolder directory;
  Sources sources = three_sources();
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  const auto [status, output] = testing::run_python(directory,
                                                    "import sys\nfrom astropy.io import ascii\n"
                                                    "t = ascii.read(sys.argv[1], format='sextractor')\n"
                                                    "print(len(t), t['X_IMAGE'].tolist(), t['Y_IMAGE'].unit, "
                                                    "t['Y_IMAGE'].tolist(), t.colnames[-3:], t['A_IMAGE'].tolist())\n",
                                                    written(directory, CatalogFormat::ascii_head, sources));
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output,
            "3 [10.5, 20.25, 0.1] pix [11.0, 1e-07, 1234.5678901234567] ['FLUX_APER', 'FLUX_APER_1', 'FLUX_APER_2'] "
            "[2.0, 0.0, nan]\n");
}

TEST(SextractorText, NoRows) {
  TemporaryFolder directory;
  const TableFile file = open_table(written(directory, CatalogFormat::ascii_head, testing::usual_sources()));
  EXPECT_EQ(file.format, TableFormat::ascii_head);
  EXPECT_EQ(file.columns.front().name, "NUMBER");
  EXPECT_EQ(read_table(file, {0}).rows, 0);
}

}  // namespace
}  // namespace srcextract
