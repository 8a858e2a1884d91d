#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Sources detected in one image and measured in the image of a band (an image of the same field, usually through
/// another filter).
struct BandSources {
  std::string name;
  std::string pixel_unit, sum_unit;  ///< units of pixel values and of sums of pixel values in the band's image
  const Sources& sources;
};

inline constexpr std::size_t longest_band_name = 20;

/// The name that a column has for a band. Examples for band g: FLUX_AUTO becomes FLUX_AUTO_g, and FLUX_APER_1 becomes
/// FLUX_APER_g_1.
std::string column_in_band(std::string_view column, std::string_view band);

/// Returns a message about the first name of a band that breaks one of these rules, or an empty text if none does:
/// - A name is a letter, then letters, digits and _, and has at most longest_band_name characters.
/// - A name does not end in _ and a number.
/// - Two names differ by more than case, which FITS ignores.
/// - column_in_band() gives no column the name of another column.
std::string problem_of_bands(const std::vector<std::string>& names);

/// Joins the sources of one or more bands into one catalogue. All bands have the same sources in the same order.
/// - Columns computed from the detection image alone appear once. The first band with sky positions supplies these
///   columns; without sky positions, the first band.
/// - Columns measured in each image (Column::image) appear once for every band in which they are to be written, with
///   the band's name and unit.
/// - The usual ones of the columns measured in each image also stay under their own names, unwritten, for region files
///   and plots. Their values are from the band that supplies the first kind of columns.
Sources join_bands(const std::vector<BandSources>& bands);

}  // namespace srcextract
