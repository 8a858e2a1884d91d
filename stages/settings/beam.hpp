#pragma once

#include <vector>

namespace srcextract {

/// Where the beam of a radio map is read from. any: the first of table, header and history that has a beam.
enum class BeamSource { any, header, table, history, given };

/// The beam of a radio map.
struct BeamConfig {
  BeamSource source = BeamSource::any;
  /// For BeamSource::given: full widths at half maximum of major and minor axis, in arcseconds. A beam that is too
  /// large makes fluxes too small, by the ratio of the areas.
  std::vector<double> fwhm = {0, 0};
  /// For BeamSource::given: the position angle of the major axis, in degrees from north through east.
  double angle = 0;

  bool operator==(const BeamConfig&) const = default;
};

}  // namespace srcextract
