#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/chain/extraction.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// Computes the sky's level and noise row by row, from the estimate, a given level or a weight map. The extraction must
/// have been made with Config::kept.sky, or with a check image of level or noise. For one thread at a time.
class SkyRows {
 public:
  /// The extraction must outlive it.
  explicit SkyRows(const Extraction& extraction);

  /// Writes the level of row y, from 0, to `row`; `width` is the image's.
  void level(std::int64_t y, float* row, std::int64_t width);
  void rms(std::int64_t y, float* row, std::int64_t width);
  /// Writes the estimated noise of row y, even if a weight map gives the noise.
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
