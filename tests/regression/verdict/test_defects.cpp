#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

#include "tests/regression/verdict/simulated_catalog.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::observe;
using testing::Star;
using testing::TestCatalog;

constexpr double size = 2048;

/// What one defect does to a catalogue, and the words that must name it.
struct Defect {
  const char* name;
  std::function<void(TestCatalog&)> plant;
  std::vector<std::string> words;
  std::function<void(TestCatalog&)> prepare = [](TestCatalog&) {};  ///< done to both sides
};

void PrintTo(const Defect& defect, std::ostream* out) {
  *out << defect.name;
}

void change(TestCatalog& catalog, const std::vector<const char*>& columns, const std::function<double(double)>& f) {
  for (const char* name : columns) {
    for (double& value : catalog.column(name)) value = f(value);
  }
}

std::vector<std::int64_t> rows_where(const TestCatalog& catalog, const std::function<bool(std::size_t)>& keep) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < catalog.table.rows; ++i) {
    if (keep(static_cast<std::size_t>(i))) rows.push_back(i);
  }
  return rows;
}

void lose_faintest(TestCatalog& catalog, double share) {
  std::vector<double> sorted = catalog.column("FLUX_ISO");
  std::sort(sorted.begin(), sorted.end());
  const double limit = sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size()))];
  catalog.keep(rows_where(catalog, [&](std::size_t i) { return catalog.column("FLUX_ISO")[i] >= limit; }));
}

void drop(TestCatalog& catalog, const std::vector<std::string>& names) {
  std::erase_if(catalog.table.columns, [&](const TableColumn& column) {
    return std::find(names.begin(), names.end(), column.name) != names.end();
  });
}

const std::vector<const char*> x_columns = {"X_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE"};

std::vector<Defect> defects() {
  return {
      {"ShiftOfATenthOfAPixel",
       [](TestCatalog& c) { change(c, {"X_IMAGE"}, [](double x) { return x + 0.1; }); },
       {"X_IMAGE: ", "sources moved by +0.1", "pixel"}},
      {"FluxScaleOfOnePercent",
       [](TestCatalog& c) { change(c, {"FLUX_ISO"}, [](double f) { return 1.01 * f; }); },
       {"FLUX_ISO: ", "sources are larger by +", "%"}},
      {"FaintestTwoPercentLost", [](TestCatalog& c) { lose_faintest(c, 0.02); }, {"sources: ", "faintest", "lost"}},
      {"FlippedXAxis",
       [](TestCatalog& c) { change(c, x_columns, [](double x) { return size + 1 - x; }); },
       {"x axis is flipped: new x = 2049", "- reference"}},
      {"CountedFromZero",
       [](TestCatalog& c) {
         change(c, x_columns, [](double x) { return x - 1; });
         change(c, {"Y_IMAGE"}, [](double y) { return y - 1; });
       },
       {"X_IMAGE: ", "sources moved by -", "pixel: one side counts from 0 (likewise Y_IMAGE"}},
      {"CountedFromOne",
       [](TestCatalog& c) {
         change(c, x_columns, [](double x) { return x + 1; });
         change(c, {"Y_IMAGE"}, [](double y) { return y + 1; });
       },
       {"X_IMAGE: ", "sources moved by +", "pixel: one side counts from 0 (likewise Y_IMAGE"}},
      {"ThetaInRadians",
       [](TestCatalog& c) { change(c, {"THETA_IMAGE"}, [](double t) { return t * std::numbers::pi / 180; }); },
       {"THETA_IMAGE: ", "radians where the reference has degrees"}},
      {"SkyExchanged",
       [](TestCatalog& c) { std::swap(c.column("ALPHA_J2000"), c.column("DELTA_J2000")); },
       {"ALPHA_J2000 and DELTA_J2000 have changed places"}},
      {"SkyExchangedAndNothingElseToMatchBy",
       [](TestCatalog& c) { std::swap(c.column("ALPHA_J2000"), c.column("DELTA_J2000")); },
       {"right ascension and declination have changed places"},
       [](TestCatalog& c) {
         drop(c, {"X_IMAGE", "Y_IMAGE"});
       }},
      {"RowsDuplicated",
       [](TestCatalog& c) {
         std::vector<std::int64_t> rows = rows_where(c, [](std::size_t) { return true; });
         for (std::int64_t row = 10; row < 30; ++row) rows.push_back(row);
         c.keep(rows);
       },
       {"20 rows are duplicated, none in the reference: row ", " repeats row 11"}},
      {"NaNSprinkled",
       [](TestCatalog& c) {
         std::vector<double>& flux = c.column("FLUX_ISO");
         for (std::size_t i = 7; i < flux.size(); i += 100) flux[i] = std::numeric_limits<double>::quiet_NaN();
       },
       {"FLUX_ISO: no number (NaN) in ", "rows in which the reference has one, first in row 8"}},
      {"UnitOfTheHeader",
       [](TestCatalog& c) {
         for (TableColumn& column : c.table.columns) {
           if (column.name == "FLUX_ISO") column.unit = "Jy";
         }
       },
       {"FLUX_ISO: the unit changed from mJy to Jy"},
       [](TestCatalog& c) {
         for (TableColumn& column : c.table.columns) {
           if (column.name == "FLUX_ISO") column.unit = "mJy";
         }
       }},
      {"UnitOfTheValues",
       [](TestCatalog& c) { change(c, {"FLUX_ISO"}, [](double f) { return f / 1000; }); },
       {"FLUX_ISO: ", "the unit is 1000 times the reference's"}},
      {"TileOfTheImageLost",
       [](TestCatalog& c) {
         const auto &x = c.column("X_IMAGE"), &y = c.column("Y_IMAGE");
         c.keep(rows_where(c, [&](std::size_t i) { return x[i] < 512 || x[i] > 1024 || y[i] < 512 || y[i] > 1024; }));
       },
       {"sources: ", " at x ", "this part of the image differs"}},
      {"TileOfTheImageScaled",
       [](TestCatalog& c) {
         const auto &x = c.column("X_IMAGE"), &y = c.column("Y_IMAGE");
         auto& flux = c.column("FLUX_ISO");
         for (std::size_t i = 0; i < flux.size(); ++i) {
           if (x[i] > 512 && x[i] < 1024 && y[i] > 1024 && y[i] < 1536) flux[i] *= 1.2;
         }
       },
       {"FLUX_ISO: ", " at x ", "this part of the image differs"}},
      {"NotLinearAtTheBrightEnd",
       [](TestCatalog& c) {
         change(c, {"FLUX_ISO"}, [](double f) { return f > 5000 ? 5000 * std::pow(f / 5000, 0.95) : f; });
       },
       {"FLUX_ISO: ", "not linear at the bright end"}},
      {"ColumnLost",
       [](TestCatalog& c) { drop(c, {"FLUX_MAX"}); },
       {"columns: the new catalogue does not have FLUX_MAX"}},
  };
}

class PlantedDefect : public ::testing::TestWithParam<Defect> {};

/// In two exposures that differ by their noise as well.
TEST_P(PlantedDefect, IsCaughtAndNamedAmongNoise) {
  for (const std::int64_t stars : {1600, 6000}) {
    const std::vector<Star> sky = testing::make_sky(stars, size, 5);
    TestCatalog reference = observe(sky, 1), other = observe(sky, 2);
    GetParam().prepare(reference);
    GetParam().prepare(other);
    GetParam().plant(other);
    const std::string words = testing::words(testing::compare(reference, other));
    for (const std::string& expected : GetParam().words)
      EXPECT_THAT(words, HasSubstr(expected)) << reference.table.rows;
  }
}

/// In what two runs on one image give, which is equal but for the defect.
TEST_P(PlantedDefect, IsCaughtAndNamedWithoutNoise) {
  const std::vector<Star> sky = testing::make_sky(812, size, 5);
  TestCatalog reference = observe(sky, 1), other = reference;
  GetParam().prepare(reference);
  GetParam().prepare(other);
  GetParam().plant(other);
  const std::string words = testing::words(testing::compare(reference, other));
  for (const std::string& expected : GetParam().words) EXPECT_THAT(words, HasSubstr(expected));
}

TEST(Defects, AFactorOfFluxesIsNoRadius) {
  const TestCatalog reference = observe(testing::make_sky(812, size, 5), 1);
  for (const double factor : {2.0, 1 / 2.3548200450309493}) {
    TestCatalog other = reference;
    change(other, {"FLUX_ISO"}, [&](double f) { return factor * f; });
    const std::string words = testing::words(testing::compare(reference, other));
    EXPECT_THAT(words, HasSubstr("FLUX_ISO: "));
    EXPECT_THAT(words, ::testing::Not(::testing::AnyOf(HasSubstr("radius"), HasSubstr("FWHM")))) << words;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedDefect, ::testing::ValuesIn(defects()),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace srcextract
