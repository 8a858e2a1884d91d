#pragma once

#include "io/wcs/find_beam.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Returns the beams at places of an image whose configuration is resolved (local_beams).
inline BeamsAt local_beams_of(const ImageInput& input) {
  const Config& config = input.config();
  const SkyBeam beam{config.beam.fwhm.at(0), config.beam.fwhm.at(1), config.beam.angle, config.beam.source};
  return local_beams(beam, *config.resources.beam, input.header(), input.exposure.shape());
}

}  // namespace srcextract
