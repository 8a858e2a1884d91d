#pragma once

#include "config/settings/difference.hpp"
#include "stages/core/host_device.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// What both frames were measured to be, for the stages below.
template <class Where>
struct FrameSkies {
  Value<Background, Where> reference, fresh;
};

/// The brightness of the new frame over that of the reference, both above their skies, n / r, at pixels where it can be
/// told: r / sigma_r + n / sigma_n > 20, both greater than 0. All others are masked. The frames have one shape.
Image<float, Cpu> flux_ratios(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh,
                              const FrameSkies<Cpu>& skies, const Cpu& where);
Image<float, Gpu> flux_ratios(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh,
                              const FrameSkies<Gpu>& skies, const Gpu& where);

/// Pixels needed to tell the ratio of the frames' brightness.
inline constexpr std::int64_t least_ratios = 50;

/// What the reference is multiplied by: the clipped median of the ratios, or 1 where fewer than least_ratios survive
/// the clip, or match_flux is off.
SRCEXTRACT_HOST_DEVICE inline double flux_scale(const Background& ratios, bool match_flux) {
  return match_flux && ratios.clipped.count >= least_ratios ? ratios.clipped.median : 1;
}

/// The difference d = (new - sky_n) - scale * (reference - sky_r), in double, rounded once to float, masked where
/// either frame is. `scale` is flux_scale(); the skies are 0 where match_background is off. The variance of the noise
/// (Pixels::noise), relative to that of the sky, is made only if gain > 0: 1 + (max(0, n) + scale^2 max(0, r)) / (gain
/// (sigma_n^2 + scale^2 sigma_r^2)), with n and r above their skies, in double, rounded once to float; masked where the
/// difference is, and 1 if the sky has no noise at all. `out` has the shape of the frames; out.masked counts its masked
/// pixels as NaN.
void subtract_frames(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const FrameSkies<Cpu>& skies,
                     const Value<Background, Cpu>& ratios, const DifferenceConfig& config, double gain,
                     Pixels<Cpu>& out, const Cpu& where);
void subtract_frames(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const FrameSkies<Gpu>& skies,
                     const Value<Background, Gpu>& ratios, const DifferenceConfig& config, double gain,
                     Pixels<Gpu>& out, const Gpu& where);

/// Turns the sign of every pixel: what became fainter becomes brighter.
void negate(Image<float, Cpu>& image, const Cpu& where);
void negate(Image<float, Gpu>& image, const Gpu& where);

/// sky + (v - sky) / sqrt(noise) (float, the root as well; sky = the clipped median as float): an image whose noise is
/// that of its sky all over.
Image<float, Cpu> weigh_pixels(const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                               const Value<Background, Cpu>& sky, const Cpu& where);
Image<float, Gpu> weigh_pixels(const Image<float, Gpu>& image, const Image<float, Gpu>& noise,
                               const Value<Background, Gpu>& sky, const Gpu& where);

}  // namespace srcextract
