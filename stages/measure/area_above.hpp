#pragma once

#include <cstdint>
#include <span>

#include "stages/core/host_device.hpp"
#include "stages/detect/label.hpp"

namespace srcextract {

/// Number of pixels that belong to both of two runs (consecutive pixels of a row) of the same row.
SRCEXTRACT_HOST_DEVICE inline std::int64_t shared_pixels(const Run& a, const Run& b) {
  const std::int32_t begin = a.begin > b.begin ? a.begin : b.begin, end = a.end < b.end ? a.end : b.end;
  return end > begin ? end - begin : 0;
}

/// Returns for each source the number of its pixels that are also in the runs `above`, which contain all pixels above
/// some other threshold. Element k is for the source with label k + 1. If `above` was made with the analysis threshold,
/// the result is SExtractor's ISOAREA.
Buffer<std::int64_t, Cpu> area_above(const Runs<Cpu>& runs, const Components<Cpu>& components, const Runs<Cpu>& above,
                                     const Cpu& where);
Buffer<std::int64_t, Gpu> area_above(const Runs<Gpu>& runs, const Components<Gpu>& components, const Runs<Gpu>& above,
                                     const Gpu& where);

inline void record_fields(const Buffer<std::int64_t, Cpu>& areas, FieldRecorder& to) {
  to.values("pixels above the analysis threshold", Element::source, std::span(areas.begin(), areas.end()));
}

}  // namespace srcextract
