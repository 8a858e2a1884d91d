#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "stages/core/host_device.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

/// How many components there are.
struct ComponentCounts {
  std::int64_t kept = 0;   ///< of at least min_area pixels
  std::int64_t found = 0;  ///< whatever their area
};

SRCEXTRACT_HOST_DEVICE inline ComponentCounts operator+(const ComponentCounts& a, const ComponentCounts& b) {
  return {a.kept + b.kept, a.found + b.found};
}

/// Which source each run belongs to.
template <class Where>
struct Components {
  Buffer<std::int32_t, Where> label;  ///< per run: 1..kept, or 0 where the component is smaller than min_area
  Value<ComponentCounts, Where> counts;
};

inline void record_fields(const Components<Cpu>& components, FieldRecorder& to) {
  to.values("label", Element::run, std::span(components.label.begin(), components.label.end()));
  to.value("components kept", components.counts->kept);
  to.value("components found", components.counts->found);
}

/// Joins runs that share a side (connectivity 4) or also a corner (8) into components and numbers those of at least
/// min_area pixels 1, 2, ... in raster order of their first pixel, as scipy.ndimage.label does.
Components<Cpu> label_components(const Runs<Cpu>& runs, const DetectionConfig& config, const Cpu& where);
Components<Gpu> label_components(const Runs<Gpu>& runs, const DetectionConfig& config, const Gpu& where);

/// Labels are 32-bit. Throws Error{input} if there are so many runs that they might not suffice.
void check_run_count(std::int64_t runs);

}  // namespace srcextract
