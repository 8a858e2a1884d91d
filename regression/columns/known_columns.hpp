#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"

namespace srcextract {

/// What a catalogue's column means in the report: its name there, and how its values convert. The report uses
/// SExtractor's names and conventions (the centre of the first pixel is 1, angles in degrees).
struct Meaning {
  std::string name;
  double factor = 1, offset = 0;  ///< value in the report = factor * value in the file + offset
};

/// Finds the meaning of each column of a catalogue, from its name and from the `rules` for this side. Known names are
/// those of srcextract, SExtractor and SEP, and the surveys' names of positions. If `rules` gives a name to a column,
/// no other column can have that name. Throws Error{config} naming the `catalog` if `rules` names a missing column, or
/// one column twice.
std::vector<Meaning> meanings_of(const std::vector<std::string>& columns, const SideRules& rules,
                                 const std::string& catalog);

/// Whether the name is a pixel coordinate, whose origin can be 0 or 1.
bool is_pixel_coordinate(const std::string& name);
/// Whether the name is a right ascension, or a declination, in degrees.
bool is_right_ascension(const std::string& name);
bool is_declination(const std::string& name);
bool is_position_angle(const std::string& name);
bool is_magnitude(const std::string& name);
/// Whether the name is a magnitude or its error, for which 99 means undefined.
bool has_magnitudes(const std::string& name);
/// Whether the name is a flux, which can rank sources by brightness.
bool is_flux(const std::string& name);

/// SExtractor's column for the standard error or variance of column `name`; empty if there is none.
std::string standard_error_of(const std::string& name);
/// Whether a column of errors holds variances.
bool is_variance(const std::string& name);

/// The column with the other coordinate of the position: Y_IMAGE for X_IMAGE, ALPHA_J2000 for DELTA_J2000. Empty if the
/// column is no coordinate.
std::string partner_of(const std::string& name);

/// Two columns that form a position, such as X_IMAGE and Y_IMAGE.
struct PositionNames {
  const char *x, *y;
};
/// All positions that are known, best first.
const std::vector<PositionNames>& pixel_positions();
const std::vector<PositionNames>& sky_positions();

}  // namespace srcextract
