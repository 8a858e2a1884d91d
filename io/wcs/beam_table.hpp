#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace srcextract {

/// The beam of one plane, as CASA's table BEAMS has it.
struct PlaneBeam {
  double major = 0, minor = 0;                 ///< full widths at half maximum, in arcseconds
  double angle = 0;                            ///< in degrees
  std::int64_t channel = 0, polarisation = 0;  ///< from 0

  /// False for a plane without a beam, which CASA writes for a blank one.
  bool usable() const { return major > 0 && minor > 0; }
};

/// The table BEAMS of a file. Sizes without a unit are arcseconds. Throws Error{input} if there is no such table, or if
/// it lacks a column or has another unit.
std::vector<PlaneBeam> read_beam_table(const std::string& path);

}  // namespace srcextract
