#pragma once

#include <cstdint>

namespace srcextract {

/// The finest order of HEALPix whose cell numbers fit in a 64-bit integer.
inline constexpr int finest_healpix_order = 29;

/// Number of the HEALPix cell that contains a direction, among the 12 * 4^order cells in the nested scheme. `ra` and
/// `dec` are in degrees; both must be finite, and `dec` from -90 to 90. Sources: Górski et al. 2005, ApJ 622, 759; for
/// the projection, Calabretta & Roukema 2007, MNRAS 381, 865.
std::int64_t healpix_cell(double ra, double dec, int order);

/// The cell of order `order` that contains the cell `finest` of the finest order.
constexpr std::int64_t healpix_ancestor(std::int64_t finest, int order) {
  return finest >> (2 * (finest_healpix_order - order));
}

}  // namespace srcextract
