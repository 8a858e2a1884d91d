#pragma once

#include <cstdint>
#include <limits>

#include "config/settings/measurement.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/detect/detection_levels.hpp"

namespace srcextract {

/// Whose a pixel is, in the map of owners: a source's number, or one of these.
inline constexpr std::int32_t nobodys_pixel = 0;
inline constexpr std::int32_t unclaimed_pixel =
    -1;  ///< above the threshold, but of no source: of too small a component

/// The owner of the pixels of a run of that label.
SRCEXTRACT_HOST_DEVICE inline std::int32_t owner_of_label(std::int32_t label) {
  return label > 0 ? label : unclaimed_pixel;
}

/// A pixel as the aperture of one source has it.
struct ApertureSample {
  double value;     ///< above the background
  double variance;  ///< 1 where there is no map of them: then their sum is the area
  bool masked;      ///< another's, or bad
};

/// Width pixels of a row as the aperture of one source has them.
template <int Width>
struct ApertureSamples {
  double value[Width], variance[Width];
  std::int32_t masked[Width];
};

/// The same without what is masked.
template <int Width>
struct OwnSamples {
  double value[Width];      ///< of those that are own
  std::int32_t own[Width];  ///< 1: wanted, and not masked
};

/// The image in which apertures are laid.
struct PhotometryImage {
  const float* pixels;        ///< that are measured; NaN: bad
  const float* variance;      ///< of each, in units of FluxCalibration::pixel; null: all are 1
  const std::int32_t* owner;  ///< of each; null: all are nobody's
  std::int32_t width, height;
  double background;  ///< to be subtracted from every pixel
  double threshold;   ///< above that: the analysis threshold, in the noise of the image as a whole
  MaskNeighbours mask;
  bool threshold_follows_variance = false;  ///< whether a map of weights has the noise that it is counted in
  AnalysisLine analysis = {0, 0};           ///< then what it is in that of a pixel
  const float* least_variance = nullptr;    ///< of the pixels of each source, where a mesh has that noise; else null
  /// Pixels of so much variance are bad for apertures; isophotal measures take them as they are.
  float least_bad_variance = std::numeric_limits<float>::infinity();

  SRCEXTRACT_HOST_DEVICE std::int64_t at(std::int32_t x, std::int32_t y) const {
    return static_cast<std::int64_t>(y) * width + x;
  }

  /// Whether a pixel is another's than the source's of that number, and apertures mind.
  SRCEXTRACT_HOST_DEVICE bool hidden(std::int64_t i, std::int32_t number) const {
    if (mask == MaskNeighbours::none || owner == nullptr) return false;
    return owner[i] != nobodys_pixel && owner[i] != number;
  }

  /// Whether apertures leave a pixel out.
  SRCEXTRACT_HOST_DEVICE bool is_bad(std::int64_t i) const {
    return !is_finite(pixels[i]) || (variance != nullptr && variance[i] >= least_bad_variance);
  }

  SRCEXTRACT_HOST_DEVICE double variance_at(std::int64_t i) const {
    return variance != nullptr ? static_cast<double>(variance[i]) : 1.0;
  }

  /// The pixel for the source `number` at (cx, cy), both in the precision in which the aperture has its geometry, and
  /// within the image. What belongs to others or is bad counts as the pixel opposite (SExtractor's MASK_TYPE CORRECT),
  /// or as nothing.
  template <class Real>
  SRCEXTRACT_HOST_DEVICE ApertureSample sample(std::int32_t x, std::int32_t y, std::int32_t number, Real cx,
                                               Real cy) const {
    const std::int64_t here = at(x, y);
    const float pixel = pixels[here];
    if (!is_bad(here) && !hidden(here, number)) return {pixel - background, variance_at(here), false};
    if (mask == MaskNeighbours::correct) {
      constexpr auto half = static_cast<Real>(0.49999);
      const auto u = static_cast<std::int32_t>(2 * cx + half - static_cast<Real>(x));
      const auto v = static_cast<std::int32_t>(2 * cy + half - static_cast<Real>(y));
      if (u >= 0 && v >= 0 && u < width && v < height) {
        const std::int64_t there = at(u, v);
        const float opposite = pixels[there];
        if (!is_bad(there) && !hidden(there, number)) return {opposite - background, variance_at(there), true};
      }
    }
    return {0, variance == nullptr ? 1.0 : 0.0, true};
  }

  /// The pixels of row y from x on that are `wanted`, all of them among the first `count`, all of which are in the
  /// image, and which are not masked.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE OwnSamples<Width> own_samples(std::int32_t x, std::int32_t y, int count, std::int32_t number,
                                                       const std::int32_t (&wanted)[Width]) const {
    const std::int64_t here = at(x, y);
    const float* __restrict const row = pixels + here;
    float pixel[Width];
    OwnSamples<Width> out;
    for (int i = 0; i < Width; ++i) pixel[i] = i < count ? row[i] : 0.0F;
    for (int i = 0; i < Width; ++i) out.own[i] = wanted[i] & (is_finite(pixel[i]) ? 1 : 0);
    if (mask != MaskNeighbours::none && owner != nullptr) {
      const std::int32_t* __restrict const owners = owner + here;
      for (int i = 0; i < Width; ++i) {
        const std::int32_t whose = i < count ? owners[i] : nobodys_pixel;
        out.own[i] &= (whose == nobodys_pixel ? 1 : 0) | (whose == number ? 1 : 0);
      }
    }
    if (has_bad_variances())
      for (int i = 0; i < Width; ++i) out.own[i] &= i < count && variance[here + i] >= least_bad_variance ? 0 : 1;
    const double sky = background;
    for (int i = 0; i < Width; ++i) out.value[i] = pixel[i] - sky;
    return out;
  }

  /// sample() of the pixels of row y from x on that are `wanted`, all of them among the first `count`, all of which are
  /// in the image. What the others are is not said.
  template <int Width, class Real>
  SRCEXTRACT_HOST_DEVICE ApertureSamples<Width> samples(std::int32_t x, std::int32_t y, int count, std::int32_t number,
                                                        Real cx, Real cy, const std::int32_t (&wanted)[Width]) const {
    const std::int64_t here = at(x, y);
    const float* __restrict const row = pixels + here;
    float pixel[Width];
    std::int32_t of_others[Width] = {};
    ApertureSamples<Width> out;
    for (int i = 0; i < Width; ++i) pixel[i] = i < count ? row[i] : 0.0F;
    if (mask != MaskNeighbours::none && owner != nullptr) {
      const std::int32_t* __restrict const owners = owner + here;
      for (int i = 0; i < Width; ++i) {
        const std::int32_t whose = i < count ? owners[i] : nobodys_pixel;
        of_others[i] = whose != nobodys_pixel && whose != number ? 1 : 0;
      }
    }
    const double sky = background;
    std::int32_t any_masked = 0;
    for (int i = 0; i < Width; ++i) {
      out.masked[i] = wanted[i] & (of_others[i] | (is_finite(pixel[i]) ? 0 : 1));
      out.value[i] = pixel[i] - sky;
      out.variance[i] = 1;
    }
    if (variance != nullptr) {
      for (int i = 0; i < Width; ++i) {
        const float own = i < count ? variance[here + i] : 0.0F;
        out.masked[i] |= wanted[i] & (own >= least_bad_variance ? 1 : 0);
        out.variance[i] = static_cast<double>(own);
      }
    }
    for (int i = 0; i < Width; ++i) any_masked |= out.masked[i];
    if (any_masked == 0) return out;
    if constexpr (Width > 1)
      if (mirror_masked(x, y, number, cx, cy, out)) return out;
    for (int i = 0; i < count; ++i) {
      if (out.masked[i] == 0) continue;
      const ApertureSample one = sample(x + i, y, number, cx, cy);
      out.value[i] = one.value;
      out.variance[i] = one.variance;
    }
    return out;
  }

 private:
  SRCEXTRACT_HOST_DEVICE bool has_bad_variances() const {
    return variance != nullptr && least_bad_variance < std::numeric_limits<float>::infinity();
  }

  /// sample() of those that are masked, where all pixels opposite are in the image: they are in a row. Else false.
  template <int Width, class Real>
  SRCEXTRACT_HOST_DEVICE bool mirror_masked(std::int32_t x, std::int32_t y, std::int32_t number, Real cx, Real cy,
                                            ApertureSamples<Width>& out) const {
    constexpr auto half = static_cast<Real>(0.49999);
    constexpr std::int32_t widest = 1 << 22;  // that float tells places of to less than a pixel, twice over
    if (mask != MaskNeighbours::correct || width > widest) return false;
    const auto u = static_cast<std::int32_t>(2 * cx + half - static_cast<Real>(x));
    const auto v = static_cast<std::int32_t>(2 * cy + half - static_cast<Real>(y));
    const std::int32_t last = u - (Width - 1);
    if (last < 0 || u >= width || v < 0 || v >= height) return false;
    const std::int64_t there = at(last, v);
    const float* __restrict const row = pixels + there;
    const double sky = background;
    float opposite[Width];
    std::int32_t good[Width];
    for (int i = 0; i < Width; ++i) opposite[i] = row[Width - 1 - i];
    for (int i = 0; i < Width; ++i) good[i] = is_finite(opposite[i]) ? 1 : 0;
    if (owner != nullptr) {
      const std::int32_t* __restrict const owners = owner + there;
      for (int i = 0; i < Width; ++i) {
        const std::int32_t whose = owners[Width - 1 - i];
        good[i] &= (whose == nobodys_pixel ? 1 : 0) | (whose == number ? 1 : 0);
      }
    }
    if (variance != nullptr)
      for (int i = 0; i < Width; ++i) good[i] &= variance[there + Width - 1 - i] >= least_bad_variance ? 0 : 1;
    for (int i = 0; i < Width; ++i) {
      const double value = opposite[i] - sky, mirrored = good[i] != 0 ? value : 0;
      out.value[i] = out.masked[i] != 0 ? mirrored : out.value[i];
    }
    if (variance != nullptr) {
      for (int i = 0; i < Width; ++i) {
        const double of_opposite = variance[there + Width - 1 - i], mirrored = good[i] != 0 ? of_opposite : 0;
        out.variance[i] = out.masked[i] != 0 ? mirrored : out.variance[i];
      }
    }
    return true;
  }
};

}  // namespace srcextract
