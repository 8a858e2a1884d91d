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

/// Which pixels of a fit are kept: none, or model, residual and weight.
enum class CrowdPlanes { none, all };

/// Finds the stars of an image and fits them all at once, with the sky. With `places`, no stars are searched for, and
/// places are not moved. The fit then has a row for each place, in their order. The result does not depend on the back
/// end, nor on the number of threads. The host calls image.needs before it takes memory for stars. For a Gpu,
/// image.pixels and image.variance are on the device; the numbers of the PSF are on the host.
CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Cpu& where,
                   const std::vector<CrowdPlace>* places = nullptr, CrowdPlanes kept = CrowdPlanes::all);
CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Gpu& where,
                   const std::vector<CrowdPlace>* places = nullptr, CrowdPlanes kept = CrowdPlanes::all);

/// The PSF for a fit of an image of this shape. Its width is that in the middle of the image.
CrowdPsf psf_of(const PsfModel& model, const Shape& shape);

}  // namespace srcextract
