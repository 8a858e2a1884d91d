#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "config/config.hpp"
#include "tests/config/parse_support.hpp"

namespace srcextract {
namespace {

using testing::message;
using testing::parse;

using ::testing::EndsWith;

TEST(ConfigErrors, KeysThatOthersOfTheirSectionLeaveWithoutUseHaveTheirDefaults) {
  struct Case {
    std::string section, without, keys, needed;  ///< the keys one by one, all with the same need
    std::string with;
  };
  const Case cases[] = {
      {"background", "method: constant", "mesh_size: 32, estimator: median, filter_size: 5, filter_threshold: 1.5",
       "background.method mesh", "method: mesh"},
      {"clean", "operation: none", "element: square, iterations: 2", "clean.operation erosion or opening",
       "operation: erosion"},
      {"deblend", "method: none", "thresholds: 64, contrast: 0.1", "deblend.method tree", "method: tree"},
      {"deblend", "method: tree", "clean_beta: 2.5", "deblend.clean true", "clean: true"},
      {"convolve", "kernel: none", "normalize: false, edges: reflect", "a convolve.kernel",
       "kernel: gaussian, fwhm: 3"},
      {"weights", "type: none", "threshold: 2", "weights.type rms, variance or weight", "type: weight, hdu: 2"},
      {"difference", "align: none", "interpolation: bilinear", "difference.align wcs", "align: wcs"},
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

}  // namespace
}  // namespace srcextract
