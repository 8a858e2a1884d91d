#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/report_columns.hpp"

namespace srcextract {

/// Side of a star's stamp in pixels, and index of the middle column and row.
inline constexpr std::int64_t template_side = 63, template_middle = template_side / 2;

/// A star that was cut out of an image: a stamp of template_side x template_side pixels.
struct StarTemplate {
  std::vector<float> light;  ///< pixels of the stamp minus the sky, row by row; 0 in pixels of other sources
  /// Centroid of the star in pixels, relative to the centre of the stamp's middle pixel.
  double x = 0, y = 0;
  double size = 0;  ///< A_IMAGE, in pixels
  /// Noise-equivalent area in pixels: the square of the star's total light over the sum of the squared pixels.
  double area = 0;
  double magnitude = 0;  ///< magnitude of the light in the stamp
  double faintest = 0;   ///< magnitude of a copy of the star whose brightest pixel equals the threshold
};

/// Finds stars of which fainter copies can be put into the image, the brightest first.
/// - Candidates are the 200 brightest sources that have no flags and no other source within 10 pixels. The flux of a
///   candidate is at least 30 times the error.
/// - Stars of one image have nearly equal noise-equivalent areas, while galaxies have various areas. The largest group
///   of candidates with similar areas is taken as stars. The 30 brightest stars are returned.
/// - A stamp has the pixels of the star, and pixels without a source within twice the star's radius. The noise in these
///   pixels is dimmed together with the star.
///
/// `extraction` must have been made with output.report.
std::vector<StarTemplate> find_star_templates(const Extraction& extraction, const ReportLight& light,
                                              double zero_point);

}  // namespace srcextract
