#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pipeline/chain/extraction.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/settings/quicklook.hpp"

namespace srcextract {

/// One picture of a report.
struct ReportPicture {
  std::string address;  ///< a data: URL with a PNG
  Shape shape;
  std::int64_t factor = 1;  ///< side of a picture's pixel, in pixels of the image
  float black = 0, white = 0;
  bool is_constant = false;  ///< every pixel is `black`
};

/// The pictures of a report.
struct ReportPictures {
  ReportPicture image, sky, noise;
  std::optional<ReportPicture> stamps;  ///< cut-outs of the brightest sources, if the image is shrunk
  std::int64_t stamp_count = 0;
  std::optional<ReportPicture> residual;  ///< image minus the sky, with pixels of sources set to 0; none without a
                                          ///< segmentation
};

/// A stamp is a square cut-out of the image around a source. Stamps stand in rows from left to right, the first row at
/// the bottom. A source is at the stamp's middle pixel: right of and above the centre of the square.
inline constexpr std::int64_t stamp_side = 40, stamps_in_a_row = 10, most_stamps = 100;

/// Draws the pictures of a report. `order` lists rows of the catalogue, the brightest first; `config` has the stretch
/// and limits of the image. With the defaults, asinh and zscale, white is 60 sigma above the sky, so that bright
/// sources are visible too. All pictures together take at most 1.5 MB: they have 64 greys, and at most 1024, 512 or 256
/// pixels a side.
ReportPictures render_pictures(const Extraction& extraction, std::span<const std::size_t> order,
                               const QuicklookConfig& config, const Cpu& where);

}  // namespace srcextract
