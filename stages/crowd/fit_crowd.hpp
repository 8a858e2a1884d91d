#pragma once

#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/settings/crowd.hpp"

namespace srcextract {

/// A place whose light is measured, from 0.
struct CrowdPlace {
  double x, y;
};

/// Finds the stars of an image and fits them all at once, with the sky. With `places`, nothing is found and places stay
/// as they are: a row for each, in their order. The result does not depend on the number of threads. Calls image.needs
/// before it takes memory for stars.
CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Cpu& where,
                   const std::vector<CrowdPlace>* places = nullptr);

/// The PSF of such a fit, whose width is that in the middle of the image.
CrowdPsf psf_of(const PsfModel& model, const Shape& shape);

}  // namespace srcextract
