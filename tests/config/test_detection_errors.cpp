#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.hpp"
#include "stages/core/error.hpp"
#include "tests/config/parse_support.hpp"

namespace srcextract {
namespace {

using testing::message;
using testing::parse;
using testing::Wrong;

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ConfigErrors, ThresholdMayBeNegativeOnlyAsAPixelValue) {
  EXPECT_EQ(parse("detection: {threshold: -5, threshold_unit: absolute}").detection.threshold, -5.0);
  EXPECT_THAT(message("detection: {threshold: -5, threshold_unit: absolute}", {"detection.threshold_unit=sigma"}),
              HasSubstr("'detection.threshold' must be greater than 0, not -5"));
}

TEST(ConfigErrors, ASeedIsBrighterThanTheThreshold) {
  EXPECT_EQ(parse("detection: {threshold: 3, seed: 5}").detection.seed, 5.0);
  EXPECT_EQ(parse("detection: {threshold: -3, threshold_unit: absolute, seed: -1}").detection.seed, -1.0);
  const std::string wrong =
      "'detection.seed' must be greater than detection.threshold, down to which sources reach; or 0";
  EXPECT_EQ(message("detection: {threshold: 3, seed: 3}"), "x.yaml:1:33: " + wrong);
  EXPECT_EQ(message("detection: {seed: 4}"), "x.yaml:1:19: " + wrong);
  EXPECT_EQ(message("detection: {threshold: 3, seed: -5}"), "x.yaml:1:33: " + wrong);
  const std::string magnitudes = "measurement: {zero_point: 25}\ndetection: {threshold_unit: mag_per_arcsec2, ";
  EXPECT_EQ(parse(magnitudes + "threshold: 24, seed: 22}").detection.seed, 22.0);
  EXPECT_EQ(message(magnitudes + "threshold: 22, seed: 24}"),
            "x.yaml:2:67: 'detection.seed' must be brighter than detection.threshold, that is less, down to which "
            "sources reach; or 0");
}

TEST(ConfigErrors, TheLargestSourceHasNoFewerPixelsThanTheSmallest) {
  EXPECT_EQ(parse("detection: {min_area: 5, max_area: 5}").detection.max_area, 5);
  EXPECT_EQ(parse("detection: {min_area: 5, max_area: 0}").detection.max_area, 0);
  EXPECT_EQ(message("detection: {min_area: 5, max_area: 4}"),
            "x.yaml:1:36: 'detection.max_area' must be 0, or at least detection.min_area (5): no source has as many "
            "pixels as that and no more than this");
}

TEST(ConfigErrors, ASurfaceBrightnessNeedsAZeroPoint) {
  EXPECT_EQ(message("detection: {threshold_unit: mag_per_arcsec2, threshold: 22}"),
            "x.yaml:1:29: 'detection.threshold_unit' is mag_per_arcsec2, which needs measurement.zero_point, the "
            "magnitude of one count (SExtractor's MAG_ZEROPOINT)");
  EXPECT_EQ(parse("measurement: {zero_point: -48.6}\n"
                  "detection: {threshold_unit: mag_per_arcsec2, threshold: -22}")
                .measurement.zero_point,
            -48.6);
  EXPECT_THAT(message("measurement: {pixel_scale: -0.2}"),
              StartsWith("x.yaml:1:28: 'measurement.pixel_scale' must be at least 0, not -0.2; "));
}

TEST(ConfigErrors, WhatIsFainterThanTheSkyNeedsOneToBeCountedFrom) {
  const std::string absolute = "detection: {threshold_unit: absolute, threshold: 5, sign: both";
  EXPECT_EQ(parse(absolute + "}").detection.sign, DetectionSign::both);
  EXPECT_EQ(parse(absolute + ", reference: zero}\nbackground: {method: constant}").detection.sign, DetectionSign::both);
  EXPECT_EQ(message(absolute + "}\nbackground: {method: constant}"),
            "x.yaml:1:59: 'detection.sign' is both, and with background.method constant an absolute threshold is a "
            "pixel value, sky and all; set background.method to mesh, threshold_unit to sigma, or, if the sky has been "
            "subtracted, detection.reference to zero");
  EXPECT_EQ(message("detection: {threshold_unit: absolute, threshold: -5, sign: negative}"),
            "x.yaml:1:60: 'detection.sign' is negative, and below an absolute threshold of 0 or less there is no sky; "
            "give detection.threshold above 0");
}

TEST(ConfigErrors, NothingIsCountedFromZeroAboveAMesh) {
  const char* reason = "'background.method' is mesh, whose level is subtracted from every pixel, so nothing can be";
  for (const char* section : {"detection", "measurement"}) {
    const std::string from_zero = std::string(section) + ": {reference: zero}\n";
    EXPECT_THAT(message(from_zero), StartsWith(std::string("x.yaml: ") + reason)) << section;
    EXPECT_THAT(message("background: {method: mesh}\n" + from_zero), StartsWith(std::string("x.yaml:1:22: ") + reason))
        << section;
    EXPECT_EQ(parse("background: {method: constant}\n" + from_zero).background.method, BackgroundMethod::constant);
  }
}

TEST(ConfigErrors, AnAnalysisThresholdMayBeNegativeOnlyAsAPixelValue) {
  EXPECT_EQ(parse("detection: {analysis_threshold: 1.5}").detection.analysis_threshold, 1.5);
  EXPECT_EQ(parse("detection: {threshold_unit: absolute, analysis_threshold: -5}").detection.analysis_threshold, -5.0);
  EXPECT_EQ(message("detection: {analysis_threshold: -5}"),
            "x.yaml:1:33: 'detection.analysis_threshold' must be at least 0, not -5; it is in sigma above the "
            "reference; 0 leaves ISOAREA_IMAGE out");
}

TEST(ConfigErrors, ARateOfFalseDiscoveriesIsAShareOfPixelsInTheirNoise) {
  const Config config = parse("detection: {false_discovery_rate: 0.01, correlated_pixels: 9, seed: 4}");
  EXPECT_EQ(config.detection.false_discovery_rate,
            0.01);  // of the threshold, and what a seed is above, nothing is said
  EXPECT_EQ(config.detection.correlated_pixels, 9);
  for (const char* share : {"1", "1e-7", "-0.01", ".nan"})
    EXPECT_THAT(message(std::string("detection: {false_discovery_rate: ") + share + "}"),
                HasSubstr("x.yaml:1:35: 'detection.false_discovery_rate' must be "))
        << share;
  EXPECT_EQ(message("detection: {threshold_unit: absolute, false_discovery_rate: 0.01}"),
            "x.yaml:1:61: 'detection.false_discovery_rate' counts in the noise of a pixel; set "
            "detection.threshold_unit to sigma or detection_sigma, or the rate to 0");
  const std::string convolved = "convolve: {kernel: gaussian, fwhm: 3}\ndetection: {false_discovery_rate: 0.01";
  EXPECT_EQ(message(convolved + "}"),
            "x.yaml:2:35: 'detection.false_discovery_rate' counts in the noise of a pixel, and pixels of a convolved "
            "image have another noise; set detection.threshold_unit to detection_sigma, or convolve.filter to "
            "matched");
  EXPECT_EQ(parse(convolved + ", threshold_unit: detection_sigma}").detection.false_discovery_rate, 0.01);
  EXPECT_EQ(message("detection: {false_discovery_rate: 0.01, seed: -4}"),
            "x.yaml:1:47: 'detection.seed' must be above 0, in units of the noise; or 0");
  EXPECT_EQ(message("detection: {correlated_pixels: 9}"),
            "x.yaml:1:32: 'detection.correlated_pixels' has no use without detection.false_discovery_rate");
}

TEST(ConfigErrors, AMatchedFilterHasAKernelAndUnitsOfItsOwn) {
  const std::string matched = "convolve: {filter: matched, kernel: gaussian, fwhm: 3";
  EXPECT_EQ(parse(matched + "}").convolve.filter, Filter::matched);
  const std::string place = "x.yaml:1:20: 'convolve.filter' is matched, ";
  EXPECT_EQ(message("convolve: {filter: matched}"), place + "which needs a kernel: set convolve.kernel");
  EXPECT_EQ(message(matched + ", edges: reflect}"),
            place + "and knows no pixels beyond the edges; set convolve.edges to zero");
  EXPECT_EQ(message(matched + "}\ndetection: {threshold_unit: absolute}"),
            place + "whose result is in units of its own noise; set detection.threshold_unit to sigma");
  EXPECT_EQ(message(matched + "}\nbackground: {method: constant}\ndetection: {reference: zero}"),
            place + "which filters the image above its sky; set detection.reference to background");
}

}  // namespace
}  // namespace srcextract
