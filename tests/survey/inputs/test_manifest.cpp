#include "survey/inputs/manifest.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "stages/core/error.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Manifest : public ::testing::Test {
 protected:
  std::vector<ManifestRow> rows(const std::string& name, const std::string& text) {
    folder_.write(name, text);
    std::vector<ManifestRow> rows;
    note_ = read_manifest(folder_ / name, configs_, [&](const ManifestRow& row) { rows.push_back(row); });
    return rows;
  }
  std::vector<std::string> names(const std::string& name, const std::string& text) {
    std::vector<std::string> names;
    for (const ManifestRow& row : rows(name, text)) names.push_back(row.name);
    return names;
  }
  /// What follows the manifest's path in the message of the Error{config}.
  std::string mistake(const std::string& name, const std::string& text) {
    const std::string message = testing::config_error([&] { rows(name, text); });
    EXPECT_THAT(message, StartsWith(folder_ / name));
    return message.substr(std::min(message.size(), (folder_ / name).size()));
  }

  testing::TemporaryFolder folder_;
  ConfigVariants configs_{Config{}};
  std::string note_;  ///< of the last one
};

TEST_F(Manifest, IsToldByItsName) {
  for (const char* name : {"a.txt", "a.csv", "b/a.ecsv", "A.CSV"}) EXPECT_TRUE(is_manifest_name(name)) << name;
  for (const char* name : {"a.fits", "txt", ".txt", "a.txt.fits", "a.txt/b"})
    EXPECT_FALSE(is_manifest_name(name)) << name;
}

TEST_F(Manifest, AListHasAPathALine) {
  const auto list = rows("list.txt", "# the first night\nnight1/a.fits\r\n\n  night1/b #2.fits \t\n /data/c.fits");
  ASSERT_THAT(list, SizeIs(3));
  EXPECT_EQ(list[0].path, folder_ / "night1/a.fits");
  EXPECT_EQ(list[0].name, "night1/a.fits");
  EXPECT_EQ(list[0].line, 2);
  EXPECT_EQ(list[1].path, folder_ / "night1/b #2.fits");
  EXPECT_EQ(list[1].line, 4);
  EXPECT_EQ(list[2].path, "/data/c.fits");
  EXPECT_EQ(list[2].name, "c.fits");
  EXPECT_EQ(list[2].config, configs_.with({}));
}

TEST_F(Manifest, ARelativePathThatStaysBelowIsTheName) {
  EXPECT_THAT(
      names("list.txt", "./a.fits\nb//c.fits\nb/../d.fits\nb/./e.fits\n../f.fits\nb/../../g/h.fits\n..i.fits\n"),
      ElementsAre("a.fits", "b/c.fits", "d.fits", "b/e.fits", "f.fits", "h.fits", "..i.fits"));
}

TEST_F(Manifest, ADirectoryIsNoRow) {
  for (const char* path : {"night1/", "..", "../..", ".", "/", "night1/.."})
    EXPECT_THAT(mistake("list.txt", "a.fits\n" + std::string(path) + "\n"),
                AllOf(StartsWith(":2: "), HasSubstr("give the directory as INPUT")))
        << path;
}

TEST_F(Manifest, ATableNamesAndOverrides) {
  const auto table = rows("m.csv",
                          "seeing,path,name,detection.threshold,input.hdu\n"
                          "1.2,a.fits,,,\n"
                          "1.3,a.fits,m31/first.fits,4.5,SCI\n"
                          "\n"
                          "bad,\"b,c.fits\",,4.50,\n");
  ASSERT_THAT(table, SizeIs(3));
  EXPECT_EQ(table[0].config, configs_.with({}));
  EXPECT_EQ(table[0].name, "a.fits");
  EXPECT_EQ(table[1].name, "m31/first.fits");
  EXPECT_EQ(table[1].path, folder_ / "a.fits");
  EXPECT_EQ(table[1].config->config.detection.threshold, 4.5);
  EXPECT_EQ(table[1].config->config.input.hdu, "SCI");
  EXPECT_EQ(table[2].name, "b,c.fits");
  EXPECT_EQ(table[2].line, 5);
  EXPECT_EQ(table[2].config->config.input.hdu, "auto");
  EXPECT_EQ(table[2].config->config.detection.threshold, 4.5);
}

// As Astropy 5 writes Table({...}).write("m.ecsv"), with a masked value in each column but the first.
TEST_F(Manifest, AnEcsvTableIsReadAsItsTextSays) {
  const auto table = rows("m.ecsv",
                          "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: path, datatype: string}\n"
                          "# - {name: detection.min_area, datatype: int64}\n"
                          "# - {name: output.segmentation, datatype: string}\n# schema: astropy-2.0\n"
                          "path detection.min_area output.segmentation\n\"a b.fits\" 3 \"\"\nb.fits \"\" true\n");
  ASSERT_THAT(table, SizeIs(2));
  EXPECT_EQ(table[0].name, "a b.fits");
  EXPECT_EQ(table[0].config->config.detection.min_area, 3);
  EXPECT_FALSE(table[0].config->config.output.segmentation);
  EXPECT_EQ(table[1].config->config.detection.min_area, 5);
  EXPECT_TRUE(table[1].config->config.output.segmentation);
}

TEST_F(Manifest, RowsWithTheSameOverridesShareAConfiguration) {
  std::string text = "path,measurement.gain\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + ".fits," + std::to_string(i % 3) + "\n";
  std::set<const ImageConfig*> configs;
  for (const ManifestRow& row : rows("m.csv", text)) configs.insert(row.config.get());
  EXPECT_THAT(configs, SizeIs(3));
}

TEST_F(Manifest, AWrongOverrideIsSaidWithItsLine) {
  EXPECT_THAT(mistake("m.csv", "path,detection.threshold\na.fits,5\n\"b\nc.fits\",5\nd.fits,five\n"),
              AllOf(StartsWith(":5: --set detection.threshold=five: "), HasSubstr("must be a number")));
  EXPECT_THAT(mistake("m.csv", "path,detection.connectivity\na.fits,6\n"), HasSubstr("one of 4, 8"));
}

TEST_F(Manifest, AColumnThatIsNoKeyOfItsSectionIsAMistake) {
  EXPECT_THAT(mistake("m.csv", "# mine\npath,detection.treshold\na.fits,\n"),
              AllOf(StartsWith(":2: unknown key 'treshold'"), EndsWith("did you mean 'threshold'?")));
  EXPECT_THAT(mistake("m.csv", "path,detektion.threshold\na.fits,5\n"), StartsWith(":1: unknown section 'detektion'"));
  EXPECT_THAT(mistake("m.csv", "path,threshold\na.fits,5\n"),
              AllOf(StartsWith(":1: column 'threshold'"), HasSubstr("detection.threshold")));
}

TEST_F(Manifest, AColumnThatIsNearlyOneIsAMistake) {
  for (const auto& [column, meant] :
       std::vector<std::pair<std::string, std::string>>{{"Detect", "'detect'"},
                                                        {"detec", "'detect'"},
                                                        {"detcet", "'detect'"},
                                                        {"position", "'positions'"},
                                                        {"Positons", "'positions'"},
                                                        {"NAME", "'name'"},
                                                        {"paths", "'path'"},
                                                        {"bands:g", "'band:g'"},
                                                        {"Band:g", "'band:g'"},
                                                        {"detetc:mask.file", "'detect:mask.file'"},
                                                        {"extends", "CONFIG"},
                                                        {"colour:g", "'band:NAME'"},
                                                        {"mask.file:g", "'band:NAME'"}})
    EXPECT_THAT(mistake("m.csv", "path," + column + "\na.fits,b.fits\n"),
                AllOf(StartsWith(":1: column '" + column + "' means nothing"), HasSubstr(meant)));
  EXPECT_THAT(mistake("m.csv", "Path\na.fits\n"), HasSubstr("write 'path'"));
}

TEST_F(Manifest, OtherColumnsAreNamedAndLeftAlone) {
  EXPECT_THAT(names("m.csv", "path,name\na.fits,\n"), ElementsAre("a.fits"));
  EXPECT_EQ(note_, "");
  for (const char* column :
       {"exposure", "observer", "date", "mean", "detector", "band", "DATE-OBS", "filter name", "size"}) {
    EXPECT_THAT(names("m.csv", "path," + std::string(column) + "\na.fits,b\n"), ElementsAre("a.fits"));
    EXPECT_THAT(note_, EndsWith("left alone: '" + std::string(column) + "'"));
  }
  std::string head = "path";
  for (int i = 1; i <= 22; ++i) head += ",c" + std::to_string(i);
  rows("m.csv", head + "\na.fits" + std::string(22, ',') + "\n");
  EXPECT_THAT(note_, EndsWith("'c9', 'c10' and 12 more"));
}

TEST_F(Manifest, NamesFilesBesideTheImage) {
  const auto table = rows("m.csv",
                          "path,detect,detect:input.hdu,positions,name\n"
                          "a.fits,deep/a.fits,2,,\n"
                          "b.fits,/deep/b.fits,,,\n"
                          "c.fits,,,known.csv,\n"
                          "c.fits,,,known.csv,d.fits\n"
                          "e.fits,,,,\n");
  ASSERT_THAT(table, SizeIs(5));
  const DetectionTask& first = *table[0].beside->detection;
  EXPECT_EQ(first.path, folder_ / "deep/a.fits");
  EXPECT_EQ(first.config().input.hdu, "2");
  EXPECT_EQ(first.config().place_of("input.hdu"), "detect:input.hdu=2");
  EXPECT_EQ(table[0].config, configs_.with({}));
  EXPECT_EQ(table[1].beside->detection->path, "/deep/b.fits");
  EXPECT_EQ(table[1].beside->detection->given, configs_.with({}));
  EXPECT_EQ(table[2].beside->positions, folder_ / "known.csv");
  EXPECT_FALSE(table[2].beside->detection.has_value());
  EXPECT_EQ(table[2].name, "c.forced");
  EXPECT_EQ(table[3].name, "d.fits");
  EXPECT_EQ(table[3].beside, table[2].beside);
  EXPECT_EQ(table[4].beside, nullptr);
}

TEST_F(Manifest, AReferenceHasKeysOfItsOwn) {
  const auto table = rows("m.csv",
                          "path,reference,reference:mask.file,mask.file,detection.threshold\n"
                          "a.fits,r.fits,m.fits,n.fits,4\n"
                          "b.fits,r.fits,,n.fits,\n"
                          "c.fits,r.fits,m.fits,n.fits,4\n");
  ASSERT_THAT(table, SizeIs(3));
  const Config& own = table[0].beside->of_reference->config;
  EXPECT_EQ(own.mask.file, "m.fits");
  EXPECT_EQ(own.place_of("mask.file"), "reference:mask.file=m.fits");
  EXPECT_EQ(own.detection.threshold, 4);
  EXPECT_EQ(table[0].config->config.mask.file, "n.fits");
  EXPECT_EQ(table[1].beside->of_reference, nullptr);  // the mask of the image is not the reference's
  EXPECT_NE(table[0].beside->hash, table[1].beside->hash);
  EXPECT_EQ(table[2].beside->of_reference, table[0].beside->of_reference);
  const std::string head = "path,reference,reference:";
  EXPECT_THAT(mistake("m.csv", head + "mask.file\na.fits,,m.fits\n"), HasSubstr("the row names none"));
  EXPECT_THAT(mistake("m.csv", head + "detection.threshold\na.fits,r.fits,3\n"),
              HasSubstr("reference:detection.threshold: a reference can have its own keys of"));
  EXPECT_THAT(mistake("m.csv", head + "mask.fil\na.fits,r.fits,3\n"), HasSubstr("unknown key 'fil'"));
  EXPECT_THAT(rows("m.csv", head + "measurement.gain_keyword\na.fits,r.fits,EGAIN\n"), SizeIs(1));
}

TEST_F(Manifest, NamesBands) {
  const auto table = rows("m.csv",
                          "band:r:measurement.gain,detect,band:g,band:r,path,detection.threshold\n"
                          "2,deep/a.fits,g.fits,r/r.fits,,4\n"
                          ",deep/a.fits,,r/r.fits,,\n"
                          ",,,,b.fits,\n");
  ASSERT_THAT(table, SizeIs(3));
  EXPECT_EQ(table[0].path, folder_ / "deep/a.fits");
  EXPECT_EQ(table[0].name, "deep/a.bands");
  EXPECT_EQ(table[0].beside->detection->path, folder_ / "deep/a.fits");
  EXPECT_EQ(table[0].beside->detection->given, table[0].config);
  const std::vector<BandFile>& bands = table[0].beside->bands;
  ASSERT_THAT(bands, SizeIs(2));
  EXPECT_EQ(bands[0].name, "g");
  EXPECT_EQ(bands[0].path, folder_ / "g.fits");
  EXPECT_EQ(bands[0].given, table[0].config);
  EXPECT_EQ(bands[1].path, folder_ / "r/r.fits");
  EXPECT_THAT(bands[1].settings, ElementsAre("measurement.gain=2"));
  EXPECT_EQ(bands[1].given->config.measurement.gain, 2);
  EXPECT_EQ(bands[1].given->config.detection.threshold, 4);
  EXPECT_EQ(bands[1].given->config.place_of("measurement.gain"), "band:r:measurement.gain=2");
  ASSERT_THAT(table[1].beside->bands, SizeIs(1));
  EXPECT_EQ(table[1].beside->bands.front().name, "r");
  EXPECT_EQ(table[2].beside, nullptr);
}

TEST_F(Manifest, TheHashOfFilesBesideIsThatOfWhatItCallsThem) {
  const std::string text = "path,detect\na.fits,b.fits\n";
  const auto hash = [](const std::vector<ManifestRow>& rows) { return rows.front().beside->hash; };
  folder_.write("b.fits", "one");
  const std::uint64_t before = hash(rows("m.csv", text));
  EXPECT_EQ(hash(rows("n.csv", text)), before);
  EXPECT_NE(hash(rows("m.csv", "path,detect,detect:mask.hdu\na.fits,b.fits,2\n")), before);
  EXPECT_NE(hash(rows("m.csv", "path,detect\na.fits,./b.fits\n")), before);
  EXPECT_NE(hash(rows("m.csv", "path,positions\na.fits,b.fits\n")), before);
  folder_.write("b.fits", "other");
  EXPECT_NE(hash(rows("m.csv", text)), before);
}

TEST_F(Manifest, WithoutAColumnOfPathsItIsNone) {
  EXPECT_THAT(mistake("m.csv", "file,name\na.fits,b\n"), AllOf(StartsWith(":1: "), HasSubstr("'path'")));
  EXPECT_THAT(mistake("m.csv", "path,name\n,b\n"), StartsWith(":2: the path is empty"));
}

TEST_F(Manifest, AHeaderThatIsNoneIsAMistakeOfTheUser) {
  EXPECT_THAT(mistake("m.csv", "path,name,path\na.fits,b,c\n"), AllOf(StartsWith(":1: "), HasSubstr("path")));
  EXPECT_THAT(mistake("m.csv", "path;name\na.fits;b\n"), AllOf(StartsWith(":1: "), HasSubstr("';'")));
  EXPECT_THAT(mistake("m.csv", "1,2\n3,4\n"), StartsWith(":1: "));
  EXPECT_THAT(mistake("m.ecsv", "# %ECSV 1.0\n# ---\n# nothing\npath\na.fits\n"), StartsWith(":"));
}

TEST_F(Manifest, ANameMustStayInTheOutputDirectory) {
  for (const char* name : {"/etc/passwd", "../a.fits", "b/../../a.fits", "b/..", "..", ".", "b/", "./", "b/."})
    EXPECT_THAT(mistake("m.csv", "path,name\na.fits,a.fits\na.fits," + std::string(name) + "\n"),
                StartsWith(":3: the name '" + std::string(name) + "'"));
  EXPECT_THAT(names("m.csv", "path,name\na.fits,./b//c.fits\na.fits,..d..e\n"), ElementsAre("b/c.fits", "..d..e"));
}

TEST_F(Manifest, ARowOfAnotherLengthIsDamaged) {
  for (const char* row : {"c.fits", "c.fits,d,e"}) {
    try {
      rows("m.csv", "path,name\na.fits,b\n" + std::string(row) + "\n");
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), StartsWith((folder_ / "m.csv") + ":3: the row has "));
    }
  }
}

}  // namespace
}  // namespace srcextract
