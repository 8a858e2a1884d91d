#pragma once

#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/local_sky.hpp"

namespace srcextract {

/// Columns for the position of a source on the sky. io/wcs fills them; they are the last of a catalogue.
inline constexpr ColumnOf<SkyPosition> sky_position_columns[] = {
    {columns::alpha_j2000, "deg", "pos.eq.ra;meta.main", "Right ascension of X_IMAGE, Y_IMAGE (J2000)", usual_group,
     [](const SkyPosition& at) { return at.alpha; }, of_found},
    {columns::delta_j2000, "deg", "pos.eq.dec;meta.main", "Declination of X_IMAGE, Y_IMAGE (J2000)", usual_group,
     [](const SkyPosition& at) { return at.delta; }, of_found},
};

}  // namespace srcextract
