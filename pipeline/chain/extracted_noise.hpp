#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/detect/noise_map.hpp"

namespace srcextract {

/// The noise of each pixel of an extracted image, from the mesh or the map of variances in Extraction::check. The
/// extraction must outlive this object.
class ExtractedNoise {
 public:
  ExtractedNoise(const Extraction& extraction, const Config& config, const Cpu& where);

  const NoiseMap<Cpu>& map() const { return map_; }
  /// The noise of each pixel, in units of factor(). Null if all pixels have the same noise, which is then factor()
  /// itself.
  const RmsOfPixels* rms() const { return map_.varies() ? &rms_ : nullptr; }
  double factor() const { return factor_; }
  double at(std::int64_t x, std::int64_t y) const {
    return map_.varies() ? factor_ * static_cast<double>(rms_.at(x, y)) : factor_;
  }

 private:
  NoiseMap<Cpu> map_;
  RmsOfPixels rms_;
  double factor_;
};

}  // namespace srcextract
