#pragma once

#include <vector>

#include "cuda/crowd/device_equations.hpp"

namespace srcextract {

/// measure_crowd() on a device. Returns the rows in host memory.
std::vector<CrowdRow> measure_crowd(const DeviceField& field, const DevicePsf& psf, const DeviceEquations& equations,
                                    const DeviceList<CrowdStar>& stars);

}  // namespace srcextract
