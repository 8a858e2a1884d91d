#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "config/settings/combine.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The most planes that are combined at once.
inline constexpr std::int64_t most_planes = 64;

/// Whether the method weighs planes by their noise: it needs the sky of each.
constexpr bool needs_skies(CombineMethod method) {
  return method == CombineMethod::inverse_variance || method == CombineMethod::chi_square;
}

/// Combines planes of one shape, pixel by pixel, into `out`, which has that shape too and is none of them. Over the
/// planes in which the pixel is not masked (the good ones), in double, in the order of the planes, rounded once to
/// float:
///   weighted          sum of w v; where some are masked, times the sum of all w over that of the good. With a negative
///                     weight among them, a pixel is masked where any plane is
///   luminosity        the same with 0.21, 0.71, 0.07 for red, green and blue
///   mean              the same with 1 / n for each of n planes
///   inverse_variance  sum of (v - sky) / sigma^2, over the sum of 1 / sigma^2: sky and sigma are those of the plane
///   chi_square        sum of ((v - sky) / sigma)^2, times planes over good planes (Szalay, Connolly & Szokoly 1999, AJ
///                     117, 68, equation 3)
///   median            of an even number the mean of the two in the middle; -0 is less than +0
/// A plane whose sigma is 0, or that has no sky, takes no part in the methods that divide by sigma; nor does one of
/// weight 0 where others are masked. A pixel is masked where no plane that takes part is good, and where the result is
/// beyond the range of a float.
///
/// `skies` has one for each plane where needs_skies(), and is not looked at otherwise. out.masked counts, by reason,
/// the masked pixels of all planes, and as infinite what is masked beyond those: results beyond the range of a float,
/// and all of the pixels if no plane takes part. It is 0 only if no pixel of `out` is masked. out.noise is left alone.
/// Throws what check_plane_count does.
void combine_planes(std::span<const Pixels<Cpu>> planes, std::span<const Value<Background, Cpu>> skies,
                    const CombineConfig& config, Pixels<Cpu>& out, const Cpu& where);
void combine_planes(std::span<const Pixels<Gpu>> planes, std::span<const Value<Background, Gpu>> skies,
                    const CombineConfig& config, Pixels<Gpu>& out, const Gpu& where);

/// Throws Error{config} if the configuration cannot be applied to so many planes: none, or more than most_planes; not
/// the three that luminosity weighs; not as many as there are weights.
void check_plane_count(std::size_t planes, const CombineConfig& config);

}  // namespace srcextract
