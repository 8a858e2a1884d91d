// An image whose rows are made on demand gives the catalogue of the image in memory as a whole, to the last bit.
#include <string>
#include <vector>

#include "config/config.hpp"
#include "tests/pipeline/engine/extractions.hpp"

namespace srcextract {
namespace {

using testing::Field;

/// Memory for so many rows; rows in use may take more.
std::int64_t bytes_of_rows(const Field& field, std::int64_t rows) {
  return rows * field.shape.width * static_cast<std::int64_t>(sizeof(float));
}

/// Extracts a field as a whole, and with memory for 1, 7, 64 and 1000 rows on 1, 2 and 7 threads. Returns the number of
/// sources.
std::int64_t expect_same_by_rows(const Field& field, const Exposure& exposure, const Config& config,
                                 const std::string& name) {
  const Extraction whole = testing::extract_on_cpu(exposure, config);
  int threads = 1;
  for (const std::int64_t rows : {1, 7, 64, 1000}) {
    const Extraction by_rows =
        extract_on_host(exposure, config, Cpu{threads}, {}, nullptr, nullptr, bytes_of_rows(field, rows));
    testing::expect_same(by_rows, whole, field.name + ", " + name + ", " + std::to_string(rows) + " rows");
    threads = threads == 1 ? 2 : 7;
  }
  return whole.sources.size();
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
  const Field stars = testing::star_field({700, 513}, 1000, 12, 400, 4);
  const Field wide = testing::star_field({5000, 90}, 1000, 12, 900, 5);
  const Field tall = testing::star_field({33, 3001}, 50, 3, 300, 6);
  for (const Way& way : ways())
    for (const Field* field : {&stars, &wide, &tall})
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
  for (const unsigned seed : {4U, 5U}) {
    const Field stars = testing::star_field({700, 513}, 1000, 12, 400, seed);
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

TEST(RowsOnDemand, TellOfAnUnreadableFile) {
  const Exposure gone(testing::unreadable({300, 200}));
  EXPECT_THROW(extract_on_host(gone, Config{}, Cpu{3}, {}, nullptr, nullptr, 1), Error);
}

}  // namespace
}  // namespace srcextract
