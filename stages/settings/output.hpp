#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/catalogue/catalog_format.hpp"
#include "stages/catalogue/image_compression.hpp"
#include "stages/catalogue/parquet_compression.hpp"

namespace srcextract {

/// Images of intermediate pixel values, SExtractor's CHECKIMAGEs.
enum class CheckImage {
  background,
  rms,
  minus_background,
  filtered,
  objects,
  minus_objects,
  snr,
  minibackground,
  miniback_rms,
  threshold,
  morphology,
  model,
  residual,
  chi,
  psf_sky,
  islands,
  apertures
};

/// Whether this check image shows the fitted Gaussians (fit.model) or the stars of a crowd.
inline bool shows_model(CheckImage image) {
  return image == CheckImage::model || image == CheckImage::residual;
}

/// Whether this check image exists only for the fit of a crowd.
inline bool shows_crowd(CheckImage image) {
  return image == CheckImage::chi || image == CheckImage::psf_sky;
}

/// Tables of a radio map. srl: sources; gaul: the Gaussians that sources consist of.
enum class ComponentTable { srl, gaul };

/// Whose names, units and UCDs the columns of Gaussians and their sources have: PyBDSF's, Aegean's or CASDA's.
enum class TableStyle { pybdsf, aegean, casda };

/// Files with the Gaussians of a radio map for other programs: regions for DS9 (reg) and kvis (ann), and a sky model
/// for calibration.
enum class ComponentRegions { reg, ann, skymodel };

/// The formats of the alerts that a difference can write.
enum class AlertFormat { avro, parquet };

/// Whether this check image shows which pixels are above the threshold.
inline bool shows_foreground(CheckImage image) {
  return image == CheckImage::threshold || image == CheckImage::morphology;
}

/// Whether this check image shows the pixels of sources, or pixels in which sources are found.
inline bool shows_sources(CheckImage image) {
  return image == CheckImage::filtered || image == CheckImage::objects || image == CheckImage::minus_objects ||
         image == CheckImage::snr || image == CheckImage::islands || shows_foreground(image);
}

/// Output files.
struct OutputConfig {
  std::vector<CatalogFormat> formats = {CatalogFormat::fits};
  ParquetCompression parquet_compression = ParquetCompression::none;
  /// The columns to write: names, or groups of columns (stages/catalogue/declared_columns.hpp). Only these are
  /// measured.
  std::vector<std::string> columns = {"default"};
  /// Also write the label map {stem}.seg.fits (pixel = NUMBER, 0 = no source).
  bool segmentation = false;
  /// Also write the picture {stem}.png.
  bool quicklook = false;
  /// Also write the page {stem}.report.html.
  bool report = false;
  /// Also write a fitted PSF: {stem}.psf, its stars {stem}.psf.stars.fits, and the picture {stem}.psf.svg.
  bool psf = false;
  /// Number of copies of the image's stars that are added at random places, so that the report can show how many are
  /// found.
  std::int64_t report_copies = 0;
  /// Also write {stem}.{name}.fits for each check image.
  std::vector<CheckImage> check_images = {};
  ImageCompression check_compression = ImageCompression::none;
  /// For a difference, also write {stem}.alerts.{format} for each format.
  std::vector<AlertFormat> alerts = {};
  /// Further header keywords of the image to copy into the catalogue and run.json.
  std::vector<std::string> header_keywords = {};
  /// If several HDUs of a file are extracted, also write {stem}.cat.fits with the sources of all.
  bool one_catalogue = false;
  /// Also write each of these tables of fit.model as {stem}.{name}, in every table format.
  std::vector<ComponentTable> catalogues = {};
  /// Whose names, units and UCDs the tables in `catalogues` have.
  TableStyle style = TableStyle::pybdsf;
  /// Also write {stem}.gaul.{format} for each format.
  std::vector<ComponentRegions> regions = {};

  bool operator==(const OutputConfig&) const = default;
};

}  // namespace srcextract
