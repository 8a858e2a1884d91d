#pragma once

#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/local_sky.hpp"

namespace srcextract {

/// Columns with the sky position of a source, the last columns of a catalogue. Code in io/wcs computes the positions.
inline constexpr ColumnOf<SkyPosition> sky_position_columns[] = {
    {columns::alpha_j2000, "deg", "pos.eq.ra;meta.main", "Right ascension of X_IMAGE, Y_IMAGE (J2000)", usual_group,
     [](const SkyPosition& at) { return at.alpha; }, of_found},
    {columns::delta_j2000, "deg", "pos.eq.dec;meta.main", "Declination of X_IMAGE, Y_IMAGE (J2000)", usual_group,
     [](const SkyPosition& at) { return at.delta; }, of_found},
};

}  // namespace srcextract
