#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/chain/detection.hpp"
#include "python/core/sep/image.hpp"
#include "stages/detect/runs_by_source.hpp"

namespace srcextract::python {

/// A row of the result of SEP's extract(), in NumPy's layout without padding.
#pragma pack(push, 1)
struct SepObject {
  double thresh;
  std::int64_t npix, tnpix, xmin, xmax, ymin, ymax;
  double x, y, x2, y2, xy, errx2, erry2, errxy, a, b, theta, cxx, cyy, cxy, cflux, flux, cpeak, peak;
  std::int64_t xcpeak, ycpeak, xpeak, ypeak;
  std::int16_t flag;
};
#pragma pack(pop)

/// SEP's flag of an object that the image's edge cuts.
inline constexpr std::int16_t sep_truncated = 0x2;

/// Results of the extraction steps (pipeline/chain/detect_sources.hpp) for an image, from which SEP's values of objects
/// are computed.
struct SepFound {
  const SepImage& image;
  double threshold = 0;  ///< a pixel value, or a multiple of each pixel's noise if the image has noise
  double gain = 0;
  Pixels<Cpu> pixels;
  Detection<Cpu> steps;
  /// By label: mean threshold over the pixels of the island. Empty if the image has no noise map or has a segmentation
  /// map.
  std::vector<double> island_thresholds;

  explicit SepFound(const SepImage& of) : image(of) {}

  /// Makes the row of source number `source`, from 0. `members` are the source's runs; a run is a sequence of pixels in
  /// one row.
  SepObject object(std::int64_t source, RunsBySource::Members members) const;

  /// Number of pixels of these runs that exceed `threshold` in the image before convolution.
  std::int64_t count_above(RunsBySource::Members members, double threshold) const;

  /// The parentage of a source, by which deblending links sources to islands. Without deblending every island is a
  /// source.
  Parentage parentage(std::int64_t source) const {
    return steps.parentage.empty() ? Parentage{0, 0, static_cast<std::int32_t>(source + 1), 0, 0}
                                   : steps.parentage[source];
  }
};

}  // namespace srcextract::python
