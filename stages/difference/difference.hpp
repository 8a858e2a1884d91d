#pragma once

#include "stages/core/host_device.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/settings/difference.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

template <class Where>
struct FrameSkies {
  Value<Background, Where> reference, fresh;
};

/// Computes the ratio n / r of the frames' brightness for every pixel, where n is the new frame and r the reference,
/// both minus their skies. The result is masked unless n > 0, r > 0 and r / sigma_r + n / sigma_n > 20, where sigma is
/// the noise of the sky. Both frames must have the same shape.
Image<float, Cpu> flux_ratios(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh,
                              const FrameSkies<Cpu>& skies, const Cpu& where);
Image<float, Gpu> flux_ratios(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh,
                              const FrameSkies<Gpu>& skies, const Gpu& where);

/// Least number of ratios after clipping for which the reference is scaled.
inline constexpr std::int64_t least_ratios = 50;

/// Returns the factor by which the reference is multiplied: the median of `ratios` after clipping. The factor is 1 if
/// fewer than least_ratios pixels are left after clipping, or if match_flux is false.
SRCEXTRACT_HOST_DEVICE inline double flux_scale(const Background& ratios, bool match_flux) {
  return match_flux && ratios.clipped.count >= least_ratios ? ratios.clipped.median : 1;
}

/// Gains of two frames, in e-/count.
struct PhotonGains {
  double fresh = 0;      ///< 0: the noise of photons is not needed
  double reference = 0;  ///< 0: as the new frame's
};

/// Computes the difference d = (new - sky_n) - scale * (reference - sky_r), in double, rounded once to float. Pixels
/// are masked where either frame is masked. `scale` is flux_scale(). The skies are taken as 0 if
/// config.match_background is false. `out` must have the shape of the frames. out.masked counts all masked pixels of
/// the result as NaN.
///
/// If gain.fresh is above 0, also computes the variance of each pixel divided by the variance of the sky
/// (Pixels::noise): 1 + (max(0, n) / gain_n + scale^2 max(0, r) / gain_r) / (sigma_n^2 + scale^2 sigma_r^2), where n
/// and r are the pixels minus their skies. The variance is computed in double, rounded once to float, and masked where
/// the difference is masked. If both skies have a sigma of 0, all variances are 1. If gain.fresh is 0, out.noise
/// becomes empty.
void subtract_frames(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const FrameSkies<Cpu>& skies,
                     const Value<Background, Cpu>& ratios, const DifferenceConfig& config, const PhotonGains& gain,
                     Pixels<Cpu>& out, const Cpu& where);
void subtract_frames(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const FrameSkies<Gpu>& skies,
                     const Value<Background, Gpu>& ratios, const DifferenceConfig& config, const PhotonGains& gain,
                     Pixels<Gpu>& out, const Gpu& where);

/// Changes the sign of every pixel, so that sources which became fainter are positive.
void negate(Image<float, Cpu>& image, const Cpu& where);
void negate(Image<float, Gpu>& image, const Gpu& where);

/// Multiplies every pixel by the factor, in double, rounded once to float. Masked pixels stay masked.
void multiply(Image<float, Cpu>& image, double factor, const Cpu& where);
void multiply(Image<float, Gpu>& image, double factor, const Gpu& where);

/// Returns sky + (v - sky) / sqrt(noise) for every pixel value v. `noise` is the pixel's variance divided by the
/// variance of the sky, so all pixels of the result have the noise of the sky. The sky is the median after clipping.
/// The square root is computed in double and rounded to float, all else in float.
Image<float, Cpu> weigh_pixels(const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                               const Value<Background, Cpu>& sky, const Cpu& where);
Image<float, Gpu> weigh_pixels(const Image<float, Gpu>& image, const Image<float, Gpu>& noise,
                               const Value<Background, Gpu>& sky, const Gpu& where);

}  // namespace srcextract
