#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/report/report_columns.hpp"

namespace srcextract {

/// Side of a stamp, and its middle pixel.
inline constexpr std::int64_t template_side = 63, template_middle = template_side / 2;

/// A star that is cut out of an image.
struct StarTemplate {
  std::vector<float> light;  ///< the stamp's pixels minus the sky, row by row; 0 in pixels of other sources
  double x = 0, y = 0;       ///< centroid of the star, from the centre of the stamp's middle pixel
  double size = 0;           ///< A_IMAGE
  double area = 0;       ///< noise-equivalent area: the square of the star's light over the sum of its pixels' squares
  double magnitude = 0;  ///< of the light of the stamp
  double faintest = 0;   ///< magnitude at which its brightest pixel would be as bright as the threshold
};

/// Finds the stars whose fainter copies are put into the image, the brightest first. Candidates are flagless sources
/// whose flux is at least 30 times its error, with no other source within 10 pixels. Stars have equal noise-equivalent
/// areas, galaxies do not: of the 200 brightest candidates, those with the most similar areas are stars. The 30
/// brightest stars are taken. The extraction must have been made with output.report.
/// A stamp has the star's own pixels, and pixels without a source within twice the star's radius. The noise of these
/// pixels is scaled down with the star.
std::vector<StarTemplate> find_star_templates(const Extraction& extraction, const ReportLight& light,
                                              double zero_point);

}  // namespace srcextract
