#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "stages/photometry/families.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;

/// A family that uses two others, one of which uses further ones.
struct PairFamily {
  using Row = EllipseFlux;
  using uses = FamilyList<WindowFamily, PetrosianFamily>;
  static constexpr const char* name = "pair";
};

TEST(Families, AreNamedWithAllThatTheyUse) {
  EXPECT_THAT(family_names<KronFamily>, ElementsAre("kron"));
  EXPECT_THAT(family_names<LightRadiusFamily>, ElementsAre("light radii", "kron"));
  EXPECT_THAT(family_names<WindowFamily>, ElementsAre("window", "kron", "light radii"));
  EXPECT_THAT(family_names<PairFamily>, ElementsAre("pair", "kron", "petrosian", "light radii", "window"));
}

TEST(Families, AreMeasuredWhereAColumnUsesThem) {
  Settings config;
  config.output.columns = {"XWIN_IMAGE"};
  const ColumnChoice choice(config.output.columns);
  std::string measured;
  for_each_family(
      [&]<class One>() { measured += is_measured<One>(choice, config) ? std::string(One::name) + "," : ""; });
  EXPECT_EQ(measured, "kron,light radii,window,");
}

TEST(Families, AreReadByTheirUsersSourceBySource) {
  Photometry<Cpu> results;
  results.of<WindowFamily>() = {{3, Cpu{}}, 1};
  results.of<PetrosianFamily>() = {{3, Cpu{}}, 1};
  results.of<LightRadiusFamily>() = {{6, Cpu{}}, 2};
  for (int i = 0; i < 3; ++i) {
    results.of<WindowFamily>().rows[i].flux = 10 + i;
    results.of<PetrosianFamily>().rows[i].flux = 20 + i;
    results.of<LightRadiusFamily>().rows[2 * i].radius = 30 + i;
    results.of<LightRadiusFamily>().rows[2 * i + 1].radius = 40 + i;
  }
  const MeasuredSource plain{.number = 3, .shape = {}, .found = nullptr, .last_row = 7, .local_sky = 0.5};
  const SourceOf<PairFamily> source(plain, results, 2);
  EXPECT_EQ(source.of<WindowFamily>().flux, 12);
  EXPECT_EQ(source.of<PetrosianFamily>().flux, 22);
  EXPECT_EQ(source.number, 3);
  EXPECT_EQ(source.last_row, 7);
  EXPECT_EQ(source.local_sky, 0.5);
  EXPECT_EQ(SourceOf<WindowFamily>(plain, results, 1).of<LightRadiusFamily>().radius, 31);
}

}  // namespace
}  // namespace srcextract
