#include "stages/catalogue/bands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stages/catalogue/declared_columns.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two sources, every number of which is `value`, at places that are the same whatever that is.
Sources two_sources(double value, const std::vector<std::string_view>& also = {}) {
  Sources sources = testing::usual_sources(2, also);
  for_each_column(sources, [&]<class T>(const Column&, std::vector<T>& values) {
    values = {static_cast<T>(value), static_cast<T>(value + 1)};
  });
  sources[columns::number] = {1, 2};
  sources[columns::x_image] = {10.5, 20.25};
  return sources;
}

std::vector<std::string> names_of(const Sources& sources) {
  std::vector<std::string> names;
  for_each_column(WrittenColumns{sources}, [&](const Column& column, const auto&) { names.emplace_back(column.name); });
  return names;
}

/// Values, as doubles, and unit of a column.
std::pair<std::vector<double>, std::string> column_of(const Sources& sources, const std::string& name) {
  std::pair<std::vector<double>, std::string> found;
  int times = 0;
  for_each_column(WrittenColumns{sources}, [&](const Column& column, const auto& values) {
    if (column.name != name) return;
    found = {{values.begin(), values.end()}, column.unit};
    ++times;
  });
  EXPECT_EQ(times, 1) << name;
  return found;
}

Column declared(const std::string& name) {
  for (const DeclaredColumn& one : declared_columns())
    if (one.column.name == name) return one.column;
  ADD_FAILURE() << name;
  return {};
}

TEST(Bands, ColumnsOfSeveralValuesKeepTheirNumberAtTheEnd) {
  EXPECT_EQ(column_in_band("FLUX_AUTO", "g"), "FLUX_AUTO_g");
  EXPECT_EQ(column_in_band("FLUX_APER_12", "g"), "FLUX_APER_g_12");
  EXPECT_EQ(column_in_band("ISO0", "F606W"), "ISO0_F606W");
  EXPECT_EQ(column_in_band("IMAFLAGS_ISO_1", "u_s"), "IMAFLAGS_ISO_u_s_1");
}

TEST(Bands, NamesThatTellColumnsApart) {
  for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
           {"g"}, {"g", "r"}, {"F606W", "F814W"}, {"u_s", "u"}, {"ISO", "AUTO"}, {"a1", "a2"}, {std::string(20, 'x')}})
    EXPECT_EQ(problem_of_bands(names), "") << names.front();
}

TEST(Bands, NamesThatDoNot) {
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{""}, "the band ''"},
      {{"1"}, "a letter and then"},
      {{"_g"}, "a letter and then"},
      {{"g-r"}, "a letter and then"},
      {{"\xc3\xa9"}, "a letter and then"},
      {{"g "}, "a letter and then"},
      {{std::string(21, 'x')}, "21 characters, and 20 are the most"},
      {{"g_1"}, "ends in _ and a number"},
      {{"g", "g"}, "the bands 'g' and 'g' have one name; rename"},
      {{"g", "r", "G"}, "the bands 'g' and 'G' have one name, for FITS tells no small letters from capitals"},
      {{"WIN"}, "the band 'WIN' would have a column SNR_WIN, which is another's name"},
      {{"win"}, "another's name"},
      {{"g", "WIN_g"}, "the bands 'g' and 'WIN_g' would both have a column"},
      {{"weight"}, "FLAGS_weight"},
  };
  for (const auto& [names, words] : wrong) EXPECT_THAT(problem_of_bands(names), HasSubstr(words)) << names.front();
}

TEST(Bands, WhatIsFoundStandsOnceAndWhatIsMeasuredInEachBand) {
  const Sources g = two_sources(3), r = two_sources(7);
  const Sources joined = join_bands({{"g", "adu", "adu", g}, {"r", "MJy/sr", "", r}});
  EXPECT_EQ(joined.size(), 2);
  EXPECT_THAT(
      names_of(joined),
      ElementsAre("NUMBER", "X_IMAGE", "Y_IMAGE", "XMIN_IMAGE", "XMAX_IMAGE", "YMIN_IMAGE", "YMAX_IMAGE", "XPEAK_IMAGE",
                  "YPEAK_IMAGE", "NPIX", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "A_IMAGE", "B_IMAGE", "THETA_IMAGE",
                  "THRESHOLD", "FLUX_ISO_g", "FLUXERR_ISO_g", "FLUX_MAX_g", "BACKGROUND_g", "SNR_g", "FLAGS_g",
                  "FLUX_ISO_r", "FLUXERR_ISO_r", "FLUX_MAX_r", "BACKGROUND_r", "SNR_r", "FLAGS_r"));
  EXPECT_THAT(column_of(joined, "X_IMAGE").first, ElementsAre(10.5, 20.25));
  EXPECT_EQ(column_of(joined, "FLUX_ISO_g"), std::pair(std::vector<double>({3, 4}), std::string("adu")));
  EXPECT_EQ(column_of(joined, "FLUX_ISO_r"), std::pair(std::vector<double>({7, 8}), std::string()));
  EXPECT_EQ(column_of(joined, "BACKGROUND_r"), std::pair(std::vector<double>({7, 8}), std::string("MJy/sr")));
  EXPECT_EQ(column_of(joined, "SNR_g").second, "");
  // The unit of what was found is left to who writes it.
  EXPECT_EQ(column_of(joined, "THRESHOLD").second, pixel_value_unit);
}

TEST(Bands, OnlyWhatIsWrittenIsJoinedWithItsVectorsAndMapsOfFlags) {
  std::vector<Sources> bands;
  for (const double value : {3.0, 7.0}) {
    Sources& sources = bands.emplace_back(two_sources(value));
    sources.add({declared("FLUX_APER"), "FLUX_APER", std::vector<double>{value, 0}});
    sources.add({declared("FLUX_APER"), "FLUX_APER_1", std::vector<double>{value + 1, 0}});
    sources.add({declared("ELONGATION"), "ELONGATION", std::vector<double>{1, 2}});
    sources.add({declared("ISO0"), "ISO0", std::vector<std::int32_t>{4, 5}});
    const auto add_flags = [&](const char* name, const std::string& suffix, const std::vector<std::int64_t>& values) {
      sources.add({declared(name), name + suffix, values, CatalogPart::flag_maps});
    };
    add_flags("IMAFLAGS_ISO", "", {1, 2});
    add_flags("NIMAFLAGS_ISO", "", {3, 4});
    add_flags("IMAFLAGS_ISO", "_1", {5, 6});
    add_flags("NIMAFLAGS_ISO", "_1", {7, 8});
    sources.written = {"NUMBER", "FLUX_APER", "ELONGATION", "IMAFLAGS_ISO"};
  }
  const Sources joined = join_bands({{"g", "", "", bands[0]}, {"r", "", "", bands[1]}});
  bands.clear();
  EXPECT_THAT(names_of(joined),
              ElementsAre("NUMBER", "ELONGATION", "IMAFLAGS_ISO_g", "IMAFLAGS_ISO_g_1", "FLUX_APER_g", "FLUX_APER_g_1",
                          "IMAFLAGS_ISO_r", "IMAFLAGS_ISO_r_1", "FLUX_APER_r", "FLUX_APER_r_1"));
  EXPECT_THAT(column_of(joined, "FLUX_APER_r_1").first, ElementsAre(8, 0));
  EXPECT_THAT(column_of(joined, "IMAFLAGS_ISO_g_1").first, ElementsAre(5, 6));
}

TEST(Bands, SkyPositionsAreThoseOfTheFirstBandThatHasThem) {
  const Sources none = two_sources(1);
  Sources first = two_sources(2, testing::sky_names), second = two_sources(3, testing::sky_names);
  for (Sources* sources : {&first, &second}) (*sources)[columns::alpha_j2000] = {(*sources)[columns::flux_iso][0], 0};
  const Sources joined = join_bands({{"u", "", "", none}, {"g", "", "", first}, {"r", "", "", second}});
  EXPECT_THAT(column_of(joined, "ALPHA_J2000").first, ElementsAre(2, 0));
  EXPECT_EQ(names_of(joined).back(), "DELTA_J2000");
  EXPECT_THAT(column_of(joined, "FLUX_ISO_u").first, ElementsAre(1, 2));
}

/// Regions and pictures look at them.
TEST(Bands, TheUsualColumnsOfTheFirstAreThereAndNotWritten) {
  const Sources joined = join_bands({{"g", "", "", two_sources(2)}, {"r", "", "", two_sources(3)}});
  EXPECT_EQ(UsualValues(joined).flux_iso.front(), 2);
  for_each_column(WrittenColumns{joined},
                  [](const Column& column, const auto&) { EXPECT_STRNE(column.name, "FLUX_ISO"); });
}

TEST(Bands, WhatIsMadeOfMeasuredColumnsIsMeasured) {
  const auto is_measured = [&](std::string_view name) {
    bool measured = false;
    for (const DeclaredColumn& one : declared_columns()) measured |= one.column.name == name && one.column.image;
    return measured;
  };
  int on_sky = 0;
  for (const DeclaredColumn& one : declared_columns()) {
    bool of_measured_ones = false;
    for (const std::string_view need : one.needs) of_measured_ones |= is_measured(need);
    if (!one.is_on_sky()) continue;
    EXPECT_EQ(one.column.image, of_measured_ones) << one.column.name;
    ++on_sky;
  }
  EXPECT_GT(on_sky, 40);
}

}  // namespace
}  // namespace srcextract
