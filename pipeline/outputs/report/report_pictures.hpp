#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/report_columns.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/settings/quicklook.hpp"

namespace srcextract {

struct ReportPicture {
  std::string address;  ///< a data: URL with a PNG
  Shape shape;
  std::int64_t factor = 1;  ///< side of one pixel of the picture, in pixels of the image
  float black = 0, white = 0;
  bool is_constant = false;  ///< whether all pixels have the value `black`
};

struct ReportPictures {
  ReportPicture image, sky, noise;
  std::optional<ReportPicture> stamps;  ///< cut-outs of the brightest sources; empty if `image` is not shrunk and has
                                        ///< no frames
  std::int64_t stamp_count = 0;
  /// Both frames of a difference, as whole pictures and as the same cut-outs, with limits of each frame. The page draws
  /// cut-outs of sources that have no stamp from the whole pictures.
  std::optional<ReportPicture> reference, fresh, reference_stamps, new_stamps;
  /// The image minus the sky and the fitted stars or Gaussians; without a fit, the pixels of sources are 0. Empty if
  /// there is neither a fit nor a segmentation, and for a difference, which is itself a residual.
  std::optional<ReportPicture> residual;
  bool residual_of_fit = false;
};

/// Stamps are square cut-outs around sources. They stand in rows from left to right, the first row at the bottom. The
/// source is in the pixel with index stamp_side / 2 in both directions.
inline constexpr std::int64_t stamp_side = 40, stamps_in_a_row = 10, most_stamps = 100;

/// Draws the pictures of a report. `columns` has X_IMAGE and Y_IMAGE of the rows, and `order` lists these, the
/// brightest first; `config` has the stretch and the limits of the image. With the default stretch (asinh) and limits
/// (zscale), white is 60 sigma above the sky, since zscale would saturate bright sources. All pictures together take at
/// most 1.8 MB: 64 grey levels, and at most 1024 (image), 512 (residual, frames) or 256 (maps) pixels a side.
ReportPictures render_pictures(const Extraction& extraction, const std::vector<ReportColumn>& columns,
                               std::span<const std::size_t> order, const QuicklookConfig& config, const Cpu& where);

}  // namespace srcextract
