#include "survey/merge/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "io/tables/table_file.hpp"
#include "tests/support/vector_columns.hpp"
#include "tests/survey/merge/merge_support.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using testing::contents_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::merged;
using testing::no_warning;
using ::testing::Not;
using testing::random_sources;
using testing::survey_of;
using testing::TemporaryFolder;
using testing::TestImage;
using testing::TestSurvey;

/// A table of the survey catalogue, read back by CFITSIO.
struct ReadTable {
  TableFile file;
  Table table;

  explicit ReadTable(const std::string& path) : file(open_table(path)) {
    std::vector<std::size_t> all(file.columns.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    table = read_table(file, all);
  }
  const TableColumn& column(const std::string& name) const {
    const auto there = std::ranges::find(table.columns, name, &TableColumn::name);
    if (there == table.columns.end()) throw std::runtime_error("no column " + name);
    return *there;
  }
  template <class T>
  const std::vector<T>& values(const std::string& name) const {
    return std::get<std::vector<T>>(column(name).values);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const ColumnHead& head : file.columns) names.push_back(head.name);
    return names;
  }
};

ReadTable sources_of(const TemporaryFolder& folder) {
  return ReadTable(folder / "survey.cat.fits[SOURCES]");
}
ReadTable images_of(const TemporaryFolder& folder) {
  return ReadTable(folder / "survey.cat.fits[IMAGES]");
}

/// Integers as doubles too: a column is read as what holds all of its values.
std::vector<double> numbers(const ReadTable& table, const std::string& name) {
  std::vector<double> numbers;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        if constexpr (!std::is_same_v<T, std::string>) numbers.assign(values.begin(), values.end());
      },
      table.column(name).values);
  return numbers;
}

std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (double value : values) bits.push_back(std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value));
  return bits;
}

std::vector<double> joined(const std::vector<TestImage>& images, ColumnKey<double> column) {
  std::vector<double> all;
  for (const TestImage& image : images) {
    const std::vector<double>& values = image.sources[column];
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(Merge, HoldsEveryRowOfEveryCatalogInTheOrderOfNames) {
  const TemporaryFolder folder;
  const std::vector<TestImage> images = {{"B/x.fits", random_sources(7, true, 1)},
                                         {"a.fits", random_sources(60'000, true, 2)},
                                         {"a/0.fits", random_sources(0, true, 3)},
                                         {"a/1.fits", random_sources(3, true, 4)}};
  merged(folder, {survey_of(folder, {images[3], images[1], images[0], images[2]})});
  const ReadTable sources = sources_of(folder);
  std::vector<std::string> of_row(7, "B/x.fits");
  of_row.resize(60'007, "a.fits");
  of_row.resize(60'010, "a/1.fits");
  EXPECT_EQ(sources.values<std::string>("IMAGE"), of_row);
  EXPECT_EQ(bits(numbers(sources, "X_IMAGE")), bits(joined(images, columns::x_image)));
  EXPECT_EQ(bits(numbers(sources, "DELTA_J2000")), bits(joined(images, columns::delta_j2000)));
}

TEST(Merge, KeepsColumnsUnitsAndDescriptions) {
  const TemporaryFolder folder;
  TestSurvey survey(folder, "out");
  const ReadTable catalog(survey.add({"a.fits", random_sources(3, true, 1), {}, "c", "Jy/beam"}));
  survey.finish();
  merged(folder, {survey.path()});
  const ReadTable sources = sources_of(folder);
  ASSERT_EQ(sources.file.columns.size(), catalog.file.columns.size() + 1);
  EXPECT_EQ(sources.file.columns[0].name, "IMAGE");
  for (std::size_t i = 0; i < catalog.file.columns.size(); ++i) {
    const ColumnHead &before = catalog.file.columns[i], &after = sources.file.columns[i + 1];
    EXPECT_EQ(std::tie(before.name, before.unit, before.ucd, before.description),
              std::tie(after.name, after.unit, after.ucd, after.description));
  }
  EXPECT_EQ(sources.column("FLUX_ISO").unit, "pixel.Jy/beam");
  EXPECT_EQ(sources.column("FLUX_MAX").unit, "Jy/beam");
}

TEST(Merge, KeepsVectors) {
  const TemporaryFolder folder;
  Sources with = random_sources(4, false, 1), without = random_sources(2, false, 2);
  testing::add_vector_columns<double>(with, "FLUX_APER", 3, 1);
  merged(folder, {survey_of(folder, {{"a.fits", with}, {"b.fits", without}, {"c.fits", with}})});
  const ReadTable sources = sources_of(folder);
  for (const char* name : {"FLUX_APER", "FLUX_APER_1", "FLUX_APER_2"}) {
    const std::vector<double>& values = with[ColumnKey<double>{name}];
    std::vector<double> all = values;
    all.resize(6, std::numeric_limits<double>::quiet_NaN());
    all.insert(all.end(), values.begin(), values.end());
    EXPECT_EQ(bits(numbers(sources, name)), bits(all));
  }
  EXPECT_THAT(contents_of(folder / "survey.cat.fits"), HasSubstr("= '3D "));
}

TEST(Merge, SaysOfEveryImageWhatBecameOfIt) {
  const TemporaryFolder folder;
  merged(folder, {survey_of(folder, {{"a.fits", random_sources(2, false, 1), 3, "cafe"},
                                     {"b.fits", {}, {}, "f00d", "", "it\nis no FITS file"}})});
  const ReadTable images = images_of(folder);
  EXPECT_THAT(images.names(), ElementsAre("IMAGE", "HDU", "STATUS", "SOURCES", "WIDTH", "HEIGHT", "BACKGROUND", "SIGMA",
                                          "UNIT", "DATASUM", "BYTES", "CONFIG", "REASON"));
  const auto text = [&](const std::string& name) { return images.values<std::string>(name); };
  EXPECT_THAT(text("IMAGE"), ElementsAre("a.fits[3]", "b.fits"));
  EXPECT_THAT(text("STATUS"), ElementsAre("done", "failed"));
  EXPECT_THAT(text("CONFIG"), ElementsAre("cafe", "f00d"));
  EXPECT_THAT(text("UNIT"), ElementsAre("count", ""));
  EXPECT_THAT(text("REASON"), ElementsAre("", "it?is no FITS file"));
  EXPECT_THAT(numbers(images, "SOURCES"), ElementsAre(2, 0));
  EXPECT_THAT(numbers(images, "BYTES"), ElementsAre(14400, 14400));
  const auto nan = ::testing::IsNan();
  EXPECT_THAT(numbers(images, "HDU"), ElementsAre(3, nan));
  EXPECT_THAT(numbers(images, "WIDTH"), ElementsAre(640, nan));
  EXPECT_THAT(numbers(images, "HEIGHT"), ElementsAre(480, nan));
  EXPECT_THAT(numbers(images, "DATASUM"), ElementsAre(0xfedcba98, nan));
  EXPECT_THAT(numbers(images, "BACKGROUND"), ElementsAre(100.25, nan));
  EXPECT_THAT(numbers(images, "SIGMA"), ElementsAre(0.1, nan));
}

TEST(Merge, CountsWhatItMerged) {
  const TemporaryFolder folder;
  const std::string out = survey_of(folder, {{"a.fits", random_sources(2, false, 1)},
                                             {"b.fits", random_sources(5, false, 1)},
                                             {"c.fits", {}, {}, "c", "", "no"}});
  const Merged counts = merge_surveys({{out}, folder / "s.fits", false, "1"}, no_warning);
  EXPECT_EQ(counts.images, 3);
  EXPECT_EQ(counts.failures, 1);
  EXPECT_EQ(counts.sources, 7);
}

/// Images dealt over directories at random, in random order.
std::vector<std::string> deal(const TemporaryFolder& folder, std::vector<TestImage> images, int shards, unsigned seed) {
  std::mt19937 random(seed);
  std::ranges::shuffle(images, random);
  std::vector<std::vector<TestImage>> of_shard(static_cast<std::size_t>(shards));
  for (TestImage& image : images) of_shard[random() % of_shard.size()].push_back(std::move(image));
  std::vector<std::string> directories;
  for (int i = 1; i <= shards; ++i) {
    TestSurvey survey(folder, std::to_string(shards) + "-" + std::to_string(i), {i, shards});
    for (const TestImage& image : of_shard[static_cast<std::size_t>(i - 1)]) survey.add(image);
    survey.finish();
    directories.push_back(survey.path());
  }
  std::ranges::shuffle(directories, random);
  return directories;
}

TEST(Merge, GivesTheSameBytesHoweverTheSurveyWasDivided) {
  std::vector<TestImage> images;
  for (unsigned i = 0; i < 30; ++i) {
    const std::string name = "n" + std::to_string(i % 4) + "/" + std::to_string(i) + ".fits";
    images.push_back({name, random_sources(i * i % 17, i % 3 == 0, i), {}, "c", i % 5 == 0 ? "adu" : "count"});
    if (i % 7 == 0) images.back().failure = "cannot read " + name;
  }
  const TemporaryFolder folder;
  const std::string whole = merged(folder, deal(folder, images, 1, 1));
  EXPECT_EQ(merged(folder, deal(folder, images, 3, 2)), whole);
  EXPECT_EQ(merged(folder, deal(folder, images, 7, 3)), whole);
}

TEST(Merge, FillsColumnsThatSomeCatalogsDoNotHaveWithNaN) {
  const TemporaryFolder folder;
  const TestImage with{"b.fits", random_sources(2, true, 1)}, without{"a.fits", random_sources(3, false, 2)};
  std::vector<std::string> warnings;
  merged(folder, {survey_of(folder, {with, without})}, [&](const std::string& text) { warnings.push_back(text); });
  EXPECT_THAT(warnings, IsEmpty());
  const ReadTable sources = sources_of(folder);
  EXPECT_EQ(bits(numbers(sources, "Y_IMAGE")), bits(joined({without, with}, columns::y_image)));
  const std::vector<double> alpha = numbers(sources, "ALPHA_J2000");
  ASSERT_EQ(alpha.size(), 5u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(alpha[i])) << i;
  EXPECT_EQ(bits({alpha.begin() + 3, alpha.end()}), bits(with.sources[columns::alpha_j2000]));
}

TEST(Merge, GivesNoUnitToAColumnThatHasSeveral) {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;
  const std::string out = survey_of(folder, {{"a.fits", random_sources(2, false, 1), {}, "c", "adu"},
                                             {"b.fits", random_sources(2, false, 2), {}, "c", "Jy/beam"},
                                             {"c.fits", random_sources(2, false, 2), {}, "c", "adu"}});
  merged(folder, {out}, [&](const std::string& text) { warnings.push_back(text); });
  EXPECT_THAT(warnings,
              ElementsAre(AllOf(HasSubstr("'adu', 'pixel.Jy/beam'"), HasSubstr("FLUX_ISO"), Not(HasSubstr("SNR")))));
  EXPECT_EQ(sources_of(folder).column("FLUX_ISO").unit, "");
  EXPECT_EQ(sources_of(folder).column("X_IMAGE").unit, "pixel");
  EXPECT_THAT(images_of(folder).values<std::string>("UNIT"), ElementsAre("adu", "Jy/beam", "adu"));
}

TEST(Merge, WritesNamesThatAreNotAsciiAsInUrls) {
  const TemporaryFolder folder;
  merged(folder, {survey_of(folder, {{"caf\xc3\xa9.fits", random_sources(1, false, 1)},
                                     {"caf\xc3\xa8 1.fits", random_sources(1, false, 1)},
                                     {"50%25.fits", random_sources(1, false, 1)}})});
  EXPECT_THAT(sources_of(folder).values<std::string>("IMAGE"),
              ElementsAre("50%2525.fits", "caf%C3%A8 1.fits", "caf%C3%A9.fits"));
}

TEST(Merge, HasEmptyTablesWhereNothingWasExtracted) {
  const TemporaryFolder folder;
  merged(folder, {survey_of(folder, {})});
  EXPECT_THAT(sources_of(folder).names(), ElementsAre("IMAGE"));
  EXPECT_EQ(sources_of(folder).table.rows, 0);
  EXPECT_EQ(images_of(folder).table.rows, 0);
}

TEST(Merge, KeepsTheConfigurationWhereAllImagesHaveOne) {
  const TemporaryFolder folder, other;
  const Sources no_rows = random_sources(0, false, 1);
  EXPECT_THAT(merged(folder, {survey_of(folder, {{"a.fits", no_rows}, {"b.fits", no_rows}})}),
              AllOf(HasSubstr("HISTORY srcextract config:"), HasSubstr("HISTORY   threshold: 5"),
                    HasSubstr("CREATOR = 'srcextract 1.2.3'")));
  EXPECT_THAT(merged(other, {survey_of(other, {{"a.fits", no_rows, {}, "1"}, {"b.fits", no_rows, {}, "2"}})}),
              AllOf(Not(HasSubstr("threshold: 5")), HasSubstr("HISTORY srcextract: 2 configurations")));
}

TEST(Merge, SaysThatVersionsOfTheProgramDiffer) {
  const TemporaryFolder folder;
  const Sources no_rows = random_sources(0, false, 1);
  TestImage old{"a.fits", no_rows}, next{"b.fits", no_rows};
  old.program = "0.1.0";
  next.program = "0.2.0";
  std::vector<std::string> warnings;
  merged(folder, {survey_of(folder, {old, next})}, [&](const std::string& text) { warnings.push_back(text); });
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("(0.1.0, 0.2.0)")));
}

TEST(Merge, TakesAnImageOfSeveralDirectoriesOnce) {
  const TemporaryFolder folder;
  const TestImage done{"a.fits", random_sources(4, false, 1)}, failed{"a.fits", {}, {}, "other", "", "gone"};
  TestSurvey first(folder, "1"), second(folder, "2"), third(folder, "3");
  first.add(failed);
  second.add(done);
  third.add(done);
  for (TestSurvey* survey : {&first, &second, &third}) survey->finish();
  const std::string once = merged(folder, {first.path(), second.path(), third.path()});
  EXPECT_EQ(merged(folder, {third.path(), second.path(), first.path(), third.path()}), once);
  EXPECT_EQ(merged(folder, {second.path()}), once);
}

TEST(Merge, AFileThatIsDoneHasNotFailed) {
  const TemporaryFolder folder;
  TestSurvey first(folder, "1"), second(folder, "2");
  first.add({"a.fits", {}, {}, "c", "", "gone"});
  second.add({"a.fits", random_sources(1, false, 1), 1, "c"});
  second.add({"a.fits", random_sources(2, false, 1), 4, "c"});
  first.finish();
  second.finish();
  merged(folder, {first.path(), second.path()});
  EXPECT_THAT(images_of(folder).values<std::string>("IMAGE"), ElementsAre("a.fits[1]", "a.fits[4]"));
}

}  // namespace
}  // namespace srcextract
