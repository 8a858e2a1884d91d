#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"

namespace srcextract {

/// What a column means that some program wrote: how its values become those of the column `name` of the report, which
/// has SExtractor's name and conventions (the centre of the first pixel is 1, angles are in degrees).
struct Meaning {
  std::string name;
  double factor = 1, offset = 0;  ///< value in the report = factor * value in the file + offset
};

/// The meaning of each of a catalogue's columns, from their names (srcextract's, SExtractor's, SEP's, and what surveys
/// call a position) and from what `rules` says of this side. A column that `rules` gives to a name takes it from any
/// other that would have it by its own. Throws Error{config} that names the `catalog` if `rules` names a column
/// that is not there, or one twice.
std::vector<Meaning> meanings_of(const std::vector<std::string>& columns, const SideRules& rules,
                                 const std::string& catalog);

/// Coordinates in pixels, which begin at 0 or 1.
bool is_pixel_coordinate(const std::string& name);
/// Right ascension or declination in degrees.
bool is_right_ascension(const std::string& name);
bool is_declination(const std::string& name);
bool is_position_angle(const std::string& name);
bool is_magnitude(const std::string& name);
/// Magnitudes and their errors, of which 99 stands for none.
bool has_magnitudes(const std::string& name);
/// Fluxes, by which sources can be ordered by their brightness.
bool is_flux(const std::string& name);

/// The column that SExtractor has for the standard error of this one, or for its square; empty if there is none.
std::string standard_error_of(const std::string& name);
/// Whether a column of errors holds squares of them.
bool is_variance(const std::string& name);

/// The coordinate that makes a position with this one: Y_IMAGE of X_IMAGE, ALPHA_J2000 of DELTA_J2000; empty if it is
/// no coordinate.
std::string partner_of(const std::string& name);

/// The columns that make one position, best first: {X_IMAGE, Y_IMAGE}, ...
struct PositionNames {
  const char *x, *y;
};
const std::vector<PositionNames>& pixel_positions();
const std::vector<PositionNames>& sky_positions();

}  // namespace srcextract
