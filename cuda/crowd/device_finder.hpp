#pragma once

#include "cuda/crowd/device_field.hpp"
#include "stages/crowd/find_stars.hpp"

namespace srcextract {

/// find_stars() on a device. The image is divided into squares with one PSF each; their correlation kernels are
/// computed once.
class DeviceFinder {
 public:
  DeviceFinder(const DevicePsf& psf, const Shape& shape, const Gpu& where);

  /// Appends the new stars that the residual shows to `stars`, the stars already known. Returns the shared noise.
  double find(const DeviceField& field, const FindRule& rule, double fwhm, std::int32_t turn,
              DeviceList<CrowdStar>& stars, const Gpu& where) const;

  double measure_shared_noise(const DeviceField& field, const Gpu& where) const;

 private:
  /// The significance of residual and model, and the norm, plane after plane.
  Buffer<float, Gpu> measure_significance(const CrowdPixels& pixels, const Shape& shape, const Gpu& where) const;

  std::int32_t half_;
  Buffer<float, Gpu> kernels_;  ///< for each square: a kernel from the PSF, then a kernel from the squared PSF
};

}  // namespace srcextract
