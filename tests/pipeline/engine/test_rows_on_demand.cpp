// An image whose rows are made on demand gives the catalogue of the image in memory as a whole, to the last bit.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/measure_positions.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "tests/pipeline/engine/extractions.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::Field;

/// What shows pixels of the image, and of the image in which sources are found.
const std::string shown = "check_images: [background, -background, filtered, objects, threshold]";

/// Sizes of the fields: a quarter of the pixels in a build with sanitizers, which takes ten times as long.
constexpr Shape large = testing::sanitized ? Shape{350, 257} : Shape{700, 513};
constexpr Shape medium = testing::sanitized ? Shape{215, 186} : Shape{430, 371};

/// Numbers of rows that there is memory for. A build with sanitizers tries one of them, one seed, and one field.
std::vector<std::int64_t> numbers_of_rows() {
  return testing::sanitized ? std::vector<std::int64_t>{7} : std::vector<std::int64_t>{1, 7, 64, 1000};
}
std::vector<unsigned> seeds() {
  return testing::sanitized ? std::vector{4U} : std::vector{4U, 5U};
}

/// Memory for so many rows; rows in use may take more.
std::shared_ptr<RowMemory> memory_of_rows(const Shape& shape, std::int64_t rows) {
  return std::make_shared<RowMemory>(rows * shape.width * static_cast<std::int64_t>(sizeof(float)));
}

/// Holds one row after the other, as who writes a check image.
bool same_pixels(const Image<float, Cpu>& a, const Image<float, Cpu>& b) {
  if (a.pixels.empty() || b.pixels.empty() || a.shape != b.shape) return a.pixels.empty() && b.pixels.empty();
  for (std::int64_t y = 0; y < a.shape.height; ++y) {
    const HeldRows of_a(a, y, y + 1), of_b(b, y, y + 1);
    const std::int64_t first = y * a.shape.width;
    const auto bytes = static_cast<std::size_t>(a.shape.width) * sizeof(float);
    if (std::memcmp(a.pixels.data() + first, b.pixels.data() + first, bytes) != 0) return false;
  }
  return true;
}

void expect_same_check_data(const CheckData& a, const CheckData& b, const std::string& name) {
  EXPECT_TRUE(same_pixels(a.above, b.above)) << name << ": above the sky";
  EXPECT_TRUE(same_pixels(a.filtered, b.filtered)) << name << ": filtered";
  EXPECT_TRUE(same_pixels(a.variance, b.variance)) << name << ": variance";
  ASSERT_EQ(a.thresholded.size(), b.thresholded.size()) << name;
  for (std::size_t i = 0; i < a.thresholded.size(); ++i)
    EXPECT_TRUE(testing::same_bytes(a.thresholded[i].runs, b.thresholded[i].runs)) << name << ": foreground " << i;
}

/// Extracts exposures as a whole, and with memory for numbers_of_rows() on 1, 2 and 7 threads. If there is a
/// detection image, its sources are found once for all of them. Returns the number of sources of the last.
std::int64_t expect_same_by_rows(const std::vector<Exposure>& exposures, const Config& config, const std::string& name,
                                 const DetectionImage* detection = nullptr) {
  const Shape shape = exposures.front().shape();
  std::optional<FoundElsewhere<Cpu>> found;
  if (detection != nullptr) found = find_on_host(*detection, Cpu{2});
  std::vector<Extraction> whole;
  for (const Exposure& exposure : exposures)
    whole.push_back(extract_on_host(exposure, config, Cpu{2}, {}, found ? &*found : nullptr));
  int threads = testing::sanitized ? 2 : 1;
  for (const std::int64_t rows : numbers_of_rows()) {
    const auto memory = memory_of_rows(shape, rows);
    if (detection != nullptr) found = find_on_host(*detection, Cpu{threads}, {}, memory);
    for (std::size_t i = 0; i < exposures.size(); ++i) {
      const std::string what = name + ", " + std::to_string(rows) + " rows, exposure " + std::to_string(i);
      const Extraction by_rows =
          extract_on_host(exposures[i], config, Cpu{threads}, {}, found ? &*found : nullptr, nullptr, memory);
      testing::expect_same(by_rows, whole[i], what);
      expect_same_check_data(by_rows.check, whole[i].check, what);
      EXPECT_EQ(by_rows.masked.total(), whole[i].masked.total()) << what;
      EXPECT_EQ(by_rows.found_in.has_value(), detection != nullptr) << what;
      if (detection != nullptr) {
        EXPECT_EQ(by_rows.found_in->background, whole[i].found_in->background) << what;
      }
    }
    threads = threads == 1 ? 2 : 7;
  }
  return whole.back().sources.size();
}

std::int64_t expect_same_by_rows(const Field& field, const Exposure& exposure, const Config& config,
                                 const std::string& name) {
  return expect_same_by_rows({exposure}, config, field.name + ", " + name);
}

std::int64_t expect_same_by_rows(const Field& field, const Config& config, const std::string& name) {
  return expect_same_by_rows(field, Exposure(testing::source_of(field)), config, name);
}

struct Way {
  std::string name, yaml;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {"one sky", "{}"},
      {"segmentation", "output: {segmentation: true}"},
      {"mesh", "background: {method: mesh, mesh_size: 40}"},
      {"low meshes", "background: {method: mesh, mesh_size: 64, mesh_height: 9}"},
      {"noise of each pixel", "{background: {method: mesh, mesh_size: 32}, weights: {type: background}}"},
      {"convolved", "{convolve: {kernel: gaussian, fwhm: 3}, detection: {threshold_unit: detection_sigma}}"},
      {"median", "{convolve: {median: true}, detection: {threshold_unit: detection_sigma}}"},
      {"median, convolved", "{background: {method: mesh}, convolve: {median: true, kernel: gaussian, fwhm: 2}}"},
      {"reflected edges", "convolve: {kernel: mexican_hat, sigma: 2, edges: reflect}"},
      {"deblended",
       "{deblend: {method: tree, clean: true}, background: {method: mesh}, convolve: {kernel: gaussian, "
       "fwhm: 2}, detection: {threshold: 1.5}}"},
      {"opened", "{morphology: {operation: opening}, detection: {threshold: 2, seed: 5, analysis_threshold: 3}}"},
      {"analysed lower, noise of each pixel",
       "{background: {method: mesh, mesh_size: 32}, weights: {type: background}, detection: {threshold: 4, "
       "analysis_threshold: 0.5}}"},
      {"analysed lower, deblended",
       "{background: {method: mesh}, convolve: {kernel: gaussian, fwhm: 2}, deblend: {method: tree, clean: true}, "
       "detection: {threshold: 2, analysis_threshold: 1}}"},
      {"every column",
       "{background: {method: mesh}, convolve: {kernel: gaussian, fwhm: 2}, deblend: {method: tree, clean: "
       "true}, detection: {threshold: 2}, measurement: {gain: 2, apertures: [3, 8.5, 40], annulus: [30, "
       "45]}, output: {columns: [all]}}"},
      {"blanked neighbours",
       "{background: {method: mesh}, measurement: {mask: blank}, detection: {threshold: 2}, output: "
       "{columns: [default, photometry]}}"},
      {"local sky",
       "{background: {method: mesh}, deblend: {method: tree, clean: true}, detection: {threshold: 1.5}, "
       "measurement: {local_sky: 24}, output: {columns: [default, photometry]}}"},
  };
  return all;
}

TEST(RowsOnDemand, GiveTheCatalogueOfTheWholeImage) {
  const Field stars = testing::star_field(large, 1000, 12, 400, 4);
  const Field wide = testing::star_field({5000, 90}, 1000, 12, 900, 5);
  const Field tall = testing::star_field({33, 3001}, 50, 3, 300, 6);
  for (const Way& way : ways())
    for (const Field* field : testing::sanitized ? std::vector{&stars} : std::vector{&stars, &wide, &tall})
      EXPECT_GT(expect_same_by_rows(*field, parse_config(way.yaml, "x.yaml"), way.name), 5) << way.name;
}

TEST(RowsOnDemand, GiveTheCataloguesOfHostileImages) {
  for (const Field& field : testing::hostile_fields()) {
    for (const Way& way : ways()) {
      if (way.name != "one sky" && way.name != "deblended" && way.name != "every column") continue;
      const Config config = parse_config(way.yaml, "x.yaml");
      try {
        testing::extract_on_cpu(testing::source_of(field), config);
      } catch (const Error&) {
        continue;  // as a kernel larger than the image
      }
      expect_same_by_rows(field, config, way.name);
    }
  }
}

/// Masked where random pixels and a band of rows are.
Field mask_of(const Shape& shape, unsigned seed) {
  Field mask = testing::random_mask(shape, 0.01, seed);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float& pixel = mask.pixels[static_cast<std::size_t>(i)];
    const std::int64_t y = i / shape.width;
    pixel = pixel > 0 || (y > 40 && y < 45) ? testing::nan : 0;
  }
  return mask;
}

/// The field with masked pixels.
Field with_mask(Field field, unsigned seed) {
  const Field mask = mask_of(field.shape, seed);
  for (std::size_t i = 0; i < field.pixels.size(); ++i)
    if (mask.pixels[i] != 0) field.pixels[i] = testing::nan;
  return field;
}

/// A map that changes along rows and columns, with pixels that have no weight.
Field map_of(const Shape& shape, unsigned seed) {
  Field map = testing::random_mask(shape, 0.02, seed);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    float& pixel = map.pixels[static_cast<std::size_t>(i)];
    const std::int64_t x = i % shape.width, y = i / shape.width;
    pixel = pixel > 0 ? 0
                      : 1 + static_cast<float>(x) / static_cast<float>(shape.width) +
                            static_cast<float>(y) / static_cast<float>(2 * shape.height);
  }
  return map;
}

TEST(RowsOnDemand, GiveTheCatalogueOfTheWholeImageWithMapsOfMasksAndWeights) {
  const std::vector<Way> with_maps{
      {"weights, one sky", "weights: {type: weight, file: m.fits}"},
      {"noise", "{weights: {type: rms, file: m.fits}, background: {method: mesh}, detection: {threshold: 2}}"},
      {"variances, deblended",
       "{weights: {type: variance, file: m.fits, threshold: 2.2}, background: {method: mesh}, deblend: {method: tree, "
       "clean: true}, "
       "convolve: {kernel: gaussian, fwhm: 2}, detection: {threshold: 1.5}}"},
      {"weights, analysed lower",
       "{weights: {type: weight, file: m.fits}, background: {method: mesh}, deblend: {method: tree, clean: true}, "
       "detection: {threshold: 2, analysis_threshold: 1}}"},
      {"convolved weights, every column",
       "{weights: {type: weight, file: m.fits, convolve: true}, background: {method: mesh}, convolve: {kernel: "
       "gaussian, fwhm: 2}, "
       "deblend: {method: tree, clean: true}, detection: {threshold: 2}, measurement: {gain: 2}, output: {columns: "
       "[all]}}"},
  };
  for (const unsigned seed : seeds()) {
    const Field stars = testing::star_field(large, 1000, 12, 400, seed);
    const Field mask = mask_of(stars.shape, seed), map = map_of(stars.shape, seed + 10);
    Exposure masked(testing::source_of(stars));
    masked.mask = testing::source_of(mask);
    for (const Way& way : ways())
      EXPECT_GT(expect_same_by_rows(stars, masked, parse_config(way.yaml, "x.yaml"), "masked, " + way.name), 5);
    Exposure weighted = masked;
    weighted.weights = testing::source_of(map);
    for (const Way& way : with_maps)
      EXPECT_GT(expect_same_by_rows(stars, weighted, parse_config(way.yaml, "x.yaml"), way.name), 5) << way.name;
  }
}

/// A map whose bad pixels are single ones, columns, rows, a corner, and steps along which gaps copy from the side.
Field map_with_gaps(const Shape& shape, unsigned seed) {
  Field map = map_of(shape, seed);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t x = i % shape.width, y = i / shape.width;
    const bool column = (x >= 60 && x < 64 && y > 9) || (x >= 200 && x < 200 + y / 10);
    const bool row = (y >= 90 && y < 97) || (y >= 260 && y < 290 && x > 220), corner = x + y < 110;
    if (column || row || corner) map.pixels[static_cast<std::size_t>(i)] = 0;
  }
  return map;
}

/// What becomes of bad pixels of a map of weights: they copy others, or keep their values.
constexpr const char* treatments[] = {"interpolate: all", "interpolate: variance", "threshold: 1.3, beyond: detect",
                                      "threshold: 1.3, beyond: detect, interpolate: all, interpolate_rows: 3",
                                      "threshold: 1.3, beyond: detect, interpolate: variance, interpolate_columns: 1"};

std::string weights_with(const char* treatment) {
  return "{weights: {type: weight, file: m.fits, " + std::string(treatment) + "}, ";
}

TEST(RowsOnDemand, GiveTheCatalogueWhereBadPixelsCopyOthersOrKeepTheirValues) {
  const std::string one_sky = "detection: {threshold: 3}, output: {columns: [default, photometry], " + shown + "}}";
  const std::string by_mesh =
      "background: {method: mesh}, convolve: {kernel: gaussian, fwhm: 2}, deblend: {method: tree, clean: true}, "
      "detection: {threshold: 2, sign: both}, measurement: {gain: 2}, output: {columns: [default, photometry], " +
      shown + "}}";
  for (const unsigned seed : seeds()) {
    const Field stars = testing::star_field({330, 311}, 1000, 12, 400, seed);
    const Field mask = mask_of(stars.shape, seed), map = map_with_gaps(stars.shape, seed + 10);
    Exposure exposure(testing::source_of(stars));
    exposure.weights = testing::source_of(map);
    exposure.mask = testing::source_of(mask);
    for (const char* treatment : treatments) {
      const std::string yaml = weights_with(treatment) + (seed == 4 ? by_mesh : one_sky);
      EXPECT_GT(expect_same_by_rows(stars, exposure, parse_config(yaml, "x.yaml"), yaml), 5) << yaml;
    }
  }
}

TEST(RowsOnDemand, GiveTheSameWithBadPixelsAboveALevelAndInADetectionImage) {
  const Field stars = testing::star_field({330, 311}, 1000, 12, 400, 6), map = map_with_gaps(stars.shape, 7);
  Field level = stars;
  std::ranges::fill(level.pixels, 990.0F);
  Exposure exposure(testing::source_of(stars));
  exposure.weights = testing::source_of(map);
  Exposure with_level = exposure;
  with_level.level = testing::source_of(level);
  const std::string above =
      "background: {level: l.fits}, detection: {threshold: 3, reference: background}, measurement: {reference: "
      "background}, output: {" +
      shown + "}}";
  for (const char* treatment : treatments) {
    const std::string of_level = weights_with(treatment) + above;
    EXPECT_GT(expect_same_by_rows(stars, with_level, parse_config(of_level, "x.yaml"), of_level), 0) << of_level;
    const std::string found_in = weights_with(treatment) + "background: {method: mesh}, output: {" + shown + "}}";
    const DetectionImage image{exposure, parse_config(found_in, "x.yaml")};
    EXPECT_GT(expect_same_by_rows({exposure}, image.config, found_in, &image), 0) << found_in;
  }
}

TEST(RowsOnDemand, GiveTheLightAtPositionsInAnyOrder) {
  const Field stars = with_mask(testing::star_field(medium, 1000, 12, 400, 4), 4), map = map_of(stars.shape, 14);
  std::vector<ForcedPosition> places{{testing::nan, 7}, {5, testing::nan}};
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> place(-20, static_cast<double>(medium.width) + 20), axis(1, 6), angle(-90, 90);
  for (int i = 0; i < 400; ++i)
    places.push_back({place(random), place(random), axis(random), axis(random), angle(random)});
  const ForcedPositions positions{places, true};
  for (const char* sky : {"constant", "mesh"}) {
    const std::string yaml =
        "{background: {method: " + std::string(sky) +
        "}, weights: {type: weight, file: m.fits}, measurement: {apertures: [3, 50], mask: blank}}";
    const Config config = forced_config(parse_config(yaml, "x.yaml"), true);
    Exposure exposure(testing::source_of(stars));
    exposure.weights = testing::source_of(map);
    const Extraction whole = extract_on_host(exposure, config, Cpu{2}, {}, nullptr, &positions);
    EXPECT_EQ(whole.sources.size(), std::ssize(places));
    for (const std::int64_t rows : numbers_of_rows())
      testing::expect_same(
          extract_on_host(exposure, config, Cpu{3}, {}, nullptr, &positions, memory_of_rows(stars.shape, rows)), whole,
          yaml + ", " + std::to_string(rows) + " rows");
  }
}

TEST(RowsOnDemand, TellOfAnUnreadableFile) {
  const Exposure gone(testing::unreadable({300, 200}));
  const auto memory = std::make_shared<RowMemory>(1);
  EXPECT_THROW(extract_on_host(gone, Config{}, Cpu{3}, {}, nullptr, nullptr, memory), Error);
  const Field stars = testing::star_field({300, 200}, 1000, 12, 400, 4);
  const auto good = testing::source_of(stars), bad = testing::unreadable({300, 200});
  const Config median = parse_config("combine: {method: median}", "x.yaml");
  EXPECT_THROW(extract_on_host(Exposure({good, bad}), median, Cpu{3}, {}, nullptr, nullptr, memory), Error);
  Exposure with_level(good);
  with_level.level = bad;
  EXPECT_THROW(extract_on_host(with_level, Config{}, Cpu{3}, {}, nullptr, nullptr, memory), Error);
  EXPECT_THROW(find_on_host({gone, Config{}}, Cpu{3}, {}, memory), Error);
}

/// A detection image has the configuration of the measured one, with another sky and map of weights.
Config config_of_detection(const Config& measured, const std::string& yaml) {
  Config config = measured;
  const Config own = parse_config(yaml, "d.yaml");
  config.background = own.background;
  config.weights = own.weights;
  return config;
}

TEST(RowsOnDemand, GiveTheCatalogueOfADetectionImage) {
  const std::vector<Way> of_detection{
      {"one sky", "background: {method: constant}"},
      {"mesh", "background: {method: mesh, mesh_size: 40}"},
      {"map of weights",
       "{weights: {type: weight, file: m.fits, convolve: true}, background: {method: mesh, mesh_height: 9}}"}};
  const std::vector<Way> of_measured{
      {"one sky", "output: {" + shown + "}"},
      {"every column",
       "{background: {method: mesh}, convolve: {kernel: gaussian, fwhm: 2}, deblend: {method: tree, clean: "
       "true}, detection: {threshold: 2, analysis_threshold: 3}, measurement: {gain: 2, apertures: [3, 40]}, output: "
       "{columns: [all], " +
           shown + "}}"},
      {"noise of each pixel",
       "{background: {method: mesh, mesh_size: 32}, weights: {type: background}, measurement: {mask: blank}, "
       "detection: {threshold_unit: detection_sigma}, convolve: {kernel: gaussian, fwhm: 3}, output: {columns: "
       "[default, photometry]}}"}};
  for (const unsigned seed : seeds()) {
    const Field found_in = with_mask(testing::star_field(medium, 1000, 12, 400, seed), seed);
    const Field green = with_mask(testing::star_field(medium, 300, 20, 400, seed), seed + 1);
    const Field red = testing::star_field(medium, 50, 5, 900, seed + 2), map = map_of(found_in.shape, seed + 10);
    for (const Way& detection : of_detection) {
      for (const Way& measured : of_measured) {
        const Config config = parse_config(measured.yaml, "x.yaml");
        DetectionImage image{testing::source_of(found_in), config_of_detection(config, detection.yaml)};
        if (detection.name == "map of weights") image.exposure.weights = testing::source_of(map);
        EXPECT_GT(expect_same_by_rows({testing::source_of(green), testing::source_of(red)}, config,
                                      detection.name + " and " + measured.name, &image),
                  5);
      }
    }
  }
}

TEST(RowsOnDemand, GiveSourcesOfBothSigns) {
  for (const unsigned seed : seeds()) {
    Field stars = testing::star_field(medium, 1000, 12, 400, seed);
    const Field holes = testing::star_field(stars.shape, 0, 12, 900, seed + 1);
    for (std::size_t i = 0; i < stars.pixels.size(); ++i) stars.pixels[i] -= holes.pixels[i];
    const Field map = map_of(stars.shape, seed + 10);
    for (const char* sign : {"both", "negative"}) {
      for (const char* background : {"constant", "mesh"}) {
        const std::string yaml = "{background: {method: " + std::string(background) +
                                 "}, detection: {threshold: 4, sign: " + sign +
                                 "}, deblend: {method: tree, clean: true}, measurement: {gain: 2}, output: {columns: "
                                 "[default, photometry], segmentation: true, " +
                                 shown + "}";
        EXPECT_GT(expect_same_by_rows(stars, parse_config(yaml + "}", "x.yaml"), yaml), 5) << yaml;
        Exposure weighted(testing::source_of(stars));
        weighted.weights = testing::source_of(map);
        const std::string with_map = yaml + ", weights: {type: weight, file: m.fits}}";
        EXPECT_GT(expect_same_by_rows(stars, weighted, parse_config(with_map, "x.yaml"), with_map), 5) << with_map;
      }
    }
  }
}

TEST(RowsOnDemand, GiveCheckImagesAndPicturesOfTheWholeImage) {
  const Field stars = with_mask(testing::star_field(large, 1000, 12, 400, 4), 4);
  for (const char* limits : {"zscale", "minmax"})
    for (const char* size : {"100", "1000"})
      for (const char* method : {"constant", "mesh"}) {
        const std::string yaml = "{background: {method: " + std::string(method) +
                                 "}, convolve: {kernel: gaussian, fwhm: 2}, output: {quicklook: true, " + shown +
                                 "}, quicklook: {stretch: equalize, limits: " + limits + ", size: " + size + "}}";
        EXPECT_GT(expect_same_by_rows(stars, parse_config(yaml, "x.yaml"), yaml), 5) << yaml;
      }
}

TEST(RowsOnDemand, GiveTheCatalogueAboveALevelOfAMap) {
  const std::string reference =
      "detection: {threshold: 3, reference: background}, measurement: {reference: background}, output: "
      "{columns: [default, photometry], quicklook: true, " +
      shown + "}";
  for (const unsigned seed : seeds()) {
    const Field stars = testing::star_field(large, 1000, 12, 400, seed);
    Field level = with_mask(map_of(stars.shape, seed), seed + 1);
    for (float& pixel : level.pixels) pixel *= 400;
    const Field map = map_of(stars.shape, seed + 10);
    Exposure exposure(testing::source_of(stars));
    exposure.level = testing::source_of(level);
    for (const char* method : {"constant", "mesh"}) {
      const std::string yaml = "{background: {method: " + std::string(method) + ", level: l.fits}, " + reference;
      EXPECT_GT(expect_same_by_rows(stars, exposure, parse_config(yaml + "}", "x.yaml"), yaml), 5) << yaml;
      Exposure weighted = exposure;
      weighted.weights = testing::source_of(map);
      const std::string with_map = yaml + ", weights: {type: variance, file: m.fits}}";
      EXPECT_GT(expect_same_by_rows(stars, weighted, parse_config(with_map, "x.yaml"), with_map), 5) << with_map;
    }
  }
}

TEST(RowsOnDemand, GiveTheCatalogueOfCombinedPlanes) {
  const Field one = testing::star_field(large, 1000, 12, 400, 4);
  const Field two = with_mask(testing::star_field(one.shape, 900, 20, 400, 4), 7);
  Field three = with_mask(testing::star_field(one.shape, 3, 1, 400, 4), 8);
  three.pixels[7] = std::numeric_limits<float>::infinity();
  three.pixels[3000] = std::numeric_limits<float>::max();
  const Field mask = mask_of(one.shape, 5);
  Exposure planes({testing::source_of(one), testing::source_of(two), testing::source_of(three)});
  for (const char* method : {"mean", "median", "luminosity", "inverse_variance", "chi_square", "weighted"}) {
    const std::string yaml = "{combine: {method: " + std::string(method) +
                             (std::string(method) == "weighted" ? ", weights: [1, -0.5, 3]" : "") +
                             "}, background: {method: mesh}, detection: {threshold: 2}, output: {" + shown + "}}";
    const Config config = parse_config(yaml, "x.yaml");
    EXPECT_GT(expect_same_by_rows(one, planes, config, yaml), 5) << yaml;
    Exposure masked = planes;
    masked.mask = testing::source_of(mask);
    const DetectionImage image{masked, config};
    Config of_measured = config;
    of_measured.combine = {};
    EXPECT_GT(expect_same_by_rows({testing::source_of(one)}, of_measured, "found in " + yaml, &image), 5);
  }
}

}  // namespace
}  // namespace srcextract
