#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

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

TEST(ConfigErrors, NamePlaceProblemAndWayOut) {
  const Wrong cases[] = {
      {"detection:\n  min_area: 3\n  treshold: 5\n",
       "x.yaml:3:3: unknown key 'treshold' in 'detection'; did you mean 'threshold'?"},
      {"detection:\n  Min-Area: 3\n", "x.yaml:2:3: unknown key 'Min-Area' in 'detection'; did you mean 'min_area'?"},
      {"background:\n  mesh: 64\n", "x.yaml:2:3: unknown key 'mesh' in 'background'; did you mean 'mesh_size'?"},
      {"background:\n  box: 64\n",
       "x.yaml:2:3: unknown key 'box' in 'background'; its keys are method, kappa, max_iterations, mesh_size, "
       "mesh_beams, mesh_height, estimator, rms_map, filter_size, filter_height, filter_threshold, refine, surface, "
       "level, "
       "level_hdu, "
       "rms"},
      {"detection:\n  kappa: 3\n", "x.yaml:2:3: unknown key 'kappa' in 'detection'; it is a key of background"},
      {"detect:\n  threshold: 5\n", "x.yaml:1:1: unknown section 'detect'; did you mean 'detection'?"},
      {"threshold: 5\n", "x.yaml:1:1: unknown section 'threshold'; it is a key of weights, detection, crowd"},
      {"detection:\n  area: 3\n", "x.yaml:2:3: unknown key 'area' in 'detection'; did you mean 'min_area'?"},
      {"surprise: {}\n",
       "x.yaml:1:1: unknown section 'surprise'; the sections are input, wcs, beam, combine, background, weights, mask, "
       "flags, convolve, detection, morphology, deblend, fit, model, measurement, difference, psf, crowd, output, "
       "quicklook"},
      {"detection:\n  threshold: 4\n  threshold: 5\n",
       "x.yaml:3:3: duplicate key 'threshold' in 'detection'; it stands at x.yaml:2:3 already"},
      {"input: {hdu: 1}\noutput: {segmentation: true}\ninput: {plane: 2}\n",
       "x.yaml:3:1: duplicate key 'input'; it stands at x.yaml:1:1 already"},
      {"detection:\n  threshold: five\n", "x.yaml:2:14: 'detection.threshold' must be a number, not 'five'"},
      {"detection:\n  threshold: \"5\"\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not the text '5'; remove the quotes"},
      {"detection:\n  threshold: [5]\n", "x.yaml:2:14: 'detection.threshold' must be a number, not a list"},
      {"detection:\n  threshold: {sigma: 5}\n", "x.yaml:2:14: 'detection.threshold' must be a number, not a map"},
      {"detection:\n  threshold: .nan\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not '.nan'; it must be finite"},
      {"detection:\n  threshold: -.inf\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not '-.inf'; it must be finite"},
      {"detection:\n  threshold: 08\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not '08'; write it in decimal without leading zeros"},
      {"detection:\n  threshold: 0x10\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not '0x10'; write it in decimal without leading zeros"},
      {"detection:\n  threshold: 0,5\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not '0,5'; the decimal sign is a point"},
      {"detection:\n  threshold: 4,5\n",
       "x.yaml:2:14: 'detection.threshold' must be a number, not '4,5'; the decimal sign is a point"},
      {"detection:\n  threshold: yes\n", "x.yaml:2:14: 'detection.threshold' must be a number, not 'yes'"},
      {"detection:\n  threshold: 1_000\n", "x.yaml:2:14: 'detection.threshold' must be a number, not '1_000'"},
      {"detection:\n  threshold: 5 sigma\n", "x.yaml:2:14: 'detection.threshold' must be a number, not '5 sigma'"},
      {"detection:\n  threshold: +-5\n", "x.yaml:2:14: 'detection.threshold' must be a number, not '+-5'"},
      {"detection:\n  threshold: 1e999\n",
       "x.yaml:2:14: 'detection.threshold' must be within the range of a double, not '1e999'"},
      {"detection:\n  threshold:\n  min_area: 3\n",
       "x.yaml:2:3: 'detection.threshold' has no value; write one, or leave the key out for the default"},
      {"detection:\n  threshold: ~\n",
       "x.yaml:2:3: 'detection.threshold' has no value; write one, or leave the key out for the default"},
      {"detection:\n  threshold: !!float 5\n",
       "x.yaml:2:14: the tag 'tag:yaml.org,2002:float' has no use here; remove it"},
      {"detection:\n  min_area: 5.0\n",
       "x.yaml:2:13: 'detection.min_area' must be a whole number, not '5.0'; write it without point and exponent"},
      {"detection:\n  min_area: 1e3\n",
       "x.yaml:2:13: 'detection.min_area' must be a whole number, not '1e3'; write it without point and exponent"},
      {"detection:\n  min_area: 9223372036854775808\n",
       "x.yaml:2:13: 'detection.min_area' must be within the range of a 64-bit integer, not '9223372036854775808'"},
      {"detection:\n  min_area: true\n", "x.yaml:2:13: 'detection.min_area' must be a whole number, not 'true'"},
      {"detection:\n  threshold_unit: sigmas\n",
       "x.yaml:2:19: 'detection.threshold_unit' must be one of sigma, absolute, detection_sigma, mag_per_arcsec2, not "
       "'sigmas'; did you "
       "mean 'sigma'?"},
      {"detection:\n  threshold_unit: counts\n",
       "x.yaml:2:19: 'detection.threshold_unit' must be one of sigma, absolute, detection_sigma, mag_per_arcsec2, not "
       "'counts'"},
      {"output:\n  segmentation: yes\n",
       "x.yaml:2:17: 'output.segmentation' must be true or false, not 'yes'; write true"},
      {"output:\n  segmentation: Off\n",
       "x.yaml:2:17: 'output.segmentation' must be true or false, not 'Off'; write false"},
      {"output:\n  segmentation: 'true'\n",
       "x.yaml:2:17: 'output.segmentation' must be true or false, not the text 'true'; remove the quotes"},
      {"output:\n  segmentation: [true]\n", "x.yaml:2:17: 'output.segmentation' must be true or false, not a list"},
      {"output:\n  formats: fits\n", "x.yaml:2:12: 'output.formats' must be a list, not 'fits'; write [fits]"},
      {"output:\n  formats: []\n",
       "x.yaml:2:12: 'output.formats' is empty; name at least one of fits, ldac, ecsv, csv, ascii_head, votable, "
       "votable_text, parquet, reg, crtf"},
      {"output:\n  formats: [fits, csv, fits]\n", "x.yaml:2:24: 'output.formats' names 'fits' twice"},
      {"output:\n  formats:\n    - fits\n    - exsv\n",
       "x.yaml:4:7: 'output.formats' must be one of fits, ldac, ecsv, csv, ascii_head, votable, "
       "votable_text, parquet, reg, crtf, not 'exsv'; did you mean 'ecsv'?"},
      {"output:\n  formats: [[fits]]\n",
       "x.yaml:2:13: 'output.formats' must be one of fits, ldac, ecsv, csv, ascii_head, votable, "
       "votable_text, parquet, reg, crtf, not a list"},
      {"input:\n  hdu: -1\n",
       "x.yaml:2:8: 'input.hdu' must be a name or a whole number from 0, not '-1'; a name like this one must stand in "
       "quotes"},
      {"input:\n  hdu: ''\n",
       "x.yaml:2:8: 'input.hdu' must be 1 to 68 printable ASCII characters without a blank at either end, not the text "
       "''"},
      {"input:\n  hdu: []\n", "x.yaml:2:8: 'input.hdu' is empty; name an HDU"},
      {"input:\n  hdu: [1, [2]]\n", "x.yaml:2:12: 'input.hdu' must be a name or a whole number, not a list"},
      {"input:\n  hdu: [SCI, all]\n",
       "x.yaml:2:8: 'input.hdu' must list numbers, EXTNAMEs and patterns; auto and all are no names of one HDU"},
      {"input:\n  hdu: 'SCI*'\ncombine:\n  method: mean\n  hdus: [1, 2]\n",
       "x.yaml:5:9: 'combine.hdus' cannot be given where input.hdu is SCI*; name one HDU, or combine planes"},
      {"mask:\n  hdu: all\n",
       "x.yaml:2:8: 'mask.hdu' is all, which leaves no HDU of the image's file to be extracted; name some, or a file"},
      {"measurement:\n  gain_keyword: gain\n",
       "x.yaml:2:17: 'measurement.gain_keyword' is 'gain', which is no FITS keyword: 1 to 8 of A-Z, 0-9, - and _"},
      {"detection:\n", "x.yaml:1:1: section 'detection' is empty; give it a key, indented below it, or leave it out"},
      {"background: 3\n",
       "x.yaml:1:13: 'background' is a section and must hold keys: method, kappa, max_iterations, "
       "mesh_size, mesh_beams, mesh_height, estimator, rms_map, filter_size, filter_height, filter_threshold, refine, "
       "surface, "
       "level, "
       "level_hdu, rms"},
      {"convolve: {kernel: default.conv}\n",
       "x.yaml:1:20: 'convolve.kernel' must be one of none, gaussian, tophat, mexican_hat, values, file, not "
       "'default.conv'; write file, and name it in convolve.file"},
      {"clean: {operation: opening}\n", "x.yaml:1:1: unknown section 'clean'; it is called 'morphology' now"},
      {"morphology:\n  operation erosion\n",
       "x.yaml:2:3: 'morphology' is a section and must hold keys: operation, element, iterations; is a colon missing "
       "after "
       "'operation'?"},
      {"- detection\n",
       "x.yaml:1:1: a configuration is a map of sections: input, wcs, beam, combine, background, weights, mask, flags, "
       "convolve, "
       "detection, "
       "morphology, deblend, fit, model, measurement, difference, psf, crowd, output, quicklook"},
      {"? [a]\n: 3\n", "x.yaml:1:3: a key must be a word"},
      {"deblend: {thresholds: 1}\n",
       "x.yaml:1:23: 'deblend.thresholds' must be at least 2, not 1; one is the threshold itself; 32 is usual"},
      {"deblend: {contrast: 1.5}\n",
       "x.yaml:1:21: 'deblend.contrast' must be at most 1, not 1.5; it is a part of the source's flux: 0 divides at "
       "every peak, 1 never"},
      {"deblend: {method: tree}\ndetection: {threshold: 0, threshold_unit: absolute}\n",
       "x.yaml:1:19: 'deblend.method' is tree, whose levels rise from the threshold by factors, and "
       "detection.threshold is "
       "not above 0; raise it, or set method to none"},
      {"deblend: {clean_beta: 0.05}\n",
       "x.yaml:1:23: 'deblend.clean_beta' must be at least 0.1, not 0.05; wings fall as r^(-2 clean_beta); 1 is usual"},
      {"deblend: {clean: true}\ndetection: {threshold: 0, threshold_unit: absolute}\n",
       "x.yaml:1:18: 'deblend.clean' is true, which takes sources for profiles that rise from the threshold, and "
       "detection.threshold is not above 0; raise it, or set clean to false"},
      {"combine:\n  planes: [1, 2]\n",
       "x.yaml:2:11: 'combine.planes' has no use where combine.method is none; set a method"},
      {"combine: {method: mean,\n  planes: [0]}\n",
       "x.yaml:2:11: 'combine.planes' must hold numbers from 1; planes are counted from 1"},
      {"combine:\n  method: mean\n  planes: [1, 2]\n  files: [b.fits]\n",
       "x.yaml:3:11: 'combine.planes' cannot be given beside another: set one of combine.planes, hdus and files"},
      {"input: {hdu: all}\ncombine:\n  method: mean\n  hdus: [1, 2]\n",
       "x.yaml:4:9: 'combine.hdus' cannot be given where input.hdu is all; name one HDU, or combine planes"},
      {"combine:\n  method: mean\n  hdus: [1, all]\n",
       "x.yaml:3:9: 'combine.hdus' must hold numbers and EXTNAMEs; auto, all and patterns are no names of one HDU"},
      {"combine:\n  method: weighted\n  planes: [1, 2]\n  weights: [1, 2, 3]\n",
       "x.yaml:4:12: 'combine.weights' has 3 weights for 2 images; give each one"},
      {"combine:\n  method: weighted\n  weights: [0, 0]\n",
       "x.yaml:3:12: 'combine.weights' must hold a weight for each image, not all 0, where combine.method is weighted"},
      {"convolve:\n  kernel: gaussian\n",
       "x.yaml:2:11: 'convolve.kernel' is gaussian, which needs convolve.fwhm or convolve.sigma"},
      {"convolve:\n  fwhm: 3\n", "x.yaml:2:9: 'convolve.fwhm' has no use but with convolve.kernel gaussian"},
      {"convolve:\n  kernel: gaussian\n  sigma: 8\n",
       "x.yaml:3:10: 'convolve.sigma' is too large for a kernel of 63 pixels, which has room for 7.75; set "
       "convolve.size to cut it off"},
      {"convolve:\n  kernel: tophat\n  radius: 2\n  size: 4\n",
       "x.yaml:4:9: 'convolve.size' must be odd, so that the kernel has a centre; or 0"},
      {"convolve:\n  kernel: values\n  values: [[1, 2], [3, 4]]\n",
       "x.yaml:3:11: 'convolve.values' must have odd sides, not 2 x 2"},
      {"convolve:\n  kernel: values\n  values: [[1, 2, 1], [3]]\n",
       "x.yaml:3:11: 'convolve.values' must have rows of one length; the first has 3 values, row 2 has 1"},
      {"convolve:\n  kernel: values\n  values: [[0, 0, 0]]\n", "x.yaml:3:11: 'convolve.values' must not all be zero"},
      {"convolve:\n  kernel: values\n  values: [[1, .nan, 1]]\n",
       "x.yaml:3:16: 'convolve.values' must be a number, not '.nan'; it must be finite"},
      {"convolve:\n  kernel: values\n  values: [1, 2, 1]\n",
       "x.yaml:3:12: 'convolve.values' must be a list, not '1'; write [1]"},
      {"convolve:\n  kernel: file\n  file: 3.5\n",
       "x.yaml:3:9: 'convolve.file' must be a path, not '3.5'; a name like this one must stand in quotes"},
      {"quicklook:\n  limits: values\n",
       "x.yaml:2:11: 'quicklook.high' must be greater than quicklook.low where quicklook.limits is values"},
      {"difference:\n  reference_fwhm: 3\n  kernel: gaussian\n",
       "x.yaml:2:19: 'difference.reference_fwhm' needs difference.reference_fwhm and difference.new_fwhm, both or "
       "neither"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(message(wrong.yaml), wrong.message) << wrong.yaml;
}

TEST(ConfigErrors, RangesNameTheLimitAndTheReason) {
  const Wrong cases[] = {
      {"input: {plane: -1}", "x.yaml:1:16: 'input.plane' must be at least 0, not -1; planes"},
      {"background: {kappa: 1}", "x.yaml:1:21: 'background.kappa' must be greater than 1, not 1; at 1 sigma"},
      {"background: {kappa: 100.5}", "x.yaml:1:21: 'background.kappa' must be at most 100, not 100.5; "},
      {"background: {mesh_size: 7}", "x.yaml:1:25: 'background.mesh_size' must be at least 8, not 7; in a smaller"},
      {"background: {mesh_size: 8, mesh_height: 7}",
       "x.yaml:1:41: 'background.mesh_height' makes meshes of 8 x 7 pixels, in which there is too little sky"},
      {"background: {filter_height: 4}", "x.yaml:1:29: 'background.filter_height' must be odd, so that the filter has"},
      {"background: {filter_height: 17}", "x.yaml:1:29: 'background.filter_height' must be at most 15, not 17"},
      {"background: {filter_size: 17}", "x.yaml:1:27: 'background.filter_size' must be at most 15, not 17"},
      {"background: {filter_threshold: -1}", "x.yaml:1:32: 'background.filter_threshold' must be at least 0, not -1"},
      {"background: {max_iterations: -1}", "x.yaml:1:30: 'background.max_iterations' must be at least 0, not -1; "},
      {"detection: {threshold: -5}", "x.yaml:1:24: 'detection.threshold' must be greater than 0, not -5; "},
      {"detection: {threshold: 0.0}", "x.yaml:1:24: 'detection.threshold' must be greater than 0, not 0; "},
      {"detection: {connectivity: 6}", "x.yaml:1:27: 'detection.connectivity' must be one of 4, 8, not 6; "},
      {"detection: {sign: up}", "x.yaml:1:19: 'detection.sign' must be one of positive, negative, both, not 'up'"},
      {"detection: {min_area: 0}", "x.yaml:1:23: 'detection.min_area' must be at least 1, not 0; "},
      {"measurement: {gain: -0.5}", "x.yaml:1:21: 'measurement.gain' must be at least 0, not -0.5; "},
  };
  for (const Wrong& wrong : cases) EXPECT_THAT(message(wrong.yaml), StartsWith(wrong.message)) << wrong.yaml;
}

TEST(ConfigErrors, TheFilterOverMeshesHasACentre) {
  EXPECT_THAT(
      message("background: {filter_size: 4}"),
      StartsWith("x.yaml:1:27: 'background.filter_size' must be odd, so that the filter has a centre; 1 means"));
  EXPECT_EQ(parse("background: {filter_size: 5}").background.filter_size, 5);
}

TEST(ConfigErrors, ASkyThatIsGivenIsANumberOrAFileOfLevelsAndANumberOfNoise) {
  const Wrong cases[] = {
      {"background: {level: [1]}", "x.yaml:1:21: 'background.level' must be a path, not a list"},
      {"background: {level: yes}", "x.yaml:1:21: 'background.level' must be a path, not 'yes'"},
      {"background: {level: 3, level_hdu: SKY}",
       "x.yaml:1:35: 'background.level_hdu' has no use where background.level"},
      {"background: {level_hdu: all}",
       "x.yaml:1:25: 'background.level_hdu' is all, which leaves no HDU of the image's file"},
      {"background: {rms: rms.fits}",
       "x.yaml:1:19: 'background.rms' must be a number; a map of the noise is given by "
       "weights.type rms and weights.file"},
      {"background: {rms: 0}", "x.yaml:1:19: 'background.rms' must be above 0"},
      {"background: {rms: -2.5}", "x.yaml:1:19: 'background.rms' must be above 0"},
      {"background: {rms: 1e300}", "x.yaml:1:19: 'background.rms' must be above 0, within the range of float32"},
      {"background: {level: 3, method: constant}\ndetection: {reference: zero}",
       "x.yaml:1:21: 'background.level' is subtracted from every pixel, so nothing can be counted from zero"},
      {"background: {level: 3}\noutput: {check_images: [minibackground]}",
       "x.yaml:2:24: 'output.check_images' asks for the levels of meshes, which are not estimated where"},
      {"output: {check_images: [threshold, morphology]}",
       "x.yaml:1:24: 'output.check_images' asks for morphology, which changes nothing where morphology.operation is "
       "none"},
      {"output: {check_images: [residual]}",
       "x.yaml:1:24: 'output.check_images' asks for a fitted model, which there is none of where fit.model, model.fit "
       "and "
       "crowd.method are none"},
      {"output: {check_images: [chi]}",
       "x.yaml:1:24: 'output.check_images' asks for chi or psf_sky, which only a crowd has; set crowd.method to joint"},
      {"output: {report_copies: 9}",
       "x.yaml:1:25: 'output.report_copies' has no use without the report: set output.report"},
      {"output: {report: true, report_copies: 9}\ndetection: {sign: negative}",
       "x.yaml:1:39: 'output.report_copies' puts copies of stars into the image, and where detection.sign is negative"},
      {"output: {check_compression: gzip}",
       "x.yaml:1:29: 'output.check_compression' has no use without check images: name some in output.check_images"},
      {"output: {parquet_compression: zstd}",
       "x.yaml:1:31: 'output.parquet_compression' has no use without Parquet: add parquet to output.formats"},
      {"output: {formats: [parquet], parquet_compression: snappy}",
       "x.yaml:1:51: 'output.parquet_compression' must be one of none, zstd, not 'snappy'"},
      {"output: {check_images: [rms], check_compression: rice}",
       "x.yaml:1:50: 'output.check_compression' must be one of none, gzip, tiles, not 'rice'"},
  };
  for (const Wrong& wrong : cases) EXPECT_THAT(message(wrong.yaml), StartsWith(wrong.message)) << wrong.yaml;
}

TEST(ConfigErrors, ColumnsAndAperturesThatThereAreNot) {
  const Wrong cases[] = {
      {"output: {columns: [NUMBER, FLUX_AUT]}",
       "x.yaml:1:19: 'output.columns' holds 'FLUX_AUT', which is neither a column nor a group of them (default, "
       "photometry, profile, petrosian, windowed, shapes, surroundings, psf, frames, growth, model, spheroid, disk, "
       "world, all); did you mean 'FLUX_AUTO'?"},
      {"output: {columns: [everything_else]}",
       "x.yaml:1:19: 'output.columns' holds 'everything_else', which is neither a column nor a group of them (default, "
       "photometry, profile, petrosian, windowed, shapes, surroundings, psf, frames, growth, model, spheroid, disk, "
       "world, all); docs/catalogue.md lists them"},
      {"output: {columns: []}", "x.yaml:1:19: 'output.columns' is empty; name a column, or default"},
      {"output: {columns: [default, default]}", "x.yaml:1:19: 'output.columns' names 'default' twice"},
      {"output: {columns: NUMBER}", "x.yaml:1:19: 'output.columns' must be a list, not 'NUMBER'; write [NUMBER]"},
      {"output: {columns: [ISOAREA_IMAGE]}",
       "x.yaml:1:19: 'output.columns' holds 'ISOAREA_IMAGE', which needs a threshold of its own: set "
       "detection.analysis_threshold"},
      {"output: {columns: [ID_PARENT]}",
       "x.yaml:1:19: 'output.columns' holds 'ID_PARENT', which is of sources that are deblended: set deblend.method"},
      {"output: {columns: [IMAFLAGS_ISO]}",
       "x.yaml:1:19: 'output.columns' holds 'IMAFLAGS_ISO', which needs a map of flags: give flags.file or flags.hdu"},
      {"output: {columns: [NUMBER, VIGNET(35,35)]}",
       "x.yaml:1:28: 'output.columns' must be a name or a whole number from 0, not 'VIGNET(35'; a name like this one "
       "must stand in quotes"},
      {"output: {columns: ['VIGNET(0,3)']}",
       "x.yaml:1:19: 'output.columns' holds 'VIGNET(0,3)', which is no cut-out: write \"VIGNET(35,35)\", in quotes, "
       "with the pixels along x and y, 1 to 1000"},
      {"output: {columns: ['VIGNET(3,1001)']}",
       "x.yaml:1:19: 'output.columns' holds 'VIGNET(3,1001)', which is no cut-out: write \"VIGNET(35,35)\", in quotes, "
       "with the pixels along x and y, 1 to 1000"},
      {"output: {columns: [VIGNET]}",
       "x.yaml:1:19: 'output.columns' holds 'VIGNET', which is no cut-out: write \"VIGNET(35,35)\", in quotes, with "
       "the pixels along x and y, 1 to 1000"},
      {"output: {columns: ['VIGNET(3,3)', 'VIGNET(5,5)']}", "x.yaml:1:19: 'output.columns' names VIGNET twice"},
      {"output: {columns: ['VIGNET(3,3)'], formats: [csv, reg]}",
       "x.yaml:1:19: 'output.columns' holds 'VIGNET(3,3)', for which regions and csv have no room: add another to "
       "output.formats"},
      {"measurement: {apertures: []}",
       "x.yaml:1:26: 'measurement.apertures' is empty; name a diameter in pixels, as in [5]"},
      {"measurement: {apertures: [5, -1]}",
       "x.yaml:1:26: 'measurement.apertures' holds -1, which is no diameter: 0 to 10000 pixels"},
      {"measurement: {apertures: 5}", "x.yaml:1:26: 'measurement.apertures' must be a list, not '5'; write [5]"},
      {"measurement: {kron: [2.5]}",
       "x.yaml:1:21: 'measurement.kron' must be two numbers, factor and least radius, as in [2.5, 3.5]"},
      {"measurement: {kron: [2.5, -1]}",
       "x.yaml:1:21: 'measurement.kron' must be a factor above 0 and a least radius of at least 0, both up to 100"},
      {"measurement: {petrosian: [0, 3.5]}",
       "x.yaml:1:26: 'measurement.petrosian' must be a factor above 0 and a least radius of at least 0, both up to "
       "100"},
      {"measurement: {petrosian: [2]}",
       "x.yaml:1:26: 'measurement.petrosian' must be two numbers, factor and least radius, as in [2, 3.5]"},
      {"measurement: {flux_radius: []}",
       "x.yaml:1:28: 'measurement.flux_radius' is empty; name a part of the light, as in [0.5]"},
      {"measurement: {flux_radius: [0.5, 50]}",
       "x.yaml:1:28: 'measurement.flux_radius' holds 50, which is no part: above 0, up to 1"},
      {"measurement: {annulus: [10]}",
       "x.yaml:1:24: 'measurement.annulus' must be two radii in pixels, inner and outer, as in [10, 20]"},
      {"measurement: {annulus: [10, 501]}", "x.yaml:1:24: 'measurement.annulus' must be radii from 0 to 500 pixels"},
      {"measurement: {annulus: [-1, 5]}", "x.yaml:1:24: 'measurement.annulus' must be radii from 0 to 500 pixels"},
      {"measurement: {annulus: [10, 10]}",
       "x.yaml:1:24: 'measurement.annulus' has no room between its radii; the second must be larger, as in [10, 20]"},
      {"output: {columns: [CLASS_STAR]}",
       "x.yaml:1:19: 'output.columns' holds 'CLASS_STAR', which is made with a file: name it by measurement.nnw"},
      {"measurement: {mask: corect}",
       "x.yaml:1:21: 'measurement.mask' must be one of correct, blank, none, not 'corect'; did you mean 'correct'?"},
      {"measurement: {noise: aperture}",
       "x.yaml:1:22: 'measurement.noise' must be one of pixel, apertures, correlated, not 'aperture'; did you mean "
       "'apertures'?"},
      {"measurement: {overlap: exakt}",
       "x.yaml:1:24: 'measurement.overlap' must be one of sub-pixels, exact, not 'exakt'; did you mean 'exact'?"},
      {"output: {header_keywords: [NOISBETA]}",
       "x.yaml:1:27: 'output.header_keywords' holds 'NOISBETA', which says how a FITS file is built, or is the "
       "catalogue's own; leave it out"},
  };
  for (const Wrong& wrong : cases) EXPECT_EQ(message(wrong.yaml), wrong.message) << wrong.yaml;
}

TEST(ConfigErrors, EveryFurtherMapOfFlagsIsAMapOfKeysThatNameOne) {
  const Wrong cases[] = {
      {"flags: {further: [{hdu: DQ}]}",
       "x.yaml:1:18: 'flags.further' has no use without a first map: give flags.file or flags.hdu"},
      {"flags: {hdu: 1, further: {hdu: DQ}}",
       "x.yaml:1:26: 'flags.further' must be a list of maps of keys, not a map; write [{KEY: value}] with one of its"},
      {"flags: {hdu: 1, further: DQ}",
       "x.yaml:1:26: 'flags.further' must be a list of maps of keys, not 'DQ'; write [{KEY: DQ}] with one of its keys, "
       "file, hdu, type, bits"},
      {"flags: {hdu: 1, further: [DQ]}",
       "x.yaml:1:27: 'flags.further' must hold maps of keys, not 'DQ'; write [{KEY: DQ}] with one of its keys, file"},
      {"flags: {hdu: 1, further: }", "x.yaml:1:17: 'flags.further' has no value; write one, or leave the key out"},
      {"flags: {hdu: 1, further: [{hdu: 2}, ~]}", "x.yaml:1:37: 'flags.further' must hold maps of keys, not nothing"},
      {"flags: {hdu: 1, further: [{hdu: 2}, {}]}",
       "x.yaml:1:37: 'flags.further.file' and 'hdu' name no map; give one of them"},
      {"flags: {hdu: 1, further: [{hdus: 2}]}",
       "x.yaml:1:28: unknown key 'hdus' in 'flags.further'; did you mean 'hdu'?"},
      {"flags: {hdu: 1, further: [{hdu: 2, hdu: 3}]}", "x.yaml:1:36: duplicate key 'hdu' in 'flags.further'"},
      {"flags: {hdu: 1, further: [{hdu: 2, type: xor}]}",
       "x.yaml:1:42: 'flags.further.type' must be one of or, and, min, max, most"},
      {"flags: {hdu: 1, further: [{hdu: all}]}",
       "x.yaml:1:33: 'flags.further.hdu' is all, which leaves no HDU of the image's file"},
      {"flags: {hdu: 1, further: [{file: [a]}]}", "x.yaml:1:34: 'flags.further.file' must be a path, not a list"},
  };
  for (const Wrong& wrong : cases) EXPECT_THAT(message(wrong.yaml), StartsWith(wrong.message)) << wrong.yaml;
  std::string many = "flags: {hdu: 1, further: [{hdu: 2}";
  for (int i = 1; i < 100; ++i) many += ", {hdu: 2}";
  EXPECT_EQ(message(many + "]}"), "x.yaml:1:26: 'flags.further' has 100 maps; 99 are the most");
}

TEST(ConfigErrors, WhatIsNoYamlOrMoreThanOneDocument) {
  const Wrong cases[] = {
      {"detection: {threshold: 5\n", "x.yaml:2:1: not valid YAML: "},
      {"# first\ndetection\n  threshold: 5\n",
       "x.yaml:3:12: not valid YAML: illegal map value; is a colon missing after 'detection' in line 2?"},
      {"output:\n  formats: [fits, csv\n  segmentation: true\n", "x.yaml:3:"},
      {"detection: threshold: 5\n", "x.yaml:1:21: not valid YAML: "},
      {"measurement: {reference: *r}\n", "x.yaml:1:26: not valid YAML: "},
      {"background:\n  level: \"x\ndetection:\n  threshold: 3\n",
       "x.yaml:2:3: not valid YAML: a quote that begins after 'level' is not closed"},
      {"background:\n  level: \"\n\n", "x.yaml:2:3: not valid YAML: a quote that begins after 'level' is not closed"},
      {"\"psf:\n", "x.yaml:1:1: not valid YAML: a quote is not closed"},
      {"psf:\n  file: 'stars\n\n", "x.yaml:2:3: not valid YAML: a quote that begins after 'file' is not closed"},
      {"detection:\n\tthreshold: 5\n", "x.yaml:2:1: a tab in the indentation; YAML wants spaces"},
      {"detection:\n  \tthreshold: 5\n", "x.yaml:2:3: a tab in the indentation"},
      {"detection:\n  threshold: 5\x04\n", "x.yaml:2:15: a control character"},
      {"# Default configuration file for SExtractor 2.25.0\n\n#--- Catalog ---\n \nCATALOG_NAME     test.cat  # name\n"
       "CATALOG_TYPE     ASCII_HEAD\n\tDETECT_THRESH 1.5\n",
       "x.yaml:5:1: this is a configuration of SExtractor, and srcextract has keys of its own, in YAML; srcextract "
       "convert-config x.yaml -o config.yaml makes one of ours of it"},
      {"DETECT_THRESH\t1.5\n", "x.yaml:1:1: this is a configuration of SExtractor"},
      {"memory_bufsize 1024\n", "x.yaml:1:1: this is a configuration of SExtractor"},
      {"DETECT_THRESH : 1.5\n", "x.yaml:1:1: unknown section 'DETECT_THRESH'"},
      {"input: {hdu: 1}\n---\noutput: {}\n", "x.yaml:2:1: a second YAML document begins here"},
      {"---\n---\ninput: {hdu: 1}\n", "x.yaml:2:1: a second YAML document begins here"},
      {"input: {hdu: 1}\n...\ninput: {hdu: 2}\n", "x.yaml:3:1: a second YAML document begins here"},
      {"input: {hdu: 1}\n,\n", "x.yaml:2:1: "},
      {",\n", "x.yaml:1:1: "},
      // yaml-cpp takes a line indented less than the first for another document.
      {"  input: {hdu: 1}\noutput: {segmentation: true}\n", "x.yaml:2:1: a second YAML document begins here"},
  };
  for (const Wrong& wrong : cases) EXPECT_THAT(message(wrong.yaml), StartsWith(wrong.message)) << wrong.yaml;
}

TEST(ConfigErrors, TextThatWouldExhaustTheParser) {
  for (const char* opening : {"[", "{", "- ", "? ", "[{a: "}) {
    std::string yaml;
    for (int i = 0; i < 10000; ++i) yaml += opening;
    EXPECT_THAT(message(yaml), StartsWith("x.yaml:1:")) << opening;
  }
  EXPECT_THAT(message("detection: {threshold: " + std::string(500000, '1') + "x}"),
              HasSubstr("must be a number, not '1"));
  EXPECT_LT(message("detection: {threshold: " + std::string(500000, '1') + "x}").size(), 300u);
  EXPECT_EQ(message("#" + std::string(1 << 20, ' ')),
            "x.yaml: is larger than 1 MiB; this is no YAML that srcextract reads");
}

}  // namespace
}  // namespace srcextract
