#pragma once

#include <cstdint>

#include "stages/detect/label.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

/// Sums over the pixels of one source, from which all columns are computed (stages/measure/columns.hpp). v is the pixel
/// value minus the background. Positions are pixels counted from 0. dx and dy are relative to (xmin, ymin).
struct SourceSums {
  std::int64_t npix;
  double v, vx, vy, vxx, vyy, vxy;  ///< sums of v, v dx, v dy, v dx^2, v dy^2, v dx dy
  float peak;                       ///< largest pixel value, without subtraction of the background
  std::int32_t xpeak, ypeak;        ///< position of the peak; if several pixels are equal, the first in raster order
  std::int32_t xmin, xmax, ymin, ymax;
  std::int32_t near_masked;  ///< 1 if a pixel of the source has a masked pixel among its 8 neighbours, else 0

  bool operator==(const SourceSums&) const = default;
};

inline void record_fields(const Buffer<SourceSums, Cpu>& sums, FieldRecorder& to) {
  const auto add = [&](const char* name, auto SourceSums::*member) { to.members(name, Element::source, sums, member); };
  add("npix", &SourceSums::npix);
  add("v", &SourceSums::v);
  add("vx", &SourceSums::vx);
  add("vy", &SourceSums::vy);
  add("vxx", &SourceSums::vxx);
  add("vyy", &SourceSums::vyy);
  add("vxy", &SourceSums::vxy);
  add("peak", &SourceSums::peak);
  add("xpeak", &SourceSums::xpeak);
  add("ypeak", &SourceSums::ypeak);
  add("xmin", &SourceSums::xmin);
  add("xmax", &SourceSums::xmax);
  add("ymin", &SourceSums::ymin);
  add("ymax", &SourceSums::ymax);
  add("near_masked", &SourceSums::near_masked);
}

/// Sums the pixels of every source; element k is for label k + 1. The order of additions is fixed
/// (stages/math/ordered_sum.hpp): first pixels within a run, then runs in raster order. levels.background is subtracted
/// from each pixel. Neighbours are checked for masked pixels only if `masked` counts any.
Buffer<SourceSums, Cpu> measure_sources(const Image<float, Cpu>& image, const Runs<Cpu>& runs,
                                        const Components<Cpu>& components, const Value<Levels, Cpu>& levels,
                                        const Value<MaskCounts, Cpu>& masked, const Cpu& where);
Buffer<SourceSums, Gpu> measure_sources(const Image<float, Gpu>& image, const Runs<Gpu>& runs,
                                        const Components<Gpu>& components, const Value<Levels, Gpu>& levels,
                                        const Value<MaskCounts, Gpu>& masked, const Gpu& where);

}  // namespace srcextract
