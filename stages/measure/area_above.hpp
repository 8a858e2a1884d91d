#pragma once

#include <cstdint>
#include <span>

#include "stages/core/host_device.hpp"
#include "stages/detect/label.hpp"

namespace srcextract {

/// The number of pixels that two runs of the same row share.
SRCEXTRACT_HOST_DEVICE inline std::int64_t shared_pixels(const Run& a, const Run& b) {
  const std::int32_t begin = a.begin > b.begin ? a.begin : b.begin, end = a.end < b.end ? a.end : b.end;
  return end > begin ? end - begin : 0;
}

/// Returns for each source the number of its pixels that are also in `above`, the runs above another level; element k
/// is for label k + 1. It is SExtractor's ISOAREA if the level is the analysis threshold.
Buffer<std::int64_t, Cpu> area_above(const Runs<Cpu>& runs, const Components<Cpu>& components, const Runs<Cpu>& above,
                                     const Cpu& where);
Buffer<std::int64_t, Gpu> area_above(const Runs<Gpu>& runs, const Components<Gpu>& components, const Runs<Gpu>& above,
                                     const Gpu& where);

inline void record_fields(const Buffer<std::int64_t, Cpu>& areas, FieldRecorder& to) {
  to.values("pixels above the analysis threshold", Element::source, std::span(areas.begin(), areas.end()));
}

}  // namespace srcextract
