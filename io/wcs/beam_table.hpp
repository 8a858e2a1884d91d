#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace srcextract {

/// The beam of one plane of a cube, from CASA's table BEAMS.
struct PlaneBeam {
  double major = 0, minor = 0;                 ///< full widths at half maximum, in arcseconds
  double angle = 0;                            ///< position angle of the major axis, in degrees from north through east
  std::int64_t channel = 0, polarisation = 0;  ///< indices of the plane, from 0

  /// Returns true for a blank plane, for which CASA writes 0.
  bool is_blank() const { return major == 0 && minor == 0; }
  /// Returns false if the plane has no beam.
  bool usable() const {
    return major > 0 && minor > 0 && std::isfinite(major) && std::isfinite(minor) && std::isfinite(angle);
  }
};

/// Returns whether the file has a FITS extension BEAMS. A gzipped file is not looked at, since the extension may be
/// behind gigabytes of pixels.
bool has_beam_table(const std::string& path);

/// Reads the table BEAMS of a file. Widths without a unit are taken as arcseconds, angles as degrees. Throws
/// Error{input} if the file has no such table, or if a column is missing or has a unit that is no angle.
std::vector<PlaneBeam> read_beam_table(const std::string& path);

}  // namespace srcextract
