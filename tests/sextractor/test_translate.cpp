#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "stages/settings/problems.hpp"
#include "tests/sextractor/request_support.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SextractorTranslation, DefaultsAreThoseOfSextractorYaml) {
  const Converted converted = convert("VERBOSE_TYPE QUIET\n");
  EXPECT_EQ(lost(converted), "");
  Config expected = load_given(source_file("config/sextractor.yaml")).config;
  // That file is for any image and says nothing of its header; SExtractor looks for these keywords, and takes a pixel
  // for one arcsecond. Its catalogue is a text.
  expected.measurement.gain_keyword = "GAIN";
  expected.measurement.saturation_keyword = "SATURATE";
  expected.measurement.pixel_scale = 1;
  expected.output.formats = {CatalogFormat::ascii_head};
  EXPECT_EQ(dump_config(converted.config), dump_config(expected));
}

TEST(SextractorTranslation, EveryKeyStandsWithWhatItIsFrom) {
  const Converted converted =
      convert("DETECT_THRESH 2.5\nANALYSIS_THRESH 3\nMEMORY_BUFSIZE 99\nDETECT_MAXAREA 20\nDETECT_TYPE PHOTO\n");
  EXPECT_THAT(converted.yaml, HasSubstr("  # DETECT_THRESH 2.5\n  threshold: 2.5\n"));
  EXPECT_THAT(converted.yaml, HasSubstr("  # DETECT_MINAREA 5 (SExtractor's default)\n  min_area: 5\n"));
  EXPECT_THAT(converted.yaml, HasSubstr("MEMORY_BUFSIZE 99: memory has no limits"));
  EXPECT_THAT(lost(converted), StartsWith("DETECT_TYPE PHOTO: images are linear"));
  EXPECT_EQ(converted.config.detection.max_area, 20);
  EXPECT_EQ(converted.config.detection.analysis_threshold, 3);
}

TEST(SextractorTranslation, ThresholdsInPixelValues) {
  const Converted converted = convert("THRESH_TYPE ABSOLUTE\nDETECT_THRESH 50\nANALYSIS_THRESH 60\n");
  EXPECT_EQ(converted.config.detection.threshold_unit, ThresholdUnit::absolute);
  EXPECT_EQ(converted.config.detection.threshold, 50);
  EXPECT_EQ(converted.config.detection.analysis_threshold, 60);
  EXPECT_EQ(lost(converted), "");
  const Converted mixed = convert("THRESH_TYPE ABSOLUTE,RELATIVE\nDETECT_THRESH 50\n", "NUMBER\nISOAREA_IMAGE\n");
  EXPECT_THAT(lost(mixed), HasSubstr("ANALYSIS_THRESH 1.5: is in another unit"));
  EXPECT_THAT(lost(mixed), HasSubstr("ISOAREA_IMAGE: "));
  EXPECT_THAT(mixed.config.output.columns, ElementsAre("NUMBER"));
  EXPECT_EQ(lost(convert("THRESH_TYPE ABSOLUTE,RELATIVE\nDETECT_THRESH 50\n", "NUMBER\nFLUX_ISO\n")), "");
}

/// The pixel value that a threshold in magnitudes comes to, by the surface brightness' definition.
double pixel_value(const Config& config, double scale) {
  return scale * scale * std::pow(10, 0.4 * (config.measurement.zero_point - config.detection.threshold));
}

TEST(SextractorTranslation, ThresholdsInMagnitudes) {
  // SExtractor 2.25 tells a THRESHOLD of 142.6404 for 22,30 at 0.3 arcseconds, whatever MAG_ZEROPOINT and THRESH_TYPE
  // are.
  const std::string sex = "DETECT_THRESH 22,30\nANALYSIS_THRESH 23,30\nPIXEL_SCALE 0.3\n";
  const Config alone = convert(sex + "THRESH_TYPE ABSOLUTE\n", "NUMBER\nFLUX_AUTO\n").config;
  EXPECT_EQ(alone.detection.threshold_unit, ThresholdUnit::mag_per_arcsec2);
  EXPECT_NEAR(pixel_value(alone, 0.3), 142.6404, 1e-4);
  EXPECT_EQ(alone.detection.analysis_threshold, 23);
  const Config other = convert(sex + "MAG_ZEROPOINT 25\n", "MAG_AUTO\n").config;
  EXPECT_EQ(other.measurement.zero_point, 25);
  EXPECT_NEAR(pixel_value(other, 0.3), 142.6404, 1e-4);
  EXPECT_NEAR(other.detection.analysis_threshold - other.detection.threshold, 1, 1e-12);
  // MAG_AUTO has the zero point 0 there, which a threshold in magnitudes cannot have here.
  const Config zero = convert(sex, "MAG_AUTO\n").config;
  EXPECT_EQ(zero.measurement.zero_point, 0);
  EXPECT_EQ(zero.detection.threshold_unit, ThresholdUnit::absolute);
  EXPECT_NEAR(zero.detection.threshold, 142.6404, 1e-4);
  EXPECT_NEAR(zero.detection.analysis_threshold, 142.6404 / std::pow(10, 0.4), 1e-4);
}

TEST(SextractorTranslation, FiltersBecomeValues) {
  const TemporaryFolder folder;
  folder.write("k.conv", "CONV NONORM\n# a kernel\n1 2 3\n4 5 6\n7 8 9\n");
  const Config config = convert(folder, "FILTER_NAME k.conv\n").config;  // beside the configuration
  EXPECT_EQ(config.convolve.values, (std::vector<std::vector<double>>{{9, 8, 7}, {6, 5, 4}, {3, 2, 1}}));  // turned
  EXPECT_FALSE(config.convolve.normalize);
  EXPECT_EQ(convert(folder, "FILTER N\nFILTER_NAME none.conv\n").config.convolve.kernel, KernelShape::none);
  EXPECT_THAT(convert_error(folder, "GAIN 1\nFILTER_NAME none.conv\n"),
              StartsWith("x.sex:2: FILTER_NAME none.conv: there is no such file"));
  folder.write("old.conv", "CONV\n1 2 1\n");
  const Converted old = convert(folder, "FILTER_NAME old.conv\n");
  EXPECT_EQ(old.config.convolve.values, (std::vector<std::vector<double>>{{1, 2, 1}}));
  EXPECT_TRUE(old.config.convolve.normalize);
  EXPECT_THAT(old.yaml, HasSubstr("# FILTER_NAME old.conv; it begins with CONV alone, which SExtractor takes for"));
  EXPECT_EQ(lost(old), "");
  folder.write("bad.conv", "CONV NORM\n1 x 1\n");
  EXPECT_THAT(convert_error(folder, "FILTER_NAME bad.conv\n"), StartsWith("x.sex:1: FILTER_NAME: bad.conv:2: 'x'"));
  folder.write("x.ret", "SIMPLE  =                    T");
  EXPECT_THAT(lost(convert(folder, "FILTER_NAME x.ret\n")), StartsWith("FILTER_NAME x.ret: is a retina"));
  folder.write("even.conv", "CONV NORM\n1 2\n1 2\n");
  const Converted even = convert(folder, "FILTER_NAME even.conv\n");
  EXPECT_THAT(lost(even), StartsWith("FILTER_NAME even.conv: a kernel must have odd sides"));
  EXPECT_EQ(even.config.convolve.kernel, KernelShape::none);
}

WeightsConfig weights_of(WeightType type, const std::string& file, Interpolate interpolate = Interpolate::none) {
  WeightsConfig weights;
  weights.type = type;
  weights.file = file;
  weights.interpolate = interpolate;
  weights.convolve = has_map(weights);
  return weights;
}

TEST(SextractorTranslation, Weights) {
  const Config none = convert("WEIGHT_THRESH 1\nINTERP_TYPE NONE\n").config;
  EXPECT_EQ(none.weights, weights_of(WeightType::none, ""));
  EXPECT_EQ(convert("WEIGHT_TYPE BACKGROUND\n").config.weights.type, WeightType::background);
  const Converted map = convert(
      "WEIGHT_TYPE MAP_WEIGHT\nWEIGHT_IMAGE w.fits\nWEIGHT_THRESH 0.5\nRESCALE_WEIGHTS N\nINTERP_TYPE VAR_ONLY\n"
      "INTERP_MAXXLAG 4\nINTERP_MAXYLAG 5\nWEIGHT_GAIN N\n");
  WeightsConfig expected = weights_of(WeightType::weight, "w.fits", Interpolate::variance);
  expected.threshold = 0.5;
  expected.beyond = BeyondThreshold::detect;
  expected.rescale = false;
  expected.interpolate_columns = 4;
  expected.interpolate_rows = 5;
  EXPECT_EQ(map.config.weights, expected);
  EXPECT_THAT(map.yaml, HasSubstr("  # WEIGHT_THRESH 0.5\n  threshold: 0.5\n"));
  EXPECT_EQ(convert("WEIGHT_TYPE MAP_WEIGHT\nWEIGHT_THRESH 0\n").config.weights.beyond, BeyondThreshold::mask);
  EXPECT_FALSE(convert("WEIGHT_TYPE MAP_WEIGHT\nFILTER N\n").config.weights.convolve);
  EXPECT_EQ(lost(map), "");
  EXPECT_EQ(convert("WEIGHT_TYPE MAP_RMS\nWEIGHT_GAIN N\n").config.weights,
            weights_of(WeightType::rms, "weight.fits", Interpolate::all));
  EXPECT_EQ(convert("WEIGHT_TYPE MAP_VAR\nINTERP_TYPE NONE\nWEIGHT_GAIN N\n").config.weights,
            weights_of(WeightType::variance, "weight.fits"));
  EXPECT_TRUE(convert("WEIGHT_TYPE MAP_WEIGHT\nGAIN 2\n").config.weights.scale_gain);  // SExtractor's default
  EXPECT_TRUE(convert("WEIGHT_TYPE BACKGROUND\nWEIGHT_GAIN y\n").config.weights.scale_gain);
  EXPECT_FALSE(convert("WEIGHT_TYPE MAP_WEIGHT\nGAIN 2\nWEIGHT_GAIN N\n").config.weights.scale_gain);
  EXPECT_FALSE(convert("WEIGHT_TYPE NONE\nWEIGHT_GAIN Y\nGAIN 2\n").config.weights.scale_gain);
  EXPECT_EQ(lost(convert("WEIGHT_TYPE MAP_WEIGHT\nGAIN 2\n")), "");
  const Converted extensions = convert("WEIGHT_TYPE MAP_WEIGHT\nWEIGHT_IMAGE w.fits[2]\nFLAG_IMAGE a.fits[1],b.fits\n",
                                       "NUMBER\nIMAFLAGS_ISO(2)\n");
  EXPECT_EQ(extensions.config.weights.file, "w.fits");
  EXPECT_EQ(extensions.config.weights.hdu, HduNames("2"));
  EXPECT_EQ(extensions.config.flags.file, "a.fits");
  EXPECT_EQ(extensions.config.flags.hdu, HduNames("1"));
}

TEST(SextractorTranslation, PairsAreOfDetectAndOfTheImage) {
  const Converted two = convert("WEIGHT_TYPE NONE,MAP_RMS\nWEIGHT_IMAGE w.fits\n");
  EXPECT_EQ(two.config.weights.file, "w.fits");
  EXPECT_EQ(two.config.weights.type, WeightType::rms);
  EXPECT_THAT(lost(two), HasSubstr("for DETECT add --detect-set weights.type=none"));
  EXPECT_EQ(lost(convert("WEIGHT_TYPE MAP_RMS,MAP_RMS\nWEIGHT_IMAGE w.fits\nWEIGHT_GAIN N\n")), "");
  const Converted maps = convert("WEIGHT_TYPE MAP_WEIGHT\nWEIGHT_IMAGE d.fits,w.fits\n");
  EXPECT_EQ(maps.config.weights.file, "w.fits");
  EXPECT_THAT(lost(maps),
              HasSubstr("weights.type=weight --detect-set weights.scale_gain=true --detect-set weights.file=d.fits"));
  const Converted alone = convert(
      "WEIGHT_TYPE MAP_WEIGHT,NONE\nWEIGHT_IMAGE d.fits\nWEIGHT_THRESH 3\nRESCALE_WEIGHTS N\nINTERP_MAXYLAG 4\n");
  EXPECT_EQ(alone.config.weights, weights_of(WeightType::none, ""));
  EXPECT_THAT(
      lost(alone),
      HasSubstr(
          "for DETECT add --detect-set weights.type=weight --detect-set weights.scale_gain=true --detect-set "
          "weights.file=d.fits --detect-set weights.threshold=3.0 --detect-set weights.beyond=detect --detect-set "
          "weights.rescale=false --detect-set "
          "weights.convolve=true --detect-set weights.interpolate=all --detect-set weights.interpolate_columns=16 "
          "--detect-set "
          "weights.interpolate_rows=4"));
  const Converted holes = convert("WEIGHT_TYPE MAP_RMS\nINTERP_TYPE VAR_ONLY,NONE\n");
  EXPECT_EQ(holes.config.weights.interpolate, Interpolate::none);
  EXPECT_THAT(lost(holes), HasSubstr("for DETECT add --detect-set weights.interpolate=variance"));
  const Converted sky = convert("BACK_TYPE AUTO,MANUAL\nBACK_VALUE 1,2\n");
  EXPECT_EQ(sky.config.given_sky.level, "2.0");
  EXPECT_THAT(lost(sky), HasSubstr("--detect-set background.level=''"));
}

TEST(SextractorTranslation, Sky) {
  const Config config = convert("BACK_SIZE 128\nBACK_FILTERSIZE 5,5\nBACK_FILTTHRESH 2\n").config;
  EXPECT_EQ(config.background.mesh_size, 128);
  EXPECT_EQ(config.background.filter_size, 5);
  EXPECT_EQ(config.background.filter_threshold, 2);
  EXPECT_EQ(config.given_sky.level, "");
  EXPECT_EQ(convert("BACK_TYPE MANUAL\nBACK_VALUE 100\n").config.given_sky.level, "100.0");
  const Converted oblong = convert("BACK_SIZE 128,48\nBACK_FILTERSIZE 4,3\n");
  EXPECT_EQ(lost(oblong), "");
  EXPECT_EQ(oblong.config.background.mesh_size, 128);
  EXPECT_EQ(oblong.config.background.mesh_height, 48);
  EXPECT_EQ(oblong.config.background.filter_size, 5);
  EXPECT_EQ(oblong.config.background.filter_height, 3);
  EXPECT_EQ(convert("BACK_SIZE 48,48\nBACK_FILTERSIZE 5,5\n").config.background.mesh_height, 0);
  // SExtractor 2.25 writes the same catalogue with 2 as with 3 meshes, 4 as 5, 4,2 as 5,3, and 4,5 as 5.
  for (const auto& [size, odd] : {std::pair{"2", 3}, {"4", 5}, {"4,5", 5}, {"5,4", 5}, {"1", 1}}) {
    const Converted filter = convert(std::string("BACK_FILTERSIZE ") + size + "\n");
    EXPECT_EQ(filter.config.background.filter_size, odd) << size;
    EXPECT_EQ(lost(filter), "") << size;
  }
  EXPECT_THAT(
      convert("BACK_FILTERSIZE 4\n").yaml,
      HasSubstr("  # BACK_FILTERSIZE 4; SExtractor takes an even size as the next odd one\n  filter_size: 5\n"));
}

TEST(SextractorTranslation, WhatIsBeyondLimitsHereIsToldWithOurReason) {
  const Converted converted = convert("BACK_SIZE 4\nGAIN 2\n");
  EXPECT_EQ(converted.config.background.mesh_size, 64);
  EXPECT_EQ(converted.config.measurement.gain, 2);
  EXPECT_THAT(lost(converted), HasSubstr("BACK_SIZE 4: 'background.mesh_size' must be at least 8"));
  EXPECT_THAT(lost(converted), HasSubstr("; without it the default holds, 64\n"));
}

TEST(SextractorTranslation, SmallEllipsesMayBecomeCircles) {
  EXPECT_EQ(convert("GAIN 2\n").config.measurement.least_apertures, (std::vector<double>{0, 0}));
  const Converted circles = convert("PHOT_AUTOAPERS 0,7.41\n");
  EXPECT_EQ(circles.config.measurement.least_apertures, (std::vector<double>{0, 7.41}));
  EXPECT_EQ(lost(circles), "");
}

TEST(SextractorTranslation, ALocalSkyIsThatOfAFrame) {
  EXPECT_EQ(convert("BACKPHOTO_THICK 30\n").config.measurement.local_sky, 0);
  EXPECT_EQ(convert("BACKPHOTO_TYPE LOCAL\n").config.measurement.local_sky, 24);
  const Converted thick = convert("BACKPHOTO_TYPE local\nBACKPHOTO_THICK 30\n");
  EXPECT_EQ(thick.config.measurement.local_sky, 30);
  EXPECT_EQ(lost(thick), "");
}

TEST(SextractorTranslation, DeblendingAndClean) {
  const Config one = convert("DEBLEND_NTHRESH 1\nCLEAN N\nCLEAN_PARAM 2\n", "NUMBER\n").config;
  EXPECT_EQ(one.deblend, DeblendConfig{});
  const Config many = convert("DEBLEND_NTHRESH 64\nDEBLEND_MINCONT 0.0001\nCLEAN_PARAM 1.5\n").config;
  EXPECT_EQ(
      many.deblend,
      (DeblendConfig{
          .method = DeblendMethod::tree, .thresholds = 64, .contrast = 0.0001, .clean = true, .clean_beta = 1.5}));
}

TEST(SextractorTranslation, Measurement) {
  const Converted converted = convert(
      "GAIN 1.5\nGAIN_KEY EGAIN\nSATUR_KEY none\nSATUR_LEVEL 60000\nMAG_ZEROPOINT 27\nPIXEL_SCALE 0\nMASK_TYPE BLANK\n"
      "PHOT_APERTURES 3,5,9\nPHOT_AUTOPARAMS 2,3\nPHOT_PETROPARAMS 1.5,2\nPHOT_FLUXFRAC 0.2,0.5\n",
      "MAG_APER(2)\nFLUX_RADIUS(2)\n");
  const MeasurementConfig& measurement = converted.config.measurement;
  EXPECT_EQ(measurement.gain, 1.5);
  EXPECT_EQ(measurement.gain_keyword, "EGAIN");
  EXPECT_EQ(measurement.saturation_keyword, "none");
  EXPECT_EQ(measurement.saturation, 60000);
  EXPECT_EQ(measurement.zero_point, 27);
  EXPECT_EQ(measurement.pixel_scale, 0);
  EXPECT_EQ(measurement.mask, MaskNeighbours::blank);
  EXPECT_THAT(measurement.apertures, ElementsAre(3, 5));
  EXPECT_THAT(measurement.kron, ElementsAre(2, 3));
  EXPECT_THAT(measurement.petrosian, ElementsAre(1.5, 2));
  EXPECT_THAT(measurement.flux_radius, ElementsAre(0.2, 0.5));
  EXPECT_EQ(lost(converted), "");
}

// SExtractor 2.25 looks for a keyword as it is written, and finds none of these (its XML tells GAIN and SATUR_LEVEL).
TEST(SextractorTranslation, AKeywordThatNoHeaderHasIsNone) {
  for (const char* keyword : {"TOOLONGAKEY", "''", "'GAIN'", "gain", "NONE", "none", "*"}) {
    const Converted converted = convert(std::string("GAIN_KEY ") + keyword + "\nSATUR_KEY " + keyword + "\n");
    EXPECT_EQ(converted.config.measurement.gain_keyword, "none") << keyword;
    EXPECT_EQ(converted.config.measurement.saturation_keyword, "none") << keyword;
    EXPECT_EQ(lost(converted), "") << keyword;
  }
  EXPECT_EQ(convert("GAIN_KEY \"EGAIN\"\n").config.measurement.gain_keyword, "EGAIN");
  EXPECT_THAT(convert("SATUR_KEY ''\n").yaml, HasSubstr("# SATUR_KEY ''; no header has this keyword"));
}

// SExtractor takes a word for 0, and with 0 the scale of the WCS.
TEST(SextractorTranslation, AWordAsPixelScaleIsThatOfTheWcs) {
  for (const char* word : {"SECPIX", "''", "PIXSCALE1"}) {
    const Converted converted = convert(std::string("PIXEL_SCALE ") + word + "\n");
    EXPECT_EQ(converted.config.measurement.pixel_scale, 0) << word;
    EXPECT_THAT(converted.yaml, HasSubstr("SExtractor reads a word as 0")) << word;
    EXPECT_EQ(lost(converted), "") << word;
  }
}

TEST(SextractorTranslation, OfAListOnlyWhatThereIsNotIsLeftOut) {
  const Converted circles = convert("GAIN 1\nPHOT_APERTURES 0,3,20000,10\n", "FLUX_APER(4)\n");
  EXPECT_THAT(circles.config.measurement.apertures, ElementsAre(0, 3, 10));
  EXPECT_THAT(lost(circles), HasSubstr("PHOT_APERTURES 0,3,20000,10: without 20000, and what follows moves up: "
                                       "'measurement.apertures' otherwise holds 20000, which is no diameter"));
  // What no column asks for is not missed.
  const Converted first = convert("PHOT_APERTURES 3,20000\n", "FLUX_APER\n");
  EXPECT_THAT(first.config.measurement.apertures, ElementsAre(3));
  EXPECT_EQ(lost(first), "");
  std::string many = "PHOT_APERTURES 1";
  for (int i = 2; i <= 1000; ++i) many += "," + std::to_string(i);
  const Converted crowd = convert(many + "\n");
  EXPECT_THAT(crowd.config.measurement.apertures, ::testing::SizeIs(::testing::Gt(1)));
  EXPECT_EQ(crowd.config.measurement.apertures.front(), 1);
  EXPECT_THAT(lost(crowd), HasSubstr(", 1000, and what follows moves up: 'measurement.apertures' otherwise lists "));
  const Converted none = convert("PHOT_APERTURES 20000\n", "FLUX_APER\n");
  EXPECT_EQ(none.config.measurement.apertures, MeasurementConfig{}.apertures);
  EXPECT_THAT(lost(none), HasSubstr("PHOT_APERTURES 20000: 'measurement.apertures' holds 20000"));
  EXPECT_THAT(lost(none), HasSubstr("; without it the default holds, [5.0]\n"));
}

TEST(SextractorTranslation, NamesEndAtBlanksBetweenQuotesToo) {
  const TemporaryFolder folder;
  folder.write("my dir.conv", "CONV NORM\n1\n");
  const std::string why =
      "; SExtractor takes a line apart at blanks, commas and semicolons, between quotes too, and passes over "
      "'dir.conv'";
  EXPECT_THAT(convert_error(folder, "FILTER_NAME \"my dir.conv\"  # mine\n"), ::testing::EndsWith(why));
  EXPECT_THAT(convert_error(folder, "PARAMETERS_NAME my dir.conv\n"), ::testing::EndsWith(why));
  EXPECT_THAT(convert_error(folder, "STARNNW_NAME my dir.conv\n", "CLASS_STAR\n"), ::testing::EndsWith(why));
  EXPECT_THAT(convert_error(folder, "FILTER_NAME my.conv # mine\n"), Not(HasSubstr("passes over")));
}

TEST(SextractorTranslation, TheNetworkOfClassStar) {
  const TemporaryFolder folder;
  EXPECT_THAT(convert_error(folder, "GAIN 1\nSTARNNW_NAME x.nnw\n", "CLASS_STAR\n"),
              StartsWith("x.sex:2: STARNNW_NAME x.nnw, which CLASS_STAR needs: there is no such file"));
  EXPECT_EQ(convert(folder, "STARNNW_NAME x.nnw\n", "NUMBER\n").config.measurement.nnw, "");
  folder.write("x.nnw", network_text());
  const Config config = convert(folder, "STARNNW_NAME x.nnw\nSEEING_FWHM 0.8\n", "CLASS_STAR\n").config;
  EXPECT_EQ(config.measurement.nnw, folder / "x.nnw");
  EXPECT_EQ(config.measurement.seeing_fwhm, 0.8);
  folder.write("x.nnw", "NNW\n2 10 1\n");
  EXPECT_THAT(convert_error(folder, "STARNNW_NAME x.nnw\n", "CLASS_STAR\n"),
              StartsWith("x.sex:1: STARNNW_NAME: x.nnw:2: a network of other layers"));
}

TEST(SextractorTranslation, Columns) {
  const Converted converted = convert("GAIN 1\n", "NUMBER\nX_IMAGE_DBL\nX_IMAGE\nVIGNET(35,21)\nX_FOCAL\nMAG_HYBRID\n");
  EXPECT_THAT(converted.config.output.columns, ElementsAre("NUMBER", "X_IMAGE", "VIGNET(35,21)"));
  EXPECT_THAT(lost(converted), HasSubstr("X_FOCAL: there are no coordinates of the focal plane"));
  EXPECT_THAT(lost(converted), HasSubstr("MAG_HYBRID: of fits of models there are fluxes"));
  EXPECT_THAT(convert_error("GAIN 1\n", "MAG_HYBRID\n"), StartsWith("x.param: of the columns that it asks for"));
  EXPECT_THAT(lost(convert("DEBLEND_NTHRESH 1\n", "NUMBER\nID_PARENT\n")), HasSubstr("ID_PARENT: "));
  const Config several = convert("CATALOG_TYPE FITS_LDAC\n", "EXT_NUMBER\nNUMBER\n").config;
  EXPECT_THAT(several.output.formats, ElementsAre(CatalogFormat::fits, CatalogFormat::ldac));
  EXPECT_TRUE(several.output.one_catalogue);
  EXPECT_EQ(several.input.hdu, "all");
}

TEST(SextractorTranslation, CurvesOfGrowth) {
  EXPECT_EQ(convert("GAIN 1\n", "FLUX_GROWTH(12)\nMAG_GROWTH(12)\n").config.measurement.growth_steps, 12);
  EXPECT_EQ(convert("GAIN 1\n", "MAG_GROWTH\n").config.measurement.growth_steps, 1);
  EXPECT_EQ(lost(convert("GAIN 1\n", "FLUX_GROWTH(12)\nMAG_GROWTH(12)\nMAG_GROWTHSTEP\n")), "");
  EXPECT_THAT(lost(convert("GAIN 1\n", "FLUX_GROWTH(12)\nMAG_GROWTH(3)\n")),
              HasSubstr("MAG_GROWTH(3): a curve of growth"));
  EXPECT_THAT(lost(convert("GAIN 1\n", "FLUX_GROWTH(65)\n")), HasSubstr("FLUX_GROWTH(65): a curve of growth"));
}

TEST(SextractorTranslation, Formats) {
  const auto formats = [](const std::string& type) {
    return convert("CATALOG_TYPE " + type + "\n",
                   "NUMBER\nVIGNET(3,3)\nX_IMAGE\nY_IMAGE\nFLUX_APER\nFLUX_RADIUS\n"
                   "SNR_WIN\nELONGATION\nFLAGS\n")
        .config.output.formats;
  };
  EXPECT_THAT(formats("FITS_1.0"), ElementsAre(CatalogFormat::fits));
  EXPECT_THAT(formats("FITS_LDAC"), ElementsAre(CatalogFormat::ldac));
  for (const char* text : {"ASCII", "ASCII_HEAD", "ASCII_SKYCAT"})
    EXPECT_THAT(formats(text), ElementsAre(CatalogFormat::ascii_head)) << text;
  EXPECT_THAT(formats("ASCII_VOTABLE"), ElementsAre(CatalogFormat::votable_text));
  EXPECT_THAT(lost(convert("CATALOG_TYPE FITS_LDAC\n", "NUMBER\n")), Not(HasSubstr("CATALOG_TYPE")));
  const Converted deadly = convert("CATALOG_TYPE FITS_LDAC\n", "X_IMAGE\nY_IMAGE\nFLUX_APER\nFLAGS\nVIGNET(9,9)\n");
  EXPECT_THAT(deadly.config.output.columns, ElementsAre("X_IMAGE", "Y_IMAGE", "FLUX_APER", "FLAGS", "VIGNET(9,9)"));
  EXPECT_THAT(srcextract::config::psfex_problem(deadly.config),
              HasSubstr("without FLUX_RADIUS, SNR_WIN, ELONGATION: add"));
}

TEST(SextractorTranslation, TheListOfColumns) {
  const TemporaryFolder folder;
  folder.write("mine.param", "NUMBER\nFLAGS\n");
  EXPECT_THAT(convert(folder, "PARAMETERS_NAME mine.param\n").config.output.columns, ElementsAre("NUMBER", "FLAGS"));
  EXPECT_THAT(convert(folder, "PARAMETERS_NAME mine.param\n", "X_IMAGE\n").config.output.columns,
              ElementsAre("X_IMAGE"));
  EXPECT_THAT(convert_error(folder, "GAIN 1\nPARAMETERS_NAME none.param\n"),
              StartsWith("x.sex:2: PARAMETERS_NAME none.param: there is no such file"));
}

TEST(SextractorTranslation, Flags) {
  EXPECT_EQ(convert("FLAG_IMAGE f.fits\n", "NUMBER\n").config.flags, FlagsConfig{});
  const FlagsConfig flags =
      convert("FLAG_IMAGE a.fits,b.fits\nFLAG_TYPE OR,MAX\n", "NUMBER\nIMAFLAGS_ISO(2)\n").config.flags;
  EXPECT_EQ(flags.file, "a.fits");
  EXPECT_EQ(flags.further, (std::vector<FlagMapConfig>{{.file = "b.fits", .hdu = {}, .type = FlagType::max}}));
}

TEST(SextractorTranslation, CheckImages) {
  const Converted converted =
      convert("CHECKIMAGE_TYPE -BACKGROUND,SEGMENTATION,BACKGROUND_RMS,APERTURES\nCHECKIMAGE_NAME a,b,c,d\n");
  EXPECT_THAT(converted.config.output.check_images,
              ElementsAre(CheckImage::minus_background, CheckImage::rms, CheckImage::apertures));
  EXPECT_TRUE(converted.config.output.segmentation);
  EXPECT_EQ(lost(converted), "");
}

TEST(SextractorTranslation, PathsStayWhatTheyAre) {
  for (const std::string name : {"-", "'", "~", "123", "null", "[x", "{x}", "*x", "&x", "a:b", "%x", "@x", "#"}) {
    const std::string sex = "WEIGHT_TYPE MAP_RMS\nWEIGHT_IMAGE ./" + name + "\n";
    EXPECT_EQ(convert(sex).config.weights.file, "./" + name) << name;
  }
}

// As SExtractor's manual has it: the columns that are asked for choose the components.
TEST(SextractorTranslation, ColumnsChooseTheModelOfGalaxies) {
  const TemporaryFolder folder;
  folder.write("x.psf", "");
  const auto model_of = [&](const std::string& columns) {
    return convert(folder, "GAIN 1\nPSF_NAME x.psf\n", "NUMBER\n" + columns).config.model;
  };
  EXPECT_EQ(model_of("FLUX_AUTO\n").fit, ModelFit::none);
  EXPECT_EQ(model_of("MAG_MODEL\n").fit, ModelFit::sersic);
  EXPECT_EQ(model_of("FLUX_MODEL\nSPHEROID_REFF_WORLD\n").fit, ModelFit::devaucouleurs);
  EXPECT_EQ(model_of("SPHEROID_SERSICN\nFLUX_SPHEROID\n").fit, ModelFit::sersic);
  EXPECT_EQ(model_of("DISK_SCALE_IMAGE\n").fit, ModelFit::exponential);
  EXPECT_EQ(model_of("MAG_DISK\nMAG_SPHEROID\n").fit, ModelFit::devaucouleurs_disk);
  EXPECT_EQ(model_of("MAG_DISK\nSPHEROID_SERSICN\n").fit, ModelFit::sersic_disk);
  EXPECT_EQ(model_of("FLUX_POINTSOURCE\n").fit, ModelFit::point);
  EXPECT_EQ(model_of("FLUX_MODEL\nFLUX_BACKOFFSET\n").sky, ModelSky::free);
}

TEST(SextractorTranslation, OnePlaceForEachReason) {
  const Converted converted = convert("GAIN 1\n", "NUMBER\nMAG_HYBRID\nFLUX_HYBRID\nX_FOCAL\n");
  const std::vector<sextractor::Unmet> groups = sextractor::by_reason(converted.translation.unmet, true);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].what, "MAG_HYBRID, FLUX_HYBRID");
  EXPECT_THAT(groups[0].place, ::testing::EndsWith("x.param:2"));
}

}  // namespace
}  // namespace srcextract::testing
