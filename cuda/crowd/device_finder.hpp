#pragma once

#include "cuda/crowd/device_field.hpp"
#include "stages/crowd/find_stars.hpp"

namespace srcextract {

/// find_stars() on a device. The kernels of all squares are made once.
class DeviceFinder {
 public:
  DeviceFinder(const DevicePsf& psf, const Shape& shape, const Gpu& where);

  /// Appends the stars that the residual shows to those that are known.
  void find(const DeviceField& field, const FindRule& rule, double fwhm, std::int32_t turn,
            DeviceList<CrowdStar>& stars, const Gpu& where) const;

 private:
  std::int32_t half_;
  Buffer<float, Gpu> kernels_;  ///< per square: kernel of the PSF, then of its squared values
};

}  // namespace srcextract
