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
  std::vector<float> light;  ///< rows of a stamp above the sky; 0 in pixels of others
  double x = 0, y = 0;       ///< position from the centre of the middle pixel
  double size = 0;           ///< A_IMAGE
  double area = 0;           ///< noise-equivalent: the square of its light over the sum of squares
  double magnitude = 0;      ///< of the light of the stamp
  double faintest = 0;       ///< magnitude at which its brightest pixel would be as bright as the threshold
};

/// Stars of which an image can have fainter copies, the brightest first. All are flagless sources whose flux is at
/// least 30 times its error, with no other source within 10 pixels. Stars have equal noise-equivalent areas, galaxies
/// do not: of the 200 brightest sources, those with the most similar areas are stars. The 30 brightest stars are taken.
/// The extraction must have been made with output.report.
///
/// A stamp has the source's own pixels, and the pixels of no source within twice their distance from the centre. The
/// noise of these pixels is scaled down with the star.
std::vector<StarTemplate> find_star_templates(const Extraction& extraction, const ReportLight& light,
                                              double zero_point);

}  // namespace srcextract
