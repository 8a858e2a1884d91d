#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Sources that were found in one image, as they were measured in that of a band.
struct BandSources {
  std::string name;                  ///< of the band
  std::string pixel_unit, sum_unit;  ///< of its pixels' values, and of their sums
  const Sources& sources;
};

/// Most characters of a band's name.
inline constexpr std::size_t longest_band_name = 20;

/// What a column is called in a band: FLUX_AUTO_g, and FLUX_APER_g_1 of FLUX_APER_1.
std::string column_in_band(std::string_view column, std::string_view band);

/// What is wrong with names of bands, which columns are to be told apart by, and what to try; empty: nothing is. A name
/// is a letter and then letters, digits and _, and no other but for the case of letters: FITS knows no case. No column
/// may be taken for that of another band, or for another column.
std::string problem_of_bands(const std::vector<std::string>& names);

/// One catalogue of sources that were measured in several bands, at least one, row by row the same: what follows from
/// the image in which they were found once, as the first band has it that has sky positions, and what is measured
/// (Column::image) of every band, in their order, under its name there and with its unit. Only columns that are to be
/// written are in it.
Sources join_bands(const std::vector<BandSources>& bands);

}  // namespace srcextract
