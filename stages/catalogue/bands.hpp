#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Sources that were found in one image and measured in the image of a band.
struct BandSources {
  std::string name;                  ///< name of the band
  std::string pixel_unit, sum_unit;  ///< units of pixel values, and of sums of pixel values
  const Sources& sources;
};

/// The largest number of characters in a band's name.
inline constexpr std::size_t longest_band_name = 20;

/// The name of a column for a band: FLUX_AUTO becomes FLUX_AUTO_g, and FLUX_APER_1 becomes FLUX_APER_g_1.
std::string column_in_band(std::string_view column, std::string_view band);

/// Returns the problem with the names of bands, and what to try; empty if all these rules are kept:
/// - A name is a letter, then letters, digits and _, and has at most longest_band_name characters.
/// - A name does not end in _ and a number.
/// - Names differ by more than case, which FITS ignores.
/// - No column of a band may have the name of another column.
std::string problem_of_bands(const std::vector<std::string>& names);

/// Joins sources that were measured in one or more bands, with the same rows in each, into one catalogue:
/// - Columns computed from the detection image alone appear once, from the first band with sky positions, or else the
///   first band.
/// - Columns measured in each image (Column::image) appear for every band, in order, with the band's name and unit.
///
/// Of the columns measured in each image, only those that are to be written are joined.
Sources join_bands(const std::vector<BandSources>& bands);

}  // namespace srcextract
