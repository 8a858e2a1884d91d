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

/// Whether this check image shows the fitted Gaussians (fit.model) or stars (crowd.method), or the image without them.
inline bool shows_model(CheckImage image) {
  return image == CheckImage::model || image == CheckImage::residual;
}

/// Whether this check image exists only with crowd.method joint.
inline bool shows_crowd(CheckImage image) {
  return image == CheckImage::chi || image == CheckImage::psf_sky;
}

/// Tables that a fit of Gaussians (fit.model) writes. srl: the sources; gaul: the Gaussians that sources consist of.
enum class ComponentTable { srl, gaul };

/// The program or archive whose column names, units and UCDs the tables srl and gaul use.
enum class TableStyle { pybdsf, aegean, casda };

/// Formats of files with the fitted Gaussians for other programs: regions for DS9 (reg) and kvis (ann), and a sky model
/// for calibration with BBS or DP3.
enum class ComponentRegions { reg, ann, skymodel };

/// Formats of the alerts that `srcextract difference` can write.
enum class AlertFormat { avro, parquet };

/// Whether this check image has 1 at the pixels above the threshold, before or after morphology, and 0 elsewhere.
inline bool shows_foreground(CheckImage image) {
  return image == CheckImage::threshold || image == CheckImage::morphology;
}

/// Whether this check image shows the pixels of sources, or the image in which sources are detected. With crowd.method
/// joint there are no pixels of sources.
inline bool shows_sources(CheckImage image) {
  return image == CheckImage::filtered || image == CheckImage::objects || image == CheckImage::minus_objects ||
         image == CheckImage::snr || image == CheckImage::islands || shows_foreground(image);
}

/// Which output files are written. {stem} is the name of the input file without its extension.
struct OutputConfig {
  std::vector<CatalogFormat> formats = {CatalogFormat::fits};
  ParquetCompression parquet_compression = ParquetCompression::none;
  /// Columns of the catalogue: names, or names of groups of columns (stages/catalogue/declared_columns.hpp). Quantities
  /// without a column are not measured.
  std::vector<std::string> columns = {"default"};
  /// Also write the label map {stem}.seg.fits (pixel = NUMBER, 0 = no source).
  bool segmentation = false;
  bool quicklook = false;
  /// Also write the HTML report {stem}.report.html.
  bool report = false;
  /// Also write the PSF fitted by psf.method fit: the model {stem}.psf, the sources that were found, used or not,
  /// {stem}.psf.stars.fits, and the picture {stem}.psf.svg.
  bool psf = false;
  /// Number of dimmed copies of the image's own stars that are added at random places to measure completeness for the
  /// report: the fraction of copies that is found. With fit.model gaussians, Gaussians are added instead. 0:
  /// completeness is not measured.
  std::int64_t report_copies = 0;
  /// Also write {stem}.{name}.fits for each check image.
  std::vector<CheckImage> check_images = {};
  ImageCompression check_compression = ImageCompression::none;
  /// For `srcextract difference`: also write {stem}.alerts.{format} for each format.
  std::vector<AlertFormat> alerts = {};
  /// Whether an output has cut-outs of both frames of a difference.
  bool cuts_frames() const { return report || !alerts.empty(); }
  /// Additional header keywords of the image whose cards are copied into the catalogue and run.json.
  std::vector<std::string> header_keywords = {};
  /// If several HDUs of a file are extracted, also write {stem}.cat.fits with the sources of all of them.
  bool one_catalogue = false;
  /// Also write each of these tables of fit.model as {stem}.{name}.fits, and in each other table format of `formats`.
  std::vector<ComponentTable> catalogues = {};
  TableStyle style = TableStyle::pybdsf;
  /// Also write the fitted Gaussians as {stem}.gaul.{format} for each format.
  std::vector<ComponentRegions> regions = {};

  bool operator==(const OutputConfig&) const = default;
};

}  // namespace srcextract
