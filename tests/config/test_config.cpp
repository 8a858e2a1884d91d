#include "config/config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "stages/core/error.hpp"
#include "stages/settings/keys.hpp"
#include "tests/config/parse_support.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using testing::message;
using testing::parse;
using testing::TemporaryFolder;
using testing::Wrong;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// --- what is read ----------------------------------------------------------------------------------------------------

TEST(Config, NothingIsAllDefaults) {
  const std::string defaults = dump_config(Config{});
  for (const char* yaml : {"", "\n", "# only a comment\n", "---\n", "{}\n"})
    EXPECT_EQ(dump_config(parse(yaml)), defaults);
}

TEST(Config, EveryKeyIsRead) {
  const Config c = parse(R"(input: {hdu: SCI, plane: 7}
background: {method: constant, kappa: 2.5, max_iterations: 20}
weights: {type: none}
detection: {threshold: -0.125, threshold_unit: absolute, reference: zero, connectivity: 4, min_area: 9}
measurement: {reference: zero, gain: 1.75, mask: blank, noise: apertures, overlap: exact, apertures: [3, 7.5], kron: [2, 3], petrosian: [1.5, 4], flux_radius: [0.2, 0.9],
  annulus: [0, 7.5], nnw: stars.nnw, seeing_fwhm: 0.8}
output: {formats: [csv, "fits", reg, ecsv, ascii_head, ldac], columns: [NUMBER, photometry], segmentation: true, quicklook: true, header_keywords: [SEEING, DATE]}
combine: {method: weighted, files: [g.fits, 'a b/i.fits'], weights: [1, 2.5, -1]}
convolve: {kernel: values, values: [[1, 2, 1], [0, 0, 0], [-1, -2, -1]], normalize: false, edges: reflect}
morphology: {operation: opening, element: square, iterations: 2}
difference: {align: wcs, interpolation: bilinear, kernel: gaussian, match_flux: false, match_background: false,
             reference_fwhm: 2.5, new_fwhm: 3}
quicklook: {stretch: equalize, limits: values, low: -1, high: 5, bins: 256, overlay: pixels, size: 99}
)");
  EXPECT_EQ(c.input.hdu, "SCI");
  EXPECT_EQ(c.input.plane, 7);
  EXPECT_EQ(c.background, (BackgroundConfig{.method = BackgroundMethod::constant, .kappa = 2.5, .max_iterations = 20}));
  EXPECT_EQ(c.weights.type, WeightType::none);
  EXPECT_EQ(c.detection.threshold, -0.125);
  EXPECT_EQ(c.detection.threshold_unit, ThresholdUnit::absolute);
  EXPECT_EQ(c.detection.reference, Baseline::zero);
  EXPECT_EQ(c.detection.connectivity, 4);
  EXPECT_EQ(c.detection.min_area, 9);
  EXPECT_EQ(c.measurement.reference, Baseline::zero);
  EXPECT_EQ(c.measurement.mask, MaskNeighbours::blank);
  EXPECT_EQ(c.measurement.overlap, Overlap::exact);
  EXPECT_EQ(c.measurement.noise, NoiseOfSums::apertures);
  EXPECT_THAT(c.measurement.apertures, ElementsAre(3, 7.5));
  EXPECT_THAT(c.measurement.kron, ElementsAre(2, 3));
  EXPECT_THAT(c.measurement.petrosian, ElementsAre(1.5, 4));
  EXPECT_THAT(c.measurement.flux_radius, ElementsAre(0.2, 0.9));
  EXPECT_THAT(c.measurement.annulus, ElementsAre(0, 7.5));
  EXPECT_EQ(c.measurement.nnw, "stars.nnw");
  EXPECT_EQ(c.measurement.seeing_fwhm, 0.8);
  EXPECT_THAT(c.output.columns, ElementsAre("NUMBER", "photometry"));
  EXPECT_TRUE(c.output.quicklook);
  EXPECT_THAT(c.output.header_keywords, ElementsAre("SEEING", "DATE"));
  EXPECT_EQ(c.combine, (CombineConfig{CombineMethod::weighted, {}, {}, {"g.fits", "a b/i.fits"}, {1, 2.5, -1}}));
  ConvolveConfig sobel;
  sobel.kernel = KernelShape::values;
  sobel.normalize = false;
  sobel.edges = Edges::reflect;
  sobel.values = {{1, 2, 1}, {0, 0, 0}, {-1, -2, -1}};
  EXPECT_EQ(c.convolve, sobel);
  EXPECT_EQ(c.morphology, (MorphologyConfig{MorphologicalOperation::opening, StructuringElement::square, 2}));
  EXPECT_EQ(c.difference, (DifferenceConfig{.align = Align::wcs,
                                            .interpolation = Interpolation::bilinear,
                                            .kernel = MatchingKernel::gaussian,
                                            .match_flux = false,
                                            .match_background = false,
                                            .reference_fwhm = 2.5,
                                            .new_fwhm = 3}));
  EXPECT_EQ(c.quicklook, (QuicklookConfig{Stretch::equalize, Limits::values, -1, 5, 256, Overlay::pixels, 99}));
  EXPECT_EQ(c.measurement.gain, 1.75);
  EXPECT_THAT(c.output.formats, ElementsAre(CatalogFormat::csv, CatalogFormat::fits, CatalogFormat::reg,
                                            CatalogFormat::ecsv, CatalogFormat::ascii_head, CatalogFormat::ldac));
  EXPECT_TRUE(c.output.segmentation);
}

TEST(Config, EveryKeyIsReadThatOthersLeaveWithoutUse) {
  const Config c = parse(
      "background: {method: mesh, mesh_size: 32, mesh_height: 48, estimator: median, rms_map: sextractor, filter_size: "
      "5, "
      "filter_height: 3, filter_threshold: 1.5}\n"
      "deblend: {method: tree, thresholds: 64, contrast: 0.0001, clean: true, clean_beta: 2.5}\n");
  EXPECT_EQ(c.background, (BackgroundConfig{BackgroundMethod::mesh, 3, 0, 32, 48, BackgroundEstimator::median,
                                            NoiseBetweenNodes::sextractor, 5, 3, 1.5}));
  EXPECT_EQ(c.deblend, (DeblendConfig{DeblendMethod::tree, 64, 0.0001, true, 2.5}));
}

TEST(Config, NumbersAreThoseOfYaml) {
  const auto threshold = [](const std::string& text) {
    return parse("detection: {threshold: " + text + "}").detection.threshold;
  };
  EXPECT_EQ(threshold("5"), 5.0);
  EXPECT_EQ(threshold("+5"), 5.0);
  EXPECT_EQ(threshold("1e3"), 1000.0);
  EXPECT_EQ(threshold("1.5E-3"), 0.0015);
  EXPECT_EQ(threshold(".5"), 0.5);
  EXPECT_EQ(threshold("5."), 5.0);
  EXPECT_EQ(threshold("0.1"), 0.1);
  EXPECT_EQ(parse("background: {max_iterations: 9223372036854775807}").background.max_iterations,
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse("background: {max_iterations: +0}").background.max_iterations, 0);
}

TEST(Config, WordsOfTrueAndFalse) {
  for (const char* word : {"true", "True", "TRUE"}) {
    EXPECT_TRUE(parse(std::string("output: {segmentation: ") + word + "}").output.segmentation);
  }
  for (const char* word : {"false", "False", "FALSE"}) {
    EXPECT_FALSE(parse(std::string("output: {segmentation: ") + word + "}").output.segmentation);
  }
}

TEST(Config, HduIsANameOrANumber) {
  const auto hdu = [](const std::string& text) { return parse("input: {hdu: " + text + "}").input.hdu; };
  EXPECT_EQ(hdu("0"), "0");
  EXPECT_EQ(hdu("12"), "12");
  EXPECT_EQ(hdu("\"1\""), "1");
  EXPECT_EQ(hdu("all"), "all");
  EXPECT_EQ(hdu("WFC3-IR 2"), "WFC3-IR 2");
  EXPECT_EQ(hdu("'2MASS'"), "2MASS");
  EXPECT_EQ(hdu("'it''s, [odd]'"), "it's, [odd]");
  EXPECT_EQ(hdu("'true'"), "true");
}

TEST(Config, HdusAreAPatternAnExtverOrAList) {
  using Names = std::vector<std::string>;
  const auto names = [](const std::string& text) { return parse("input:\n  hdu: " + text + "\n").input.hdu.names; };
  EXPECT_EQ(names("SCI*"), Names{"SCI*"});
  EXPECT_EQ(names("'?CI,*'"), Names{"?CI,*"});
  EXPECT_EQ(names("SCI,2"), Names{"SCI,2"});
  EXPECT_EQ(names("[1, SCI2, 'SCI,2', 'ERR*']"), (Names{"1", "SCI2", "SCI,2", "ERR*"}));
  EXPECT_EQ(names("[SCI]"), names("SCI"));
  const std::string yaml = dump_config(parse("input: {hdu: [1, '2MASS', 'SCI,2', 'ERR*']}"));
  EXPECT_THAT(yaml, HasSubstr("  hdu: [1, '2MASS', 'SCI,2', 'ERR*']\n"));
  EXPECT_EQ(dump_config(parse(yaml)), yaml);
  EXPECT_EQ(parse("weights: {type: rms, hdu: [ERR, 4]}").weights.hdu.names, (Names{"ERR", "4"}));
  EXPECT_EQ(parse("mask: {file: m.fits, hdu: all}").mask.hdu, "all");
}

TEST(Config, AnchorsAndWindowsLineEndsAreRead) {
  const Config c = parse(
      "background: {method: constant}\r\ndetection: {reference: &r zero}\r\nmeasurement:\r\n  reference: *r\r\n  gain: "
      "2\r\n");
  EXPECT_EQ(c.measurement.reference, Baseline::zero);
  EXPECT_EQ(c.measurement.gain, 2.0);
}

TEST(Config, ALevelIsKeptAsItWasWritten) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  for (const char* number : {"100", "-2.5", "1.0e-7", "0", "+3"}) {
    const Config c = parse("background: {level: " + std::string(number) + ", rms: 2.5}");
    EXPECT_EQ(c.given_sky.level, number);
    EXPECT_EQ(given_number(c.given_sky.level), std::stod(number));
    EXPECT_EQ(given_number(c.given_sky.rms), 2.5);
    EXPECT_THAT(named_files(c), IsEmpty()) << number;
    EXPECT_EQ(parse(dump_config(c)).given_sky, c.given_sky) << number;
  }
  for (const char* path : {"sky.fits", "./100", "a b.fits", "1e5.fits"}) {
    const Config c = parse("background: {level: '" + std::string(path) + "', level_hdu: 2}");
    EXPECT_EQ(given_number(c.given_sky.level), std::nullopt) << path;
    EXPECT_THAT(named_files(c), ElementsAre(::testing::Field(&config::NamedFile::path, path)));
    EXPECT_EQ(parse(dump_config(c)).given_sky, c.given_sky) << path;
  }
  EXPECT_FALSE(has_level(parse("").given_sky));
  EXPECT_TRUE(has_level(parse("background: {level_hdu: SKY}").given_sky));
}

TEST(Config, MapsOfFlagsFollowTheFirst) {
  using Names = std::vector<std::string>;
  const Config c =
      parse("flags:\n  hdu: DQ\n  further:\n    - {hdu: [1, SCI2], type: max, bits: [BAD, 7]}\n    - file: b c.fits\n",
            {"flags.type=and"});
  EXPECT_EQ(c.flags.type, FlagType::bit_and);
  ASSERT_EQ(c.flags.further.size(), 2u);
  EXPECT_EQ(c.flags.further[0].hdu.names, (Names{"1", "SCI2"}));
  EXPECT_EQ(c.flags.further[0].type, FlagType::max);
  EXPECT_EQ(c.flags.further[0].bits, (Names{"BAD", "7"}));
  EXPECT_EQ(c.flags.further[1].file, "b c.fits");
  EXPECT_EQ(c.flags.further[1].type, FlagType::bit_or);
  EXPECT_THAT(named_files(c), ElementsAre(::testing::Field(&config::NamedFile::path, "b c.fits")));
  EXPECT_EQ(c.place_of("flags.further[1].bits"), "x.yaml:4:41");
  EXPECT_EQ(c.place_of("flags.further[2].file"), "x.yaml:5:13");
  const Config other = override_given(c, "x.yaml", set_overrides({"flags.further=[{hdu: 3}]"})).config;
  EXPECT_EQ(other.flags.further.size(), 1u);
  EXPECT_EQ(other.place_of("flags.further[1].hdu"), "--set flags.further=[{hdu: 3}]");
  EXPECT_EQ(other.place_of("flags.further[2].file"), "flags.further[2].file") << "that map is no longer there";
}

// --- --set -----------------------------------------------------------------------------------------------------------

TEST(ConfigOverrides, ApplyAfterTheFileAndInOrder) {
  const Config c = parse("detection: {threshold: 3, min_area: 2}",
                         {"detection.threshold=4.5", "output.formats=[fits, csv]", "input.hdu=SCI", "input.plane=2",
                          "detection.threshold=6", "output.segmentation=true"});
  EXPECT_EQ(c.detection.threshold, 6.0);
  EXPECT_EQ(c.detection.min_area, 2);
  EXPECT_THAT(c.output.formats, ElementsAre(CatalogFormat::fits, CatalogFormat::csv));
  EXPECT_EQ(c.input.hdu, "SCI");
  EXPECT_EQ(c.input.plane, 2);
  EXPECT_TRUE(c.output.segmentation);
}

TEST(ConfigOverrides, LimitsHoldForWhatResults) {
  const Config c = parse("", {"detection.threshold=-2", "detection.threshold_unit=absolute"});
  EXPECT_EQ(c.detection.threshold, -2.0);
  EXPECT_EQ(parse("detection: {min_area: 0}", {"detection.min_area=3"}).detection.min_area, 3);
}

TEST(ConfigOverrides, ApplyToAConfigurationAsToItsFile) {
  const std::string yaml = "detection: {threshold: -3, threshold_unit: absolute, min_area: 2}";
  const std::vector<std::string> overrides = {"detection.min_area=4", "input.hdu=SCI"};
  EXPECT_EQ(dump_config(override_given(parse(yaml), "x.yaml", set_overrides(overrides)).config),
            dump_config(parse(yaml, overrides)));
  const auto wrong = [&](const std::string& setting) {
    return testing::config_error([&] { override_given(parse(yaml), "x.yaml", set_overrides({setting})); });
  };
  EXPECT_THAT(wrong("detection.threshold_unit=sigma"),
              StartsWith("x.yaml:1:24: 'detection.threshold' must be greater"));
  EXPECT_EQ(wrong("detection.min_area=0"), message(yaml, {"detection.min_area=0"}));
}

TEST(ConfigOverrides, ErrorsBeginWithTheSetting) {
  const Wrong cases[] = {
      {"detection.treshold=4",
       "--set detection.treshold=4: unknown key 'treshold' in 'detection'; did you mean 'threshold'?"},
      {"detektion.threshold=4", "--set detektion.threshold=4: unknown section 'detektion'; did you mean 'detection'?"},
      {"=3", "--set =3: names no section; write section.key=value, as in detection.threshold=4.5"},
      {".threshold=4", "--set .threshold=4: names no section; write section.key=value, as in detection.threshold=4.5"},
      {"threshold=4", "--set threshold=4: unknown section 'threshold'; it is a key of weights, detection, crowd"},
      {"detection.threshold",
       "--set detection.threshold: has no '='; write section.key=value, as in detection.threshold=4.5"},
      {"detection=4",
       "--set detection=4: 'detection' is a section; write section.key=value with one of its keys: threshold, "
       "threshold_unit, reference, connectivity, min_area, max_area, sign, seed, analysis_threshold, "
       "false_discovery_rate, "
       "correlated_pixels"},
      {"detection.threshold=",
       "--set detection.threshold=: 'detection.threshold' has no value; write one, or leave the key out for the "
       "default"},
      {"detection.threshold=five",
       "--set detection.threshold=five: 'detection.threshold' must be a number, not 'five'"},
      {"output.formats=fits", "--set output.formats=fits: 'output.formats' must be a list, not 'fits'; write [fits]"},
      {"measurement.gain=-1",
       "--set measurement.gain=-1: 'measurement.gain' must be at least 0, not -1; 0 leaves the Poisson term out"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(message("", {wrong.yaml}), wrong.message);
  for (const char* setting : {"", "=", "=4", ".", ".=", "detection.=4", "detection.threshold.x=4", "input.hdu=[",
                              "input.hdu=a\n---\nb", "detection.threshold==4"}) {
    EXPECT_THAT(message("", {setting}), StartsWith(std::string("--set ") + setting + ": ")) << setting;
  }
}

// --- files -----------------------------------------------------------------------------------------------------------

TEST(Config, RadioIsPartOfTheProgram) {
  const Config own = load_given("radio").config;
  EXPECT_EQ(own.settings(), load_given(testing::source_file("config/radio.yaml")).config.settings());
  EXPECT_EQ(own.fit.model, FitModel::gaussians);
}

TEST(Config, CrowdIsPartOfTheProgram) {
  const std::string file = testing::source_file("config/crowd.yaml");
  const Overrides psf = set_overrides({"psf.file=x.psf"});
  EXPECT_EQ(load_given("crowd", psf).config.settings(), load_given(file, psf).config.settings());
  EXPECT_EQ(load_given("crowd", psf).config.crowd.method, CrowdMethod::joint);
}

TEST(ConfigFiles, TheShippedOnesMeanWhatTheySay) {
  const std::string file = testing::source_file("config/default.yaml");
  const Config standard = load_given(file).config;
  EXPECT_EQ(dump_config(load_given("").config), dump_config(standard));
  for (const auto& key : config_keys())
    EXPECT_THAT(standard.place_of(key.path()), StartsWith(file)) << "has no line there";
  EXPECT_EQ(standard.detection.threshold, 5.0);
  EXPECT_EQ(standard.detection.threshold_unit, ThresholdUnit::detection_sigma);
  EXPECT_EQ(standard.convolve.kernel, KernelShape::gaussian);
  EXPECT_EQ(standard.deblend.method, DeblendMethod::tree);
  EXPECT_TRUE(standard.deblend.clean);
  EXPECT_EQ(standard.measurement.gain_keyword, "GAIN");
  EXPECT_EQ(standard.measurement.saturation_keyword, "SATURATE");
  EXPECT_EQ(standard.output.columns, (std::vector<std::string>{"default", "photometry"}));
  const Config lesson = load_given(testing::source_file("config/lesson.yaml")).config;
  EXPECT_EQ(lesson.background.kappa, 3.0);
  EXPECT_EQ(lesson.background.max_iterations, 0);
  EXPECT_EQ(lesson.detection.threshold, 5.0);
  EXPECT_EQ(lesson.detection.threshold_unit, ThresholdUnit::sigma);
  EXPECT_EQ(lesson.detection.reference, Baseline::zero);
  EXPECT_EQ(lesson.detection.connectivity, 4);
  EXPECT_EQ(lesson.detection.min_area, 1);
  EXPECT_EQ(lesson.measurement.reference, Baseline::zero);
}

TEST(ConfigFiles, ErrorsNameTheFile) {
  const TemporaryFolder folder;
  const std::string bad = folder.write("bad.yaml", "detection:\n  treshold: 5\n");
  EXPECT_THAT(testing::config_error([&] { load_given(bad); }), StartsWith(bad + ":2:3: unknown key 'treshold'"));
  const std::string missing = folder / "missing.yaml";
  EXPECT_EQ(testing::config_error([&] { load_given(missing); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(testing::config_error([&] { load_given(folder / "."); }),
            (folder / ".") + ": is a directory; name the YAML file in it");
  const std::string large = folder.write("large.yaml", std::string((1 << 20) + 1, '#'));
  EXPECT_THAT(testing::config_error([&] { load_given(large); }), StartsWith(large + ": is larger than 1 MiB"));
}

TEST(ConfigFiles, UnreadableFileGivesTheReason) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const TemporaryFolder folder;
  const std::string secret = folder.write("secret.yaml", "{}");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  EXPECT_EQ(testing::config_error([&] { load_given(secret); }), secret + ": cannot be read: Permission denied");
}

}  // namespace
}  // namespace srcextract
