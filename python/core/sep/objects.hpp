#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "python/core/sep/image.hpp"
#include "stages/detect/label.hpp"
#include "stages/measure/measure.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract::python {

/// A row of SEP's extract, with NumPy's layout: without padding between the elements.
#pragma pack(push, 1)
struct SepObject {
  double thresh;
  std::int64_t npix, tnpix, xmin, xmax, ymin, ymax;
  double x, y, x2, y2, xy, errx2, erry2, errxy, a, b, theta, cxx, cyy, cxy, cflux, flux, cpeak, peak;
  std::int64_t xcpeak, ycpeak, xpeak, ypeak;
  std::int16_t flag;
};
#pragma pack(pop)

/// SEP's flag of an object that touches the edge.
inline constexpr std::int16_t sep_truncated = 0x2;

/// Rows with the pixels of each.
struct SepObjects {
  std::vector<SepObject> rows;
  std::vector<Run> runs;                ///< of all rows
  std::vector<std::int64_t> run_begin;  ///< of each row, and the end

  std::span<const Run> runs_of(std::size_t row) const {
    const auto first = static_cast<std::size_t>(run_begin[row]), last = static_cast<std::size_t>(run_begin[row + 1]);
    return std::span(runs).subspan(first, last - first);
  }
};

/// The images and settings for measuring sources.
struct SepPixels {
  const Image<float, Cpu>&found, &measured;
  const SepImage& image;
  double threshold;  ///< in units of each pixel's noise
  const Levels& levels;
  double gain;
  std::vector<double>
      island_thresholds;  ///< mean threshold over the pixels of each label's island; empty if it is the same everywhere
};

/// Measures sources as SEP does. `order`: the sources that become rows, from 0.
SepObjects measure_objects(const SepPixels& pixels, const Runs<Cpu>& runs, const Components<Cpu>& components,
                           const Buffer<SourceSums, Cpu>& sums, const Buffer<Parentage, Cpu>& parentage,
                           const std::vector<std::int32_t>& order, const Cpu& where);

/// Number of an object's unconvolved pixels above a threshold.
std::int64_t count_above(const SepPixels& pixels, std::span<const Run> runs, double threshold);

/// Sets the pixels of a map to the numbers of rows, from 1, and all others to 0.
void draw(const SepObjects& objects, const Shape& shape, std::int32_t* map, const Cpu& where);

}  // namespace srcextract::python
