#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

/// Numbers of components.
struct ComponentCounts {
  std::int64_t kept = 0;   ///< number of components that also have at least min_area pixels
  std::int64_t found = 0;  ///< number of all components; with seeds, only of those that have a seed
};

SRCEXTRACT_HOST_DEVICE inline ComponentCounts operator+(const ComponentCounts& a, const ComponentCounts& b) {
  return {a.kept + b.kept, a.found + b.found};
}

/// The source of each run.
template <class Where>
struct Components {
  Buffer<std::int32_t, Where> label;  ///< per run: 1 to kept; 0 if its component is too small or has no seed
  Value<ComponentCounts, Where> counts;
};

inline void record_fields(const Components<Cpu>& components, FieldRecorder& to) {
  to.values("label", Element::run, std::span(components.label.begin(), components.label.end()));
  to.value("components kept", components.counts->kept);
  to.value("components found", components.counts->found);
}

/// Joins runs that share a side (connectivity 4), or also a corner (8), into components. Components of at least
/// min_area pixels are numbered 1, 2, ... in raster order of their first pixel, as scipy.ndimage.label does. With
/// `seeds`, runs of the same image, components without a pixel in a seed are dropped: hysteresis thresholding (Canny
/// 1986, section IX; the flood of Hancock et al. 2012, MNRAS 422, 1812).
Components<Cpu> label_components(const Runs<Cpu>& runs, const DetectionConfig& config, const Cpu& where,
                                 const Runs<Cpu>* seeds = nullptr);
Components<Gpu> label_components(const Runs<Gpu>& runs, const DetectionConfig& config, const Gpu& where,
                                 const Runs<Gpu>* seeds = nullptr);

/// Throws Error{input} if there are more runs than 32-bit labels can number.
void check_run_count(std::int64_t runs);

}  // namespace srcextract
