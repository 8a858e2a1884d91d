#include "pipeline/compare/catalog_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "stages/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

TEST(CatalogFiles, TheStemIsTheNameWithoutItsFormat) {
  EXPECT_EQ(catalog_stem("m31.cat.fits"), "m31");
  EXPECT_EQ(catalog_stem("m31.fits.gz"), "m31");
  EXPECT_EQ(catalog_stem("m31.hdu2.cat.ecsv"), "m31.hdu2");
  EXPECT_EQ(catalog_stem("M31.CAT"), "M31");
  EXPECT_EQ(catalog_stem("m31.ldac"), "m31");
  for (const char* other : {"m31.seg.fits", "m31.run.json", "m31.reg", ".hidden.fits", "m31", ".fits", "log"})
    EXPECT_EQ(catalog_stem(other), "") << other;
}

class PairFiles : public ::testing::Test {
 protected:
  std::string directory(const char* name, const std::vector<const char*>& files) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directory(path);
    for (const char* file : files) std::ofstream(path / file) << "x";
    return path;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(PairFiles, TakesTheSameFormatOfBothSidesAndTheCatalogueBeforeTheImage) {
  const std::string reference = directory("r", {"b.cat.ecsv", "a.cat.csv", "c.fits", "c.cat.fits"});
  const std::string other =
      directory("n", {"b.cat.ecsv", "b.cat.fits", "a.cat.fits", "d.vot", "c.cat.fits", "a.run.json"});
  const std::vector<FilePair> pairs = pair_files(reference, other);
  ASSERT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs[0].reference, reference + "/a.cat.csv");
  EXPECT_EQ(pairs[0].other, other + "/a.cat.fits");
  EXPECT_EQ(pairs[1].reference, reference + "/b.cat.ecsv");
  EXPECT_EQ(pairs[1].other, other + "/b.cat.ecsv");
  EXPECT_EQ(pairs[2].reference, reference + "/c.cat.fits");
  EXPECT_EQ(pairs[3].name, "d");
  EXPECT_EQ(pairs[3].reference, "");
}

TEST_F(PairFiles, LeavesNoFileOfTheReferenceOut) {
  const std::string reference = directory("r", {"a.fits", "a.csv", "a.vot", "a.vot.gz", "b.csv", "b.CSV"});
  const std::string other = directory("n", {"a.cat.csv.gz", "a.ecsv", "a.dat", "b.csv", "c.csv", "c.fits"});
  std::vector<std::vector<std::string>> found;
  for (const FilePair& pair : pair_files(reference, other)) {
    const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
    found.push_back({pair.name, name(pair.reference), name(pair.other)});
  }
  const std::vector<std::vector<std::string>> expected = {{"a.fits", "a.fits", "a.ecsv"},
                                                          {"a.vot", "a.vot", "a.ecsv"},
                                                          {"a.vot.gz", "a.vot.gz", "a.ecsv"},
                                                          {"a.csv", "a.csv", "a.cat.csv.gz"},
                                                          {"b.CSV", "b.CSV", "b.csv"},
                                                          {"b.csv", "b.csv", "b.csv"},
                                                          {"c", "", "c.fits"}};
  EXPECT_EQ(found, expected);
}

TEST_F(PairFiles, AnImageBesideItsCatalogueIsInNoPair) {
  const std::string reference = directory("r", {"a.fits", "a.cat.fits", "b.fits"});
  const std::string other = directory("n", {"a.fits", "a.cat.csv", "b.fits.gz", "b.cat.ecsv", "c.fits", "c.cat.csv"});
  const std::vector<FilePair> pairs = pair_files(reference, other);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].name, "a");
  EXPECT_EQ(pairs[0].reference, reference + "/a.cat.fits");
  EXPECT_EQ(pairs[0].other, other + "/a.cat.csv");
  EXPECT_EQ(pairs[1].other, other + "/b.cat.ecsv");
  EXPECT_EQ(pairs[2].other, other + "/c.cat.csv");
}

TEST_F(PairFiles, RefusesAReferenceWithoutCatalogues) {
  const std::string empty = directory("r", {"notes.md"}), other = directory("n", {"a.fits"});
  EXPECT_THROW(pair_files(empty, other), Error);
  EXPECT_THROW(pair_files("/nowhere/at/all", other), Error);
}

}  // namespace
}  // namespace srcextract
