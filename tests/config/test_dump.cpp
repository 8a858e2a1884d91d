#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <fstream>
#include <random>

#include "config/config.hpp"
#include "stages/core/error.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract {
namespace {

using ::testing::StartsWith;

const std::string source_dir = testing::source_dir();

Config parse(const std::string& yaml) {
  return parse_config(yaml, "x.yaml");
}

TEST(ConfigDump, HoldsEveryKeyInOrder) {
  EXPECT_EQ(dump_config(Config{}),
            "input:\n  hdu: auto\n  plane: 1\n"
            "background:\n  kappa: 3.0\n  max_iterations: 0\n"
            "detection:\n  threshold: 5.0\n  threshold_unit: sigma\n  reference: background\n  connectivity: 8\n"
            "  min_area: 5\n"
            "measurement:\n  reference: background\n  gain: 0.0\n"
            "output:\n  formats: [fits]\n  segmentation: false\n");
}

TEST(ConfigDump, NumbersAreShortAndReadBackToTheLastBit) {
  const auto dumped = [](double gain) {
    Config c;
    c.measurement.gain = gain;
    return YAML::Load(dump_config(c))["measurement"]["gain"].Scalar();
  };
  EXPECT_EQ(dumped(5), "5.0");
  EXPECT_EQ(dumped(0.1), "0.1");
  EXPECT_EQ(dumped(1e20), "1.0e+20");
  EXPECT_EQ(dumped(2.5e-9), "2.5e-09");

  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 1000; ++i) {
    Config c;
    c.measurement.gain = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse(dump_config(c)).measurement.gain, c.measurement.gain);
  }
}

TEST(ConfigDump, ReadsBackToTheSameText) {
  for (const char* hdu :
       {"auto", "0",    "12",   "SCI",  "2MASS", "-1",    "007", "3.5",       "true", "No",
        "null", "~",    "a: b", "x #1", "it's",  "\"q\"", "[1]", "WFC3-IR 2", "*a",   "99999999999999999999",
        "0x10", ".nan", "\\"}) {
    Config c;
    c.input.hdu = hdu;
    c.detection = {-1.5, ThresholdUnit::absolute, Reference::zero, 4, 1};
    c.output = {{CatalogFormat::reg, CatalogFormat::ecsv}, true};
    const std::string yaml = dump_config(c);
    const Config again = parse(yaml);
    EXPECT_EQ(again.input.hdu, hdu);
    EXPECT_EQ(again.detection.threshold, -1.5);
    EXPECT_EQ(dump_config(again), yaml);
  }
}

TEST(ConfigFuzz, ADamagedFileIsReadOrRefused) {
  std::ifstream file(source_dir + "/config/default.yaml");
  const std::string original((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(original.size(), 1000u);
  const std::string characters = "[]{}:-?*&!|>'\"%#,.\n\t \\~0123456789eE+xabc\x04\x80\xff";
  std::mt19937 random(20240229);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  int read = 0, refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string yaml = original;
    for (std::size_t edits = 1 + below(4); edits > 0 && !yaml.empty(); --edits) {
      const std::size_t at = below(yaml.size());
      switch (below(4)) {
        case 0:
          yaml.erase(at, 1 + below(20));
          break;
        case 1:
          yaml.insert(at, 1, characters[below(characters.size())]);
          break;
        case 2:
          yaml[at] = characters[below(characters.size())];
          break;
        case 3:
          yaml.insert(below(yaml.size()), yaml.substr(at, below(200)));
          break;
      }
    }
    try {
      const std::string dumped = dump_config(parse(yaml));
      EXPECT_EQ(dump_config(parse(dumped)), dumped) << yaml;
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      EXPECT_THAT(error.what(), StartsWith("x.yaml:")) << yaml;
      ++refused;
    }
  }
  EXPECT_GT(read, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace srcextract
