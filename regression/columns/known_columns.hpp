#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"

namespace srcextract {

/// The meaning of a catalogue's column: the name in the report, and the conversion of values. The report uses
/// SExtractor's names and conventions: the centre of the first pixel is 1, angles are in degrees.
struct Meaning {
  std::string name;
  double factor = 1, offset = 0;  ///< value in the report = factor * value in the file + offset
};

/// Finds the meaning of each column of a catalogue from the column's name and from `rules`, the user's rules for this
/// catalogue. Known names are those of srcextract, SExtractor and SEP, and names of sky positions in surveys. If
/// `rules` gives a report name to a column, no other column has that name: a column NAME of the file is called "NAME of
/// the file" then. Throws Error{config} that begins with `catalog` if `rules` refers to a missing column or gives two
/// names to one column.
std::vector<Meaning> meanings_of(const std::vector<std::string>& columns, const SideRules& rules,
                                 const std::string& catalog);

/// Whether the name is a pixel coordinate, whose first value may be 0 or 1.
bool is_pixel_coordinate(const std::string& name);
/// Whether the name is a right ascension, or a declination, in degrees.
bool is_right_ascension(const std::string& name);
bool is_declination(const std::string& name);
bool is_position_angle(const std::string& name);
bool is_magnitude(const std::string& name);
/// Whether the name is a magnitude or the error of a magnitude, for which 99 means undefined.
bool has_magnitudes(const std::string& name);
/// Whether the name is a flux. A flux orders sources by brightness.
bool is_flux(const std::string& name);

/// The column with the standard error or the variance of column `name`, by SExtractor's naming; empty if there is none.
std::string standard_error_of(const std::string& name);
/// Whether the name is a column of variances.
bool is_variance(const std::string& name);

/// The column with the other coordinate of the same position, as Y_IMAGE for X_IMAGE. Empty if `name` is no coordinate.
std::string partner_of(const std::string& name);

/// Two columns that form a position, such as X_IMAGE and Y_IMAGE.
struct PositionNames {
  const char *x, *y;
};
/// All known positions, in the order of preference for matching.
const std::vector<PositionNames>& pixel_positions();
const std::vector<PositionNames>& sky_positions();

}  // namespace srcextract
