#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/sky_rows.hpp"
#include "stages/fit/model_rows.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Makes the rows of check images that are as large as the image; only the mesh images are smaller. Config::output must
/// have asked for these check images when the extraction was made, and the extraction must outlive this object. For one
/// thread at a time.
class CheckRows {
 public:
  /// `as_sextractor`: `rms` is the estimated noise even if a weight map gives it, and `-objects` blanks all pixels
  /// above the threshold.
  explicit CheckRows(const Extraction& extraction, bool as_sextractor = false);

  /// Writes row y, from 0, of a check image to `row`; `width` is the image's.
  void fill(CheckImage which, std::int64_t y, float* row, std::int64_t width);

 private:
  void fill_of_crowd(CheckImage which, std::int64_t y, float* row, std::int64_t width);

  const Extraction& extraction_;
  bool as_sextractor_;
  SkyRows sky_;
  std::vector<float> noise_;
  std::optional<ModelRows> model_;  ///< of fitted Gaussians
};

}  // namespace srcextract
