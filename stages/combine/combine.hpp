#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stages/ingest/ingest.hpp"
#include "stages/settings/combine.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

inline constexpr std::int64_t most_planes = 64;

/// Whether the method weights planes by their noise, so that the sky and noise of each plane must be known.
constexpr bool needs_skies(CombineMethod method) {
  return method == CombineMethod::inverse_variance || method == CombineMethod::chi_square;
}

/// Combines planes (input images) of the same shape, pixel by pixel, into `out`. `out` must have this shape and must
/// not be one of the planes. Planes in which the pixel is not masked are good. The result is computed in double over
/// the good planes, in order, and rounded once to float. With v the value in a plane:
///   weighted          sum of w v; if some planes are masked, times (sum of all w) / (sum over good planes). If
///                     a weight is negative, pixels masked in any plane are masked
///   luminosity        weighted by 0.21, 0.71, 0.07 for red, green and blue
///   mean              weighted by 1 / n for each of n planes
///   inverse_variance  sum of (v - sky) / sigma^2, divided by the sum of 1 / sigma^2, with each plane's sky and sigma
///   chi_square        sum of ((v - sky) / sigma)^2, times (number of planes) / (number of good planes) (Szalay,
///                     Connolly & Szokoly 1999, AJ 117, 68, equation 3)
///   median            for an even number, the mean of the two middle values; -0 is less than +0
/// The two methods that divide by sigma ignore a plane with sigma 0 or without a sky. A plane of weight 0 does not
/// count as good if another plane is masked in the pixel. A pixel is masked if no good plane is left, or if the result
/// exceeds the range of a float.
///
/// `skies` has one element for each plane if needs_skies() is true, and is ignored if not. out.masked counts the masked
/// pixels of all planes by reason. The infinite pixels include results that exceed the range of a float. If all planes
/// are ignored, the infinite pixels also include every pixel that no plane masks. The total is 0 only if no pixel of
/// `out` is masked. out.noise is not changed.
///
/// If rows of the planes are made on demand, the code that reads the planes must count their masked pixels in
/// out.masked (ingest_on_demand). Throws the errors of check_plane_count().
void combine_planes(std::span<const Pixels<Cpu>> planes, std::span<const Value<Background, Cpu>> skies,
                    const CombineConfig& config, Pixels<Cpu>& out, const Cpu& where);
void combine_planes(std::span<const Pixels<Gpu>> planes, std::span<const Value<Background, Gpu>> skies,
                    const CombineConfig& config, Pixels<Gpu>& out, const Gpu& where);

/// Throws Error{config} if the configuration does not fit the number of planes:
/// - there are no planes, or more than most_planes;
/// - the method is luminosity, and there are not three planes;
/// - the method is weighted, and there are not as many weights as planes.
void check_plane_count(std::size_t planes, const CombineConfig& config);

}  // namespace srcextract
