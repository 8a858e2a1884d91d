#pragma once

#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/math/star_profile.hpp"
#include "stages/measure/least_saturated.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Values in PhotometryImage::owner, the map that tells for each pixel to which source it belongs: the number of a
/// source, from 1, or one of these two constants.
inline constexpr std::int32_t nobodys_pixel = 0;
/// above the threshold, but of no source: in a group of too few or too many pixels, or Absorbed::hidden
inline constexpr std::int32_t unclaimed_pixel = -1;

/// The value in PhotometryImage::claims for pixels of a source that CLEAN absorbs after row `last` has been searched
/// for sources.
SRCEXTRACT_HOST_DEVICE inline std::int32_t absorbed_after(std::int32_t last) {
  return -2 - last;
}
/// Whether a value in PhotometryImage::claims is absorbed_after() of a row before `row`.
SRCEXTRACT_HOST_DEVICE inline bool is_absorbed_before(std::int32_t claim, std::int32_t row) {
  return claim <= absorbed_after(0) && -2 - claim < row;
}

/// Converts the label of a run (consecutive pixels above the threshold in a row) to the owner of its pixels.
SRCEXTRACT_HOST_DEVICE inline std::int32_t owner_of_label(std::int32_t label) {
  return label > 0 ? label : unclaimed_pixel;
}

/// A pixel's values as an aperture of one source uses them.
struct ApertureSample {
  double value;     ///< pixel value minus the background
  double variance;  ///< 1 without a variance map, so that the sum of variances is the area
  bool masked;      ///< true if the pixel belongs to another source or is bad
};

template <int Width>
struct ApertureSamples {
  double value[Width], variance[Width];
  std::int32_t masked[Width];
};

/// Values of Width pixels of a row, for the pixels that are neither bad nor part of another source.
template <int Width>
struct OwnSamples {
  double value[Width];      ///< value minus the background; valid if own[i] is 1
  std::int32_t own[Width];  ///< 1 if the pixel is wanted, good and of no other source
};

/// The image on which apertures are measured.
struct PhotometryImage {
  const float* pixels;        ///< the measured image; bad pixels are NaN
  const float* variance;      ///< variance of each pixel in units of FluxCalibration::pixel; null: 1 for every pixel
  const std::int32_t* owner;  ///< source of each pixel; null: all pixels are nobodys_pixel
  std::int32_t width, height;
  double background;  ///< level to be subtracted from every pixel
  double threshold;   ///< analysis threshold above the background, for the noise of the whole image
  MaskNeighbours mask;
  bool threshold_follows_variance = false;  ///< whether the threshold varies with a weight map
  AnalysisLine analysis = {0, 0};  ///< threshold as a linear function of a pixel's noise, if the threshold varies
  const double* least_variance = nullptr;  ///< least variance of each source's pixels, if a mesh gives the noise
  /// Apertures treat pixels with at least this variance as bad. Isophotal measurements still use these pixels.
  float least_bad_variance = std::numeric_limits<float>::infinity();
  StarView star = {};                                           ///< shape of the stars in the image, if known
  bool noise_is_mapped = false;                                 ///< true if `variance` comes from a weight map
  double pixel_variance = 0;                                    ///< FluxCalibration::pixel, if least_variance is null
  double gain = 0;                                              ///< as FluxCalibration::gain
  double saturation = std::numeric_limits<double>::infinity();  ///< value above the sky from which a pixel is saturated
  /// as `owner`, but absorbed pixels have absorbed_after() of a row; for FrameSkyFamily
  const std::int32_t* claims = nullptr;
  /// If a pixel's gain is proportional to its weight (weights.scale_gain): each count of light raises the variance of
  /// its pixel by this fraction. Else 0.
  double photon_share = 0;
  std::int64_t kernel_rows = 0;  ///< height of the detection kernel in pixels; 0 if the image was not convolved

  /// Returns the photon variance per count of light, in units of FluxCalibration::pixel of source `number`. Returns 0
  /// if the gain is unknown or the variance map already includes photon noise.
  SRCEXTRACT_HOST_DEVICE double photons_for(std::int32_t number) const {
    const double unit = unit_for(number);
    return gain > 0 && unit > 0 ? 1 / (gain * unit) : 0;
  }
  /// Returns FluxCalibration::pixel of source `number`.
  SRCEXTRACT_HOST_DEVICE double unit_for(std::int32_t number) const {
    return least_variance != nullptr ? least_variance[number - 1] : pixel_variance;
  }

  /// Returns weight * of_sky plus the photon variance of a pixel. `of_sky` is the pixel's variance without photon noise
  /// of its light; the photon variance of `value` is not multiplied by `weight`.
  SRCEXTRACT_HOST_DEVICE double with_photons(double weight, double value, double of_sky) const {
    return with_photons(photon_share, weight, value, of_sky);
  }
  /// with_photons() with `share` in place of photon_share. A loop over pixels can pass a local copy, so that the member
  /// is not read again for each pixel.
  SRCEXTRACT_HOST_DEVICE static double with_photons(double share, double weight, double value, double of_sky) {
    return (weight + (value > 0 ? value * share : 0)) * of_sky;
  }

  SRCEXTRACT_HOST_DEVICE std::int64_t at(std::int32_t x, std::int32_t y) const {
    return static_cast<std::int64_t>(y) * width + x;
  }

  /// Whether apertures of source `number` exclude pixel i because it belongs to another source or is unclaimed.
  SRCEXTRACT_HOST_DEVICE bool hidden(std::int64_t i, std::int32_t number) const {
    if (mask == MaskNeighbours::none || owner == nullptr) return false;
    return owner[i] != nobodys_pixel && owner[i] != number;
  }

  SRCEXTRACT_HOST_DEVICE bool is_bad(std::int64_t i) const {
    return !is_finite(pixels[i]) || (variance != nullptr && variance[i] >= least_bad_variance);
  }

  SRCEXTRACT_HOST_DEVICE double variance_at(std::int64_t i) const {
    return variance != nullptr ? static_cast<double>(variance[i]) : 1.0;
  }

  /// Returns pixel (x, y) as an aperture of source `number` at (cx, cy) uses it. Real is the precision of the
  /// aperture's geometry. A bad pixel, or a pixel of another source, is replaced by the pixel on the opposite side of
  /// the centre (SExtractor's MASK_TYPE CORRECT), or by 0 if that pixel cannot be used or `mask` is not `correct`.
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

  /// Returns the Width pixels of row y from column x on. own[i] is 1 if the pixel is `wanted`, good and of no other
  /// source. Only the first `count` pixels are in the image, and only these may be wanted.
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

  /// Returns sample() for each `wanted` pixel of row y from column x on; elements of other pixels are undefined. Only
  /// the first `count` pixels are in the image, and only these may be wanted.
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

  /// Replaces the masked pixels in `out` by the pixels on the opposite side of the source, as sample() does. Returns
  /// false without a change if an opposite pixel is outside the image, the image is too wide, or `mask` is not
  /// `correct`.
  template <int Width, class Real>
  SRCEXTRACT_HOST_DEVICE bool mirror_masked(std::int32_t x, std::int32_t y, std::int32_t number, Real cx, Real cy,
                                            ApertureSamples<Width>& out) const {
    constexpr auto half = static_cast<Real>(0.49999);
    constexpr std::int32_t widest = 1 << 22;  // float resolves positions up to twice this width to less than a pixel
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

/// Sets the members that describe the noise of a pixel, except those that complete_noise() sets.
inline void set_noise(const Settings& config, PhotometryImage& image) {
  image.noise_is_mapped = has_map(config.weights);
  const bool photons_known = !image.noise_is_mapped && image.variance != nullptr;
  image.gain = photons_known ? 0 : config.measurement.gain;
  image.photon_share = scales_gain(config.weights) ? 1 : 0;
  if (config.resources.saturation > 0)
    image.saturation = least_saturated(config.resources.saturation) - given_number(config.given_sky.level).value_or(0);
}

/// Completes set_noise() by the members that depend on `levels`, which may exist only on a GPU. image.background must
/// be set.
SRCEXTRACT_HOST_DEVICE inline void complete_noise(const Levels& levels, PhotometryImage& image) {
  const double unit = image.noise_is_mapped ? levels.noise_scale : levels.sigma;
  image.pixel_variance = unit * unit;
  const double of_photons = image.photon_share * image.gain * levels.sigma * levels.sigma;
  image.photon_share = of_photons > 0 ? 1 / of_photons : 0;
  image.saturation -= image.background;
}

}  // namespace srcextract
