#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/config.hpp"
#include "stages/core/error.hpp"
#include "stages/settings/keys.hpp"
#include "tests/config/schema_support.hpp"

namespace srcextract {
namespace {

using testing::expect_verdicts;

TEST(Schema, ShippedFilesNameItAndAreValid) {
  std::vector<std::string> texts;
  for (const std::string name : {"crowd.yaml", "default.yaml", "lesson.yaml", "radio.yaml", "sextractor.yaml",
                                 "survey/des.yaml", "survey/ztf.yaml", "survey/lsst.yaml", "survey/decam.yaml"}) {
    const std::string schema = name.starts_with("survey/") ? "../schema.json" : "schema.json";
    texts.push_back(testing::source_text("config/" + name));
    EXPECT_EQ(texts.back().substr(0, texts.back().find('\n')), "# yaml-language-server: $schema=" + schema) << name;
  }
  expect_verdicts("schema.json", texts, {});
}

bool parser_accepts(const std::string& yaml) {
  try {
    parse_config(yaml, "x.yaml");
    return true;
  } catch (const Error&) {
    return false;
  }
}

const std::vector<std::string> right = {
    "{}",
    "input: {hdu: auto}",
    "input: {hdu: 0}",
    "input: {hdu: 12, plane: 3}",
    "input: {hdu: SCI}",
    "input: {hdu: [1, SCI, 'SCI,2']}",
    "input: {hdu: 'SCI*'}",
    "input: {hdu: '2MASS J, [x]'}",
    "background: {kappa: 1.01}",
    "background: {kappa: 100}",
    "background: {max_iterations: 0}",
    "detection: {threshold: 0.001}",
    "detection: {threshold: 1, threshold_unit: sigma}",
    "detection: {threshold: -3, threshold_unit: absolute}",
    "detection: {threshold: 0, threshold_unit: absolute}",
    "background: {method: mesh, mesh_size: 8, estimator: median, filter_size: 15, filter_threshold: 0.5}",
    "background: {method: mesh, mesh_size: 1048576, filter_size: 1}",
    "background: {mesh_size: 128, mesh_height: 48, filter_size: 3, filter_height: 5}",
    "background: {method: constant, mesh_size: 64, max_iterations: 3}",
    "background: {level: 100.5, rms: 3}",
    "background: {level: sky.fits, level_hdu: 2}",
    "background: {level_hdu: SKY}",
    "weights: {type: none}",
    "weights: {type: background}",
    "weights: {type: weight, hdu: 2, convolve: true}",
    "weights: {type: rms, file: a.fits, interpolate: all, interpolate_columns: 0, interpolate_rows: 1000}",
    "flags: {hdu: DQ, type: most, bits: [1, BAD]}",
    "flags: {file: a.fits, type: and}",
    "flags: {hdu: DQ, further: [{hdu: [2, DQ2], type: most, bits: [1, BAD]}, {file: a.fits}]}",
    "background: {method: constant}\ndetection: {connectivity: 4, reference: zero, min_area: 1}",
    "measurement: {gain: 0, reference: background}",
    "output: {formats: [reg, csv, ecsv, fits], segmentation: true}",
    "combine: {method: luminosity, planes: [1, 2, 3]}",
    "combine: {method: median, files: [a.fits, '/data/b c.fits']}",
    "combine: {method: mean, hdus: [1, SCI, '2MASS']}",
    "combine: {method: weighted, weights: [1, -0.5], planes: [2, 1]}",
    "convolve: {kernel: gaussian, fwhm: 3.5}",
    "convolve: {kernel: values, values: [[1, 2, 1], [2, 4, 2], [1, 2, 1.5]], normalize: false, edges: reflect}",
    "convolve: {kernel: values, values: [[0.5]]}",
    "convolve: {kernel: file, file: ../kernels/gauss_3.0_5x5.conv}",
    "convolve: {kernel: tophat, radius: 40, size: 63}",
    "morphology: {operation: opening, element: square, iterations: 3}",
    "deblend: {method: tree, thresholds: 64, contrast: 0.0001}",
    "deblend: {clean: true, clean_beta: 1.5}",
    "detection: {threshold: 5, threshold_unit: detection_sigma}",
    "detection: {threshold: 3, seed: 5, sign: both}",
    "detection: {analysis_threshold: 1.5}",
    "detection: {false_discovery_rate: 0.01, correlated_pixels: 9}",
    "convolve: {kernel: gaussian, fwhm: 2, filter: matched}",
    "measurement: {zero_point: 22.5, pixel_scale: 0.2}\ndetection: {threshold: -1, threshold_unit: mag_per_arcsec2}",
    "difference: {kernel: gaussian, align: wcs, interpolation: bilinear, reference_fwhm: 2.5, new_fwhm: 3}",
    "difference: {kernel: gaussian, match_flux: false}",
    "output: {quicklook: true}",
    "output: {columns: [default, FLUX_AUTO, 'VIGNET(35,35)']}",
    "measurement: {mask: none, noise: apertures, apertures: [3, 5.5], kron: [2, 0], petrosian: [2, 0.0]}",
    "measurement: {overlap: exact}",
    "measurement: {flux_radius: [0.2, 0.5]}",
    "measurement: {annulus: [0, 12.5], nnw: default.nnw, seeing_fwhm: 0.9}",
    "output: {check_images: [rms, -background, threshold], check_compression: tiles}",
    "output: {report: true, report_copies: 100}",
    "output: {formats: [fits, parquet], parquet_compression: zstd}",
    "quicklook: {stretch: equalize, limits: values, low: -1, high: 10, bins: 256, overlay: pixels, size: 512}",
    dump_config(Config{}),
};

const std::vector<std::string> wrong = {
    "detect: {threshold: 5}",
    "detection: {treshold: 5}",
    "background: {threshold: 5}",
    "threshold: 5",
    "detection:",
    "detection: 5",
    "detection: [threshold]",
    "[detection]",
    "detection",
    "input: {hdu: -1}",
    "input: {hdu: 1.5}",
    "input: {hdu: true}",
    "input: {hdu: ''}",
    "input: {hdu: ' SCI'}",
    "input: {hdu: }",
    "input: {hdu: []}",
    "input: {hdu: [SCI, -1]}",
    "input: {hdu: [[SCI]]}",
    "input: {hdu: \"S\\xC9\"}",
    "input: {hdu: " + std::string(69, 'A') + "}",
    "input: {plane: -1}",
    "input: {plane: 1.5}",
    "input: {plane: first}",
    "background: {kappa: 1}",
    "background: {kappa: 0}",
    "background: {kappa: 100.1}",
    "background: {kappa: '3'}",
    "background: {kappa: ~}",
    "background: {kappa: yes}",
    "background: {method: flat}",
    "background: {mesh_size: 7}",
    "background: {mesh_size: 64.5}",
    "background: {mesh_height: -1}",
    "background: {filter_height: 17}",
    "background: {estimator: mean}",
    "background: {filter_size: 0}",
    "background: {filter_size: 17}",
    "background: {filter_threshold: -1}",
    "background: {level: [3]}",
    "weights: {type: noise}",
    "weights: {convolve: 3}",
    "weights: {interpolate: rows}",
    "weights: {interpolate_rows: -1}",
    "flags: {type: xor}",
    "output: {check_images: [rms], check_compression: rice}",
    "output: {report: true, report_copies: -1}",
    "output: {formats: [parquet], parquet_compression: gzip}",
    "flags: {hdu: DQ, further: {hdu: 2}}",
    "flags: {hdu: DQ, further: [2]}",
    "flags: {hdu: DQ, further: [{hdu: 2, type: xor}]}",
    "flags: {hdu: DQ, further: [{hdu: 2, further: []}]}",
    "background: {max_iterations: -1}",
    "background: {max_iterations: 2.5}",
    "detection: {threshold: 0, threshold_unit: sigma}",
    "detection: {threshold: -5, threshold_unit: sigma}",
    "detection: {threshold: 08}",
    "detection: {threshold: 1x}",
    "detection: {threshold: [5]}",
    "detection: {threshold_unit: sigmas}",
    "detection: {threshold_unit: 1}",
    "detection: {sign: below}",
    "detection: {seed: high}",
    "detection: {analysis_threshold: low}",
    "detection: {false_discovery_rate: few}",
    "detection: {false_discovery_rate: 0.01, correlated_pixels: -1}",
    "convolve: {kernel: gaussian, fwhm: 2, filter: weighted}",
    "measurement: {pixel_scale: -1}",
    "detection: {reference: median}",
    "detection: {connectivity: 6}",
    "detection: {connectivity: '8'}",
    "detection: {min_area: 0}",
    "detection: {min_area: 2.5}",
    "measurement: {gain: -0.1}",
    "measurement: {gain: {}}",
    "output: {formats: fits}",
    "output: {formats: []}",
    "output: {formats: [fits, fits]}",
    "output: {formats: [fits, exsv]}",
    "output: {formats: [[fits]]}",
    "output: {segmentation: 1}",
    "output: {columns: all}",
    "measurement: {apertures: 5}",
    "measurement: {mask: 1}",
    "measurement: {noise: aperture}",
    "measurement: {overlap: 5}",
    "measurement: {petrosian: 2}",
    "measurement: {annulus: 20}",
    "measurement: {seeing_fwhm: 0}",
    "output: {segmentation: 'true'}",
    "combine: {method: sum}",
    "combine: {method: mean, planes: 3}",
    "combine: {method: mean, planes: [1.5]}",
    "combine: {method: mean, planes: [1, 0]}",
    "combine: {method: mean, files: [[a.fits]]}",
    "combine: {method: mean, files: [true]}",
    "combine: {method: weighted, weights: [one]}",
    "convolve: {kernel: values, values: [1, 2, 1]}",
    "convolve: {kernel: values, values: [[[1]]]}",
    "convolve: {kernel: gaussian, fwhm: -3}",
    "convolve: {kernel: gaussian, sigma: 1, size: 65}",
    "convolve: {kernel: file, file: 3.5}",
    "convolve: {edges: mirror}",
    "morphology: {operation: erode}",
    "morphology: {operation: erosion, iterations: 0}",
    "deblend: {method: watershed}",
    "deblend: {thresholds: 1}",
    "deblend: {contrast: -0.1}",
    "deblend: {clean: maybe}",
    "deblend: {clean_beta: 0}",
    "difference: {align: pixels}",
    "difference: {new_fwhm: 19, reference_fwhm: 2}",
    "quicklook: {bins: 255}",
    "quicklook: {size: 8}",
    "quicklook: {stretch: equalise}",
};

TEST(Schema, ParserJudgesRightAndWrong) {
  for (const std::string& yaml : right) EXPECT_TRUE(parser_accepts(yaml)) << yaml;
  for (const std::string& yaml : wrong) EXPECT_FALSE(parser_accepts(yaml)) << yaml;
}

TEST(Schema, JudgesAsTheParserDoes) {
  expect_verdicts("schema.json", right, wrong);
}

TEST(Schema, JudgesEveryKeyAsTheParserDoes) {
  // The unit may stand in a file that is extended, and a threshold of some unit is right: the schema allows it.
  const auto with_unit = [](std::string yaml) {
    if (yaml.find("threshold: ") != yaml.npos && yaml.starts_with("detection"))
      yaml.replace(yaml.find('}'), 1, ", threshold_unit: absolute}");
    return yaml;
  };
  testing::expect_verdicts_on_every_key("schema.json", Config{},
                                        [&](const std::string& yaml) { parse_config(with_unit(yaml), "x.yaml"); });
}

TEST(Schema, AllowsKeysWhoseUseWhatIsExtendedDecides) {
  expect_verdicts("schema.json",
                  {"extends: crowd\ncrowd: {sky_size: 32}", "extends: mine.yaml\nconvolve: {fwhm: 3}",
                   "extends: mine.yaml\ndetection: {threshold: -3}", "extends: none"},
                  {"extends: [none]", "extends: ''"});
}

}  // namespace
}  // namespace srcextract
