#pragma once

#include <cstdint>
#include <optional>

#include "pipeline/chain/extraction.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

/// The sky's level and noise, row by row, from an estimate, a given level or a weight map. The extraction must have
/// been made with Config::kept.sky or a check image of them. For one thread at a time.
class SkyRows {
 public:
  /// The extraction must outlive it.
  explicit SkyRows(const Extraction& extraction);

  /// Row y, from 0; `width` is the image's.
  void level(std::int64_t y, float* row, std::int64_t width);
  void rms(std::int64_t y, float* row, std::int64_t width);
  /// The estimated noise, even where a weight map gives the noise.
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
