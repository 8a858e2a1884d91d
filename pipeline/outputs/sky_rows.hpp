#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/chain/extraction.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// Computes the sky's level and noise row by row. A given level or a weight map takes precedence over the estimate. The
/// extraction must have been made with Config::kept.sky, or with a check image of the level or the noise. Not
/// thread-safe.
class SkyRows {
 public:
  /// `extraction` must outlive this object.
  explicit SkyRows(const Extraction& extraction);

  /// Writes the level of row `y`, from 0, to `row`; `width` is the width of the image.
  void level(std::int64_t y, float* row, std::int64_t width);
  void rms(std::int64_t y, float* row, std::int64_t width);
  /// Like rms(), but writes the estimated noise even if a weight map gives the noise.
  void mesh_rms(std::int64_t y, float* row, std::int64_t width);

 private:
  const Statistics& constant_;
  const std::optional<GivenLevel>& given_;
  const Image<float, Cpu>& given_map_;
  const Image<float, Cpu>& variance_;
  double noise_scale_;
  std::optional<MeshRow> level_, rms_;
};

}  // namespace srcextract
