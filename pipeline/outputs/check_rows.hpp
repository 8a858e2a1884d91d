#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/sky_rows.hpp"
#include "stages/fit/model_rows.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Computes the rows of the check images that have the size of the image. The extraction must have been made with these
/// check images requested in the configuration, and must outlive this object. Not thread-safe.
class CheckRows {
 public:
  /// `as_sextractor` changes two check images. `rms` becomes the estimated noise even if a weight map gives the noise.
  /// `-objects` becomes 0 in all pixels above the threshold, and not only in the pixels of sources.
  explicit CheckRows(const Extraction& extraction, bool as_sextractor = false);

  /// Writes row `y`, from 0, of a check image to `row`; `width` is the width of the image.
  void fill(CheckImage which, std::int64_t y, float* row, std::int64_t width);

 private:
  void fill_of_crowd(CheckImage which, std::int64_t y, float* row, std::int64_t width);

  const Extraction& extraction_;
  bool as_sextractor_;
  SkyRows sky_;
  std::vector<float> noise_;
  std::optional<ModelRows> model_;  ///< model of the fitted Gaussians; empty if none were fitted
};

}  // namespace srcextract
