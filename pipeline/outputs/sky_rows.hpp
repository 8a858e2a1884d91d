#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/chain/extraction.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// The sky's level and noise, row by row, whichever way they were estimated, or a map of weights told the noise: of
/// what was extracted with Config::kept.sky or a check image of them. For one thread at a time.
class SkyRows {
 public:
  /// The extraction must outlive it.
  explicit SkyRows(const Extraction& extraction);

  /// Row y, from 0, of `width` pixels: those of the image.
  void level(std::int64_t y, float* row, std::int64_t width);
  void rms(std::int64_t y, float* row, std::int64_t width);
  /// The noise as it was estimated, where a map tells it too.
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
