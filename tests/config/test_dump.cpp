#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <random>

#include "config/config.hpp"
#include "tests/config/fuzz_support.hpp"
#include "tests/config/parse_support.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract {
namespace {

using testing::parse;

TEST(ConfigDump, HoldsEveryKeyInOrder) {
  EXPECT_EQ(
      dump_config(Config{}),
      "input:\n  hdu: auto\n  plane: 1\n"
      "combine:\n  method: none\n  planes: []\n  hdus: []\n  files: []\n  weights: []\n"
      "background:\n  method: mesh\n  kappa: 3.0\n  max_iterations: 0\n  mesh_size: 64\n  mesh_height: 0\n"
      "  estimator: sextractor\n  filter_size: 3\n  filter_height: 0\n  filter_threshold: 0.0\n  level: ''\n  "
      "level_hdu: auto\n  rms: ''\n"
      "weights:\n  type: background\n  file: ''\n  hdu: auto\n  threshold: 0.0\n  beyond: mask\n  rescale: true\n"
      "  convolve: false\n  interpolate: none\n  interpolate_columns: 16\n  interpolate_rows: 16\n"
      "mask:\n  file: ''\n  hdu: auto\n  bits: []\n  good: zero\n"
      "flags:\n  file: ''\n  hdu: auto\n  type: or\n  bits: []\n  further: []\n"
      "convolve:\n  kernel: none\n  fwhm: 0.0\n  sigma: 0.0\n  radius: 0.0\n  size: 0\n  values: []\n"
      "  file: ''\n  normalize: true\n  edges: zero\n  filter: convolution\n"
      "detection:\n  threshold: 5.0\n  threshold_unit: sigma\n  reference: background\n  connectivity: 8\n"
      "  min_area: 5\n  sign: positive\n  seed: 0.0\n  analysis_threshold: 0.0\n"
      "  false_discovery_rate: 0.0\n  correlated_pixels: 1\n"
      "morphology:\n  operation: none\n  element: cross\n  iterations: 1\n"
      "deblend:\n  method: none\n  thresholds: 32\n  contrast: 0.005\n  clean: false\n  clean_beta: 1.0\n"
      "measurement:\n  reference: background\n  gain: 0.0\n  saturation: 0.0\n  saturation_keyword: none\n"
      "  gain_keyword: none\n"
      "  zero_point: 0.0\n  pixel_scale: 0.0\n  mask: correct\n  noise: pixel\n  overlap: sub-pixels\n"
      "  apertures: [5.0]\n  kron: [2.5, 3.5]\n  petrosian: [2.0, 3.5]\n  flux_radius: [0.5]\n  annulus: [10.0, 20.0]\n"
      "  nnw: ''\n  seeing_fwhm: 1.2\n"
      "difference:\n  align: none\n  interpolation: lanczos3\n  match_flux: true\n  match_background: true\n"
      "  reference_fwhm: 0.0\n  new_fwhm: 0.0\n"
      "output:\n  formats: [fits]\n  parquet_compression: none\n  columns: [default]\n  segmentation: false\n  "
      "quicklook: false\n  "
      "check_images: []\n"
      "  check_compression: none\n  header_keywords: []\n  one_catalogue: false\n"
      "quicklook:\n  stretch: asinh\n  limits: zscale\n  low: 0.0\n  high: 0.0\n  bins: 4096\n"
      "  overlay: ellipses\n  size: 1024\n");
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
  for (int i = 0; i < testing::rounds(4000); ++i) {
    Config c;
    c.measurement.gain = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse(dump_config(c)).measurement.gain, c.measurement.gain);
  }
}

TEST(ConfigDump, ReadsBackToTheSameText) {
  for (const char* hdu :
       {"auto", "0",    "12",   "SCI",  "2MASS", "-1",    "007", "3.5",       "true", "No",
        "null", "~",    "a: b", "x #1", "it's",  "\"q\"", "[1]", "WFC3-IR 2", "*a",   "99999999999999999999",
        "0x10", ".nan", "\\",   "SCI*", "SCI,2", "?CI,*"}) {
    Config c;
    c.input.hdu = hdu;
    c.background.method = BackgroundMethod::constant;
    c.detection = {-1.5, ThresholdUnit::absolute, Baseline::zero, 4, 1};
    c.output = {
        {CatalogFormat::reg, CatalogFormat::parquet}, ParquetCompression::zstd, {"NUMBER", "photometry"}, true, true};
    if (!c.input.hdu.several())  // several images are not combined
      c.combine = {CombineMethod::weighted, {}, {}, {hdu, "it's/a b.fits", "blank "}, {1, 0.1, -1e-30, 2}};
    c.convolve.kernel = KernelShape::values;
    c.convolve.values = {{1, 2.5, 1e20}};
    const std::string yaml = dump_config(c);
    const Config again = parse(yaml);
    EXPECT_EQ(again.input.hdu, hdu);
    EXPECT_EQ(again.combine, c.combine);
    EXPECT_EQ(again.convolve, c.convolve);
    EXPECT_EQ(again.detection.threshold, -1.5);
    EXPECT_EQ(dump_config(again), yaml);
  }
}

TEST(ConfigDump, AListOfMapsOfKeysReadsBackToTheSameText) {
  Config c;
  c.flags.hdu = "DQ";
  c.flags.further = {{"a b, {c}.fits", "SCI,2", FlagType::most, {"BAD", "7"}}, {"", "[1]", FlagType::bit_or, {}}};
  const std::string yaml = dump_config(c);
  EXPECT_THAT(yaml, ::testing::HasSubstr("  further: [{file: 'a b, {c}.fits', hdu: 'SCI,2', type: most, bits: [BAD, "));
  EXPECT_EQ(parse(yaml).flags, c.flags);
  EXPECT_EQ(dump_config(parse(yaml)), yaml);
}

TEST(ConfigFuzz, ADamagedFileIsReadOrRefused) {
  testing::expect_read_or_refused(testing::source_text("config/default.yaml"), 5000,
                                  [](const std::string& yaml) { return dump_config(parse(yaml)); });
}

}  // namespace
}  // namespace srcextract
