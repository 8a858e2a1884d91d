#pragma once

#include <cstdint>

namespace srcextract {

/// The finest order whose cells a 64-bit integer can number.
inline constexpr int finest_healpix_order = 29;

/// The number of the HEALPix cell of 12 * 4^order, nested scheme, that a direction is in (Górski et al. 2005, ApJ 622,
/// 759; the plane is that of Calabretta & Roukema 2007, MNRAS 381, 865). `ra` and `dec` in degrees, finite, `dec` from
/// -90 to 90.
std::int64_t healpix_cell(double ra, double dec, int order);

/// That of the coarser order that a cell of the finest one is in.
constexpr std::int64_t healpix_ancestor(std::int64_t finest, int order) {
  return finest >> (2 * (finest_healpix_order - order));
}

}  // namespace srcextract
