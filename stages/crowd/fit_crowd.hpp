#pragma once

#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/settings/crowd.hpp"

namespace srcextract {

/// A position at which a flux is measured, in pixels from 0.
struct CrowdPlace {
  double x, y;
};

/// Which planes CrowdFit contains: none, or model, residual and weight.
enum class CrowdPlanes { none, all };

/// Finds the stars of an image and fits all of them together with the sky. If `places` is not null, no stars are
/// searched, and fluxes are fitted at these fixed positions. The result then has one row for each place, in the same
/// order.
///
/// Host and device give the same result, which does not depend on the number of threads. The host calls image.needs
/// before it allocates memory for stars. For a Gpu, image.pixels and image.variance are in device memory; the numbers
/// of the PSF are in host memory.
CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Cpu& where,
                   const std::vector<CrowdPlace>* places = nullptr, CrowdPlanes kept = CrowdPlanes::all);
CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Gpu& where,
                   const std::vector<CrowdPlace>* places = nullptr, CrowdPlanes kept = CrowdPlanes::all);

/// The PSF for fits of an image of this shape; its FWHM is that in the middle of the image.
CrowdPsf psf_of(const PsfModel& model, const Shape& shape);

}  // namespace srcextract
