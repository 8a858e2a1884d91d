#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "tests/io/support/catalogs.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/usual_sources.hpp"
#include "tests/support/vector_columns.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::metadata;
using testing::TemporaryFolder;
using testing::three_sources;
using testing::written;

/// Prints what astropy makes of the catalogue: the metadata, and of some columns type, unit and exact values.
const char* const dump_table = R"(
import sys
from astropy.table import Table
path = sys.argv[1]
if path.endswith('.fits'):
    t = Table.read(path, hdu=1)
else:
    t = Table.read(path, format='ascii.ecsv')
    print(t.meta['creator'])
    print(t.meta['config'], end='')
    print(t['X_IMAGE'].info.meta['ucd'], '|', t['X_IMAGE'].description)
def exact(v):
    return v.hex() if isinstance(v, float) else v
for n in ('NUMBER', 'X_IMAGE', 'NPIX', 'FLUX_ISO', 'FLUX_MAX', 'X2_IMAGE', 'THETA_IMAGE', 'FLAGS'):
    c = t[n]
    values = c.filled(float('nan')) if hasattr(c, 'filled') else c
    print(n, c.dtype.newbyteorder('=').name, c.unit, [exact(v) for v in values.tolist()])
print(len(t), len(t.columns))
)";

class CatalogInAstropy : public ::testing::TestWithParam<CatalogFormat> {
 protected:
  void SetUp() override { SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy"); }
  std::string dump(const Sources& sources, const CatalogMetadata& beside = metadata) {
    const auto [status, output] =
        testing::run_python(directory_, dump_table, written(directory_, GetParam(), sources, beside));
    EXPECT_EQ(status, 0) << output;
    return output;
  }

 private:
  TemporaryFolder directory_;
};
INSTANTIATE_TEST_SUITE_P(Formats, CatalogInAstropy, ::testing::Values(CatalogFormat::fits, CatalogFormat::ecsv),
                         [](const auto& test) { return test.param == CatalogFormat::fits ? "Fits" : "Ecsv"; });

TEST_P(CatalogInAstropy, ReadsTheColumnsWithTheirUnits) {
  const std::string output = dump(three_sources());
  if (GetParam() == CatalogFormat::ecsv) {
    EXPECT_THAT(output, HasSubstr("srcextract 1.2.3\n" + metadata.config_yaml + "pos.cartesian.x;instr.det | Intens"));
  }
  // Python: float.hex of 10.5, 20.25, 0.1.
  EXPECT_THAT(output, HasSubstr("X_IMAGE float64 pix ['0x1.5000000000000p+3', '0x1.4400000000000p+4', "
                                "'0x1.999999999999ap-4']\n"));
  EXPECT_THAT(output, HasSubstr("NUMBER int32 None [1, 2, 3]\n"));
  EXPECT_THAT(output, HasSubstr("NPIX int64 pix [5, 6, 5000000000]\n"));
  EXPECT_THAT(output, HasSubstr("FLUX_ISO float64 ct ["));
  EXPECT_THAT(output, HasSubstr("X2_IMAGE float64 pix2 ["));
  EXPECT_THAT(output, HasSubstr("THETA_IMAGE float64 deg ['-0x1.e000000000000p+4', '0x0.0p+0', 'nan']\n"));
  EXPECT_THAT(output, HasSubstr("FLAGS int16 None [0, 8, 9]\n"));
  EXPECT_THAT(output, HasSubstr("\n3 23\n"));
}

TEST_P(CatalogInAstropy, ReadsTheUnitOfThePixels) {
  for (const auto& [unit, in_astropy] : {std::pair("Jy/beam", "Jy / beam"), std::pair("adu", "adu"),
                                         std::pair("count/s", "ct / s"), std::pair("MJy/sr", "MJy / sr")}) {
    const std::string output = dump(three_sources(), {"1.2.3", "{}\n", unit, "pixel.MJy/sr"});
    EXPECT_THAT(output, HasSubstr("FLUX_MAX float64 " + std::string(in_astropy) + " ["));
    EXPECT_THAT(output, HasSubstr("FLUX_ISO float64 MJy pix / sr ["));
    EXPECT_THAT(output, HasSubstr("X2_IMAGE float64 pix2 ["));
  }
}

TEST_P(CatalogInAstropy, ReadsVectorsAsTheScalarsThatCsvHas) {
  TemporaryFolder directory;
  Sources sources = three_sources();
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  testing::add_vector_columns<std::int32_t>(sources, "COUNT", 2, 2);
  testing::add_vector_columns<double>(sources, "FLUX_RADIUS", 1, 3);
  auto& values = sources[ColumnKey<double>{"FLUX_APER_1"}];
  values = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -0.1};
  written(directory, CatalogFormat::csv, sources);
  const auto [status, output] = testing::run_python(directory, R"(
import sys
import numpy as np
from astropy.table import Table
path = sys.argv[1]
t = Table.read(path, hdu=1) if path.endswith('.fits') else Table.read(path, format='ascii.ecsv')
scalars = Table.read(path.rsplit('.', 1)[0] + '.csv', format='ascii.csv')
for name, length in (('FLUX_APER', 3), ('COUNT', 2), ('FLUX_RADIUS', 1)):
    c = t[name]
    print(name, c.dtype.newbyteorder('=').name, c.unit, c.shape, c.description if path.endswith('.ecsv') else '')
    rows = np.ma.filled(c, np.nan).reshape(3, length)
    for i in range(length):
        assert np.array_equal(rows[:, i], scalars[name + (f'_{i}' if i else '')], equal_nan=True), (name, i)
assert np.isinf(t['FLUX_APER'][1, 1]) and not {'FLUX_APER_1', 'COUNT_1'} & set(t.colnames)
)",
                                                    written(directory, GetParam(), sources));
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, HasSubstr("FLUX_APER float64 ct (3, 3)"));
  EXPECT_THAT(output, HasSubstr("COUNT int32 ct (3, 2)"));
  EXPECT_THAT(output, HasSubstr("FLUX_RADIUS float64 ct (3,)"));
}

TEST_P(CatalogInAstropy, ReadsVectorsOfNoRows) {
  TemporaryFolder directory;
  Sources sources = testing::usual_sources();
  testing::add_vector_columns<double>(sources, "FLUX_APER", 3, 1);
  const auto [status, output] = testing::run_python(directory, R"(
import sys
from astropy.table import Table
path = sys.argv[1]
t = Table.read(path, hdu=1) if path.endswith('.fits') else Table.read(path, format='ascii.ecsv')
print(len(t), t['FLUX_APER'].shape, t['FLUX_APER'].unit)
)",
                                                    written(directory, GetParam(), sources));
  EXPECT_EQ(status, 0) << output;
  EXPECT_EQ(output, GetParam() == CatalogFormat::fits ? "0 (0, 3) ct\n" : "0 (0,) ct\n");
}

TEST_P(CatalogInAstropy, ReadsAnEmptyCatalogue) {
  const Sources sources = testing::usual_sources(0, testing::sky_names);
  EXPECT_THAT(dump(sources), HasSubstr("\n0 25\n"));
}

}  // namespace
}  // namespace srcextract
