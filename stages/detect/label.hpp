#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/detection.hpp"

namespace srcextract {

struct ComponentCounts {
  std::int64_t kept = 0;  ///< number of components that also have at least min_area pixels and get a label
  /// Number of components of any area. If label_components() had seeds, only components with a seed are counted.
  std::int64_t found = 0;
};

SRCEXTRACT_HOST_DEVICE inline ComponentCounts operator+(const ComponentCounts& a, const ComponentCounts& b) {
  return {a.kept + b.kept, a.found + b.found};
}

/// The label of each run (stretch of foreground pixels): the number of its connected component, which is a source.
template <class Where>
struct Components {
  /// Per run: 1 to counts.kept. 0 if the component of the run has too few pixels or no seed.
  Buffer<std::int32_t, Where> label;
  Value<ComponentCounts, Where> counts;
};

/// Whether each run has a label from 0 to the number of components.
inline bool are_labels_of(const Components<Cpu>& components, const Runs<Cpu>& runs) {
  return components.label.size() == runs.runs.size() &&
         std::ranges::all_of(components.label, [most = components.counts->kept](std::int32_t label) {
           return label >= 0 && label <= most;
         });
}

inline void record_fields(const Components<Cpu>& components, FieldRecorder& to) {
  to.values("label", Element::run, std::span(components.label.begin(), components.label.end()));
  to.value("components kept", components.counts->kept);
  to.value("components found", components.counts->found);
}

/// Joins runs whose pixels share a side (connectivity 4), or a side or a corner (connectivity 8), into components.
/// Components of at least min_area pixels are numbered 1, 2, ... in raster order of their first pixel, as
/// scipy.ndimage.label does. `seeds` must be null or runs of the same image. If not null, components that share no
/// pixel with a run of `seeds` are dropped: hysteresis thresholding (Canny 1986, section IX; the flood of Hancock et
/// al. 2012, MNRAS 422, 1812).
Components<Cpu> label_components(const Runs<Cpu>& runs, const DetectionConfig& config, const Cpu& where,
                                 const Runs<Cpu>* seeds = nullptr);
Components<Gpu> label_components(const Runs<Gpu>& runs, const DetectionConfig& config, const Gpu& where,
                                 const Runs<Gpu>* seeds = nullptr);

/// Throws Error{input} if `runs` exceeds 2^31 - 1, the largest label.
void check_run_count(std::int64_t runs);

}  // namespace srcextract
