#pragma once

#include "stages/core/host_device.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/settings/difference.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Level and noise of the sky of both frames of a difference.
template <class Where>
struct FrameSkies {
  Value<Background, Where> reference, fresh;
};

/// Makes an image of the ratio n / r of the frames' brightness, where n is the new frame and r the reference, both
/// above their skies. A pixel has a ratio if n > 0, r > 0 and r / sigma_r + n / sigma_n > 20; all others are masked.
/// Both frames must have the same shape.
Image<float, Cpu> flux_ratios(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh,
                              const FrameSkies<Cpu>& skies, const Cpu& where);
Image<float, Gpu> flux_ratios(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh,
                              const FrameSkies<Gpu>& skies, const Gpu& where);

/// If fewer ratios than this survive the clip, the reference is not scaled.
inline constexpr std::int64_t least_ratios = 50;

/// The factor that scales the reference: the clipped median of `ratios`. It is 1 if fewer than least_ratios pixels
/// survive the clip, or if match_flux is off.
SRCEXTRACT_HOST_DEVICE inline double flux_scale(const Background& ratios, bool match_flux) {
  return match_flux && ratios.clipped.count >= least_ratios ? ratios.clipped.median : 1;
}

/// The difference d = (new - sky_n) - scale * (reference - sky_r), in double, rounded once to float, and masked where
/// either frame is masked. `scale` is flux_scale(). The skies are taken as 0 if match_background is off. `out` has the
/// shape of the frames; out.masked counts its masked pixels as NaN.
///
/// If gain > 0, also makes the variance of the noise (Pixels::noise), relative to the variance of the sky: 1 + (max(0,
/// n) + scale^2 max(0, r)) / (gain (sigma_n^2 + scale^2 sigma_r^2)). n and r are above their skies. The variance is
/// computed in double, rounded once to float, and masked where the difference is. It is 1 if the sky has no noise at
/// all. If gain is 0, out.noise becomes empty.
void subtract_frames(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const FrameSkies<Cpu>& skies,
                     const Value<Background, Cpu>& ratios, const DifferenceConfig& config, double gain,
                     Pixels<Cpu>& out, const Cpu& where);
void subtract_frames(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const FrameSkies<Gpu>& skies,
                     const Value<Background, Gpu>& ratios, const DifferenceConfig& config, double gain,
                     Pixels<Gpu>& out, const Gpu& where);

/// Changes the sign of every pixel, so that sources which became fainter are positive.
void negate(Image<float, Cpu>& image, const Cpu& where);
void negate(Image<float, Gpu>& image, const Gpu& where);

/// Multiplies every pixel by the factor, in double, rounded once to float. A masked pixel stays masked.
void multiply(Image<float, Cpu>& image, double factor, const Cpu& where);
void multiply(Image<float, Gpu>& image, double factor, const Gpu& where);

/// Divides each pixel's value above the sky by the root of its relative variance `noise`: returns sky + (v - sky) /
/// sqrt(noise). The noise is then that of the sky everywhere. `sky` is the clipped median. The root is computed in
/// double and rounded to float, all else in float.
Image<float, Cpu> weigh_pixels(const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                               const Value<Background, Cpu>& sky, const Cpu& where);
Image<float, Gpu> weigh_pixels(const Image<float, Gpu>& image, const Image<float, Gpu>& noise,
                               const Value<Background, Gpu>& sky, const Gpu& where);

}  // namespace srcextract
