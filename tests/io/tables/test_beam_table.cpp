#include "io/wcs/beam_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "io/wcs/find_beam.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/fits_tables.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

void expect_beam(const SkyBeam& beam, double major, double minor, double angle) {
  EXPECT_NEAR(beam.major, major, 1e-9 * major);
  EXPECT_NEAR(beam.minor, minor, 1e-9 * minor);
  EXPECT_NEAR(beam.angle, angle, 1e-9);
  EXPECT_EQ(beam.origin, BeamSource::table);
}

using testing::stored;
using testing::TableField;

/// A cube's primary header and a table BEAMS of four channels; the second has no beam.
std::vector<TableField> four_beams(const std::string& unit) {
  const auto angle = [&](const char* of) { return unit.empty() ? testing::Cards{} : testing::Cards{{"TUNIT", of}}; };
  return {{"BMAJ", "E", stored<float>({9, 0, 18, 9.01F}), {{}}},
          {"BMIN", "E", stored<float>({7.2F, 0, 7.2F, 7.2F}), {{}}},
          {"BPA", "E", stored<float>({30, 0, 45, 30}), angle("'deg'")},
          {"CHAN", "J", stored<std::int32_t>({0, 1, 2, 3})},
          {"POL", "J", stored<std::int32_t>({0, 0, 0, 0})}};
}

class BeamTableFile : public ::testing::Test {
 protected:
  std::string write(std::vector<TableField> fields, const std::string& unit, const std::string& name = "BEAMS") {
    for (std::size_t i = 0; i < 2 && i < fields.size(); ++i)
      fields[i].extra = unit.empty() ? testing::Cards{} : testing::Cards{{"TUNIT", "'" + unit + "'"}};
    testing::write_file(folder_ / "cube.fits", testing::primary() + testing::fits_table(fields, name));
    return folder_ / "cube.fits";
  }
  FoundBeam find_planes(const std::string& path, std::vector<std::int64_t> planes,
                        BeamSource source = BeamSource::any) {
    return find_beam({.source = source}, {.header = header_,
                                          .primary_header = "",
                                          .path = path,
                                          .axes = {2048, 2048, 1, 4},
                                          .planes = std::move(planes)});
  }

  TemporaryFolder folder_;
  std::string header_ =
      testing::fits_header({{"SIMPLE", "T"}, {"CASAMBM", "T"}, {"CTYPE3", "'STOKES'"}, {"CTYPE4", "'FREQ'"}});
};

TEST_F(BeamTableFile, HasTheBeamOfAPlaneInAnyUnit) {
  expect_beam(find_planes(write(four_beams(""), ""), {1}).beam, 9, 7.2F, 30);
  expect_beam(find_planes(write(four_beams("deg"), "arcsec"), {3}).beam, 18, 7.2F, 45);
  std::vector<TableField> degrees = four_beams("deg");
  degrees[0].rows = stored<float>({0.0025F, 0, 0.005F, 0.0025F});
  degrees[1].rows = stored<float>({0.002F, 0, 0.002F, 0.002F});
  expect_beam(find_planes(write(degrees, "deg"), {3}).beam, 3600. * 0.005F, 3600. * 0.002F, 45);
}

TEST_F(BeamTableFile, OfSeveralPlanesGivesTheLargestAndTellsOfTheRest) {
  const std::string path = write(four_beams("deg"), "arcsec");
  const FoundBeam alike = find_planes(path, {1, 4});
  EXPECT_NEAR(alike.beam.major, 9.01F, 1e-6);
  EXPECT_THAT(alike.warnings, IsEmpty());
  const FoundBeam unlike = find_planes(path, {1, 2, 3});
  EXPECT_EQ(unlike.beam.major, 18);
  EXPECT_THAT(unlike.warnings, ElementsAre(HasSubstr("plane 2 has no beam"), HasSubstr("differ")));
}

TEST_F(BeamTableFile, WithoutABeamForThePlaneIsAnError) {
  const std::string path = write(four_beams("deg"), "arcsec");
  EXPECT_THROW(find_planes(path, {2}), Error);
  EXPECT_THROW(find_planes(path, {2}, BeamSource::table), Error);
}

TEST_F(BeamTableFile, ThatIsDamagedIsAnErrorAndNoBeam) {
  const auto refused = [&](const std::vector<TableField>& fields, const std::string& unit, const char* problem) {
    const std::string path = write(fields, unit);
    try {
      find_planes(path, {1}, BeamSource::table);
      ADD_FAILURE() << problem;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(problem));
    }
  };
  std::vector<TableField> fields = four_beams("deg");
  refused(fields, "Jy", "no angle");
  fields[3].name = "CHANNEL";
  refused(fields, "arcsec", "no column CHAN");
  fields = four_beams("deg");
  fields[0] = {"BMAJ", "2A", {"ab", "cd", "ef", "gh"}};
  refused(fields, "arcsec", "text in BMAJ");
  fields = four_beams("deg");
  fields[3].rows = stored<std::int32_t>({10, 11, 12, 13});
  refused(fields, "arcsec", "no beam");
  fields = four_beams("deg");
  fields[3] = {"CHAN", "D", stored<double>({-1e300, std::nan(""), 1e300, 0.5})};
  EXPECT_EQ(read_beam_table(write(fields, "arcsec")).size(), 4U);
  EXPECT_THROW(read_beam_table(write(four_beams("deg"), "arcsec", "OTHER")), Error);
  testing::write_file(folder_ / "short.fits",
                      (testing::primary() + testing::fits_table(four_beams("deg"), "BEAMS")).substr(0, 5760));
  EXPECT_THROW(read_beam_table(folder_ / "short.fits"), Error);
}

}  // namespace
}  // namespace srcextract
