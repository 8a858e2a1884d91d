#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// Gives the noise of each pixel of an extraction that kept its mesh or its map of variances. The extraction must
/// outlive this object.
class ExtractedNoise {
 public:
  ExtractedNoise(const Extraction& extraction, const Config& config, const Cpu& where);

  const NoiseMap<Cpu>& map() const { return map_; }
  /// The noise of each pixel, to be multiplied by factor(); null: all pixels have the noise factor().
  const RmsOfPixels* rms() const { return map_.varies() ? &rms_ : nullptr; }
  double factor() const { return factor_; }
  double at(std::int64_t x, std::int64_t y) const {
    return map_.varies() ? factor_ * static_cast<double>(rms_.at(x, y)) : factor_;
  }

 private:
  NoiseMap<Cpu> map_;
  RmsRows rows_;
  RmsOfPixels rms_;
  double factor_;
};

}  // namespace srcextract
