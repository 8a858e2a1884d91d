#pragma once

#include <vector>

namespace srcextract {

/// Where the beam of a radio map is read from. any: the first of table, header and history that has a beam. table:
/// CASA's table BEAMS. history: AIPS' HISTORY cards. given: BeamConfig.
enum class BeamSource { any, header, table, history, given };

struct BeamConfig {
  BeamSource source = BeamSource::any;
  /// Full widths at half maximum of major and minor axis, in arcseconds, for BeamSource::given. A beam that is too
  /// large makes fluxes too small, by the ratio of the beam areas.
  std::vector<double> fwhm = {0, 0};
  /// Position angle of the major axis, in degrees from north through east, for BeamSource::given.
  double angle = 0;

  bool operator==(const BeamConfig&) const = default;
};

}  // namespace srcextract
