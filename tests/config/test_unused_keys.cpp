#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "tests/config/parse_support.hpp"

namespace srcextract {
namespace {

using testing::message;
using testing::parse;

using testing::config_error;

using ::testing::EndsWith;

TEST(ConfigErrors, KeysThatOthersOfTheirSectionLeaveWithoutUseHaveTheirDefaults) {
  struct Case {
    std::string section, without, keys, needed;  ///< the keys one by one, all with the same need
    std::string with;
  };
  const Case cases[] = {
      {"background", "method: constant",
       "mesh_size: 32, mesh_height: 48, estimator: median, rms_map: sextractor, filter_size: 5, filter_height: 3, "
       "filter_threshold: 1.5",
       "background.method mesh", "method: mesh"},
      {"morphology", "operation: none", "element: square, iterations: 2", "morphology.operation erosion or opening",
       "operation: erosion"},
      {"deblend", "method: none", "thresholds: 64, contrast: 0.1", "deblend.method tree", "method: tree"},
      {"deblend", "method: tree", "clean_beta: 2.5", "deblend.clean true", "clean: true"},
      {"convolve", "kernel: none", "normalize: false, edges: reflect", "a convolve.kernel",
       "kernel: gaussian, fwhm: 3"},
      {"weights", "type: none", "threshold: 2, convolve: true", "weights.type rms, variance or weight",
       "type: weight, hdu: 2"},
      {"difference", "align: none", "interpolation: bilinear", "difference.align wcs", "align: wcs"},
      {"difference", "kernel: fitted", "match_flux: false, match_background: false", "difference.kernel gaussian",
       "kernel: gaussian"},
      {"difference", "kernel: gaussian", "kernel_order: 1, convolve: new", "difference.kernel fitted",
       "kernel: fitted"},
      {"quicklook", "limits: minmax", "low: -3, high: 3", "quicklook.limits values", "limits: values"},
  };
  for (const Case& one : cases) {
    const auto yaml = [&](const std::string& keys) { return one.section + ": {" + keys + "}"; };
    EXPECT_NO_THROW(parse(yaml(one.with + ", " + one.keys))) << one.with << one.keys;
    EXPECT_NO_THROW(parse(yaml(one.without))) << one.without;
    std::istringstream keys(one.keys);
    for (std::string key; std::getline(keys >> std::ws, key, ',');) {
      const std::string name = one.section + "." + key.substr(0, key.find(':'));
      EXPECT_THAT(message(yaml(one.without + ", " + key)),
                  EndsWith(": '" + name + "' has no use but with " + one.needed));
    }
  }
  // What counts is what file and options come to; and a manifest may name the map.
  EXPECT_NO_THROW(parse_config("deblend: {contrast: 0.01}", "x.yaml", {"deblend.method=tree"}));
  EXPECT_NO_THROW(parse_config("output: {columns: [CLASS_STAR]}", "x.yaml", {"measurement.nnw=x.nnw"}));
  EXPECT_NO_THROW(parse("mask: {good: nonzero}"));
  EXPECT_NO_THROW(parse("weights: {rescale: false}"));
  // What other sections ask for waits for it.
  EXPECT_NO_THROW(
      parse("quicklook: {size: 99, stretch: log}\nmeasurement: {apertures: [3]}\ndifference: {align: wcs}"));
}

constexpr const char* mesh_of_32 = "background: {method: mesh, mesh_size: 32, filter_size: 5}";
constexpr const char* no_mesh = "'background.mesh_size' has no use but with background.method mesh";

TEST(UnusedKeys, WhatAnOptionLeavesTheFilesKeysWithoutIsNoMistake) {
  struct Case {
    std::string yaml, setting;
  };
  const Case cases[] = {
      {mesh_of_32, "background.method=constant"},
      {"morphology: {operation: opening, element: square, iterations: 3}", "morphology.operation=none"},
      {"deblend: {method: tree, contrast: 0.1, thresholds: 64}", "deblend.method=none"},
      {"deblend: {clean: true, clean_beta: 2.5}", "deblend.clean=false"},
      {"convolve: {kernel: values, values: [[1, 2, 1]], edges: reflect, normalize: false}", "convolve.kernel=none"},
      {"convolve: {kernel: gaussian, fwhm: 3, size: 5}", "convolve.kernel=none"},
      {"convolve: {kernel: file, file: no.conv}", "convolve.kernel=none"},
      {"combine: {method: weighted, planes: [1, 2], weights: [1, 2]}", "combine.method=none"},
      {"combine: {method: weighted, planes: [1, 2], weights: [1, 2]}", "combine.method=mean"},
      {"weights: {type: weight, hdu: 2, threshold: 1, interpolate: all, interpolate_rows: 3}",
       "weights.type=background"},
      {"weights: {type: weight, file: w.fits, interpolate: all, interpolate_rows: 3}", "weights.interpolate=none"},
      {"mask: {hdu: 2, bits: [1]}", "mask.hdu=auto"},
      {"flags: {hdu: 2, bits: [1], type: max, further: [{hdu: 3}]}", "flags.hdu=auto"},
      {"background: {level: s.fits, level_hdu: 2}", "background.level=100"},
      {"detection: {false_discovery_rate: 0.01, correlated_pixels: 4}", "detection.false_discovery_rate=0"},
      {"output: {check_images: [background], check_compression: gzip}", "output.check_images=[]"},
      {"output: {report: true, report_copies: 9}", "output.report=false"},
      {"output: {formats: [parquet], parquet_compression: zstd}", "output.formats=[fits]"},
      {"difference: {align: wcs, interpolation: bilinear}", "difference.align=none"},
      {"quicklook: {limits: values, low: -3, high: 3}", "quicklook.limits=minmax"},
  };
  for (const Case& one : cases) {
    const Config config = parse(one.yaml, {one.setting});
    EXPECT_EQ(dump_config(config), dump_config(parse(dump_config(config)))) << one.yaml;
    EXPECT_NE(dump_config(parse(one.yaml)), dump_config(config)) << one.yaml;
  }
  const Config config = parse(mesh_of_32, {"background.method=constant"});
  EXPECT_EQ(config.background.mesh_size, 64) << "what is not used has its default";
  EXPECT_EQ(config.background.filter_size, 3);
}

TEST(UnusedKeys, OfTheFileByItselfOrOfAnOptionAreMistakes) {
  const std::string unused = "background: {method: constant, mesh_size: 32}";
  EXPECT_EQ(message(unused, {"detection.threshold=3"}), std::string("x.yaml:1:43: ") + no_mesh);
  EXPECT_EQ(message("", {"background.method=constant", "background.mesh_size=32"}),
            std::string("--set background.mesh_size=32: ") + no_mesh);
  EXPECT_EQ(message(mesh_of_32, {"background.method=constant", "background.mesh_size=16"}),
            std::string("--set background.mesh_size=16: ") + no_mesh);
  EXPECT_NO_THROW(parse(unused, {"background.method=mesh"}));
  EXPECT_NO_THROW(parse(unused, {"background.mesh_size=64"})) << "the option says the default";
  // A value that is none is wrong, used or not.
  EXPECT_THAT(message("background: {method: mesh, mesh_size: 3}", {"background.method=constant"}),
              EndsWith("'background.mesh_size' must be at least 8, not 3; in a smaller mesh there is too little sky"));
}

TEST(UnusedKeys, AMatchedFilterGoesWithItsKernel) {
  const std::string matched = "convolve: {kernel: gaussian, fwhm: 3, filter: matched}";
  EXPECT_EQ(parse(matched, {"convolve.kernel=none"}).convolve.filter, Filter::convolution);
  // Without a kernel the filter goes, and what it forbids is allowed.
  const std::string unit = "detection.threshold_unit=absolute";
  EXPECT_NO_THROW(parse(matched, {"convolve.kernel=none", unit}));
  EXPECT_THAT(message(matched, {unit}), ::testing::HasSubstr("convolve.filter' is matched"));
  EXPECT_NO_THROW(parse(matched, {"deblend.method=tree", "deblend.clean=true"}));
  EXPECT_EQ(message("convolve: {filter: matched}"),
            "x.yaml:1:20: 'convolve.filter' is matched, which needs a kernel: set convolve.kernel");
  EXPECT_EQ(message(matched, {"convolve.kernel=none", "convolve.filter=matched"}),
            "--set convolve.filter=matched: 'convolve.filter' is matched, which needs a kernel: set convolve.kernel");
}

GivenConfig given(const std::string& yaml, const std::vector<std::string>& settings) {
  return parse_given(yaml, "x.yaml", set_overrides(settings));
}

GivenConfig with(const GivenConfig& base, const std::vector<std::string>& settings) {
  return override_given(base, "x.yaml", {"--detect-set", settings});
}

TEST(UnusedKeys, MayGetTheirUseFromTheConfigurationOfOneImage) {
  const GivenConfig constant = given("background: {method: constant}", {"background.mesh_size=32"});
  const GivenConfig mesh = with(constant, {"background.method=mesh"});
  EXPECT_EQ(constant.config.background.mesh_size, 64);
  EXPECT_EQ(mesh.config.background.mesh_size, 32);
  EXPECT_NO_THROW(require_use({constant.unused, mesh.unused}));
  EXPECT_NO_THROW(require_use({mesh.unused}));
  const GivenConfig lower = with(constant, {"detection.threshold=3"});
  EXPECT_EQ(config_error([&] {
              require_use({constant.unused, lower.unused});
            }),
            std::string("--set background.mesh_size=32: ") + no_mesh);
}

TEST(UnusedKeys, OfImagesThatHaveAnotherConfiguration) {
  const GivenConfig of_file = given(mesh_of_32, {}), of_option = given("", {"background.mesh_size=32"});
  const std::vector<std::string> constant = {"background.method=constant"};
  EXPECT_NO_THROW(require_use({with(of_file, constant).unused}));
  EXPECT_NO_THROW(require_use({with(of_option, constant).unused, of_option.unused}));
  EXPECT_EQ(config_error([&] { require_use({with(of_option, constant).unused}); }),
            std::string("--set background.mesh_size=32: ") + no_mesh);
  // What they set themselves is for nobody else.
  EXPECT_EQ(config_error([&] {
              with(of_file, {"background.mesh_size=16", "background.method=constant"});
            }),
            std::string("--detect-set background.mesh_size=16: ") + no_mesh);
  EXPECT_EQ(config_error([&] { with(of_file, {"weights.threshold=2"}); }),
            "--detect-set weights.threshold=2: 'weights.threshold' has no use but with weights.type rms, variance or "
            "weight");
}

TEST(UnusedKeys, ThatOneOfTheirSectionMadeUselessNameWhatThatOneNeeds) {
  const std::vector<std::string> both = {"beam.source=given", "beam.fwhm=[3, 3]"};
  EXPECT_THAT(config_error([&] { require_use({given("", both).unused}); }),
              ::testing::AllOf(::testing::HasSubstr(
                                   "--set beam.source=given: 'beam.source' has no use but with fit.model gaussians"),
                               ::testing::HasSubstr("radio")));
  EXPECT_THAT(config_error([&] { require_use({given("", {"beam.fwhm=[3, 3]"}).unused}); }),
              EndsWith("'beam.fwhm' has no use but with beam.source given"));
  EXPECT_NO_THROW(require_use({given("detection: {false_discovery_rate: 0.01, correlated_pixels: 0}", both).unused}));
}

}  // namespace
}  // namespace srcextract
