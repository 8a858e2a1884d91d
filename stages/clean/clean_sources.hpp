#pragma once

#include <cstdint>

#include "stages/deblend/deblend.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// Whether CLEAN absorbed the source of a run (consecutive foreground pixels of a row) into another source. The value
/// also says how apertures of other sources treat the run's pixels.
enum class Absorbed : std::int32_t {
  hidden = -1,  ///< the source was absorbed, and its pixels count as pixels of another source, as in SExtractor
  no = 0,       ///< the source was not absorbed
  free = 1      ///< and above: the source was absorbed, and its pixels count as pixels of no source (free_from)
};

/// The value for pixels of an absorbed source that apertures treat as pixels of no source. `last` is the last row of
/// the island of the source or of its absorber, whichever is larger. (An island: connected foreground pixels before
/// deblending.)
SRCEXTRACT_HOST_DEVICE inline Absorbed free_from(std::int32_t last) {
  return static_cast<Absorbed>(last + 1);
}
SRCEXTRACT_HOST_DEVICE inline bool is_free(Absorbed absorbed) {
  return absorbed >= Absorbed::free;
}

/// The result of CLEAN: the remaining sources, some of which contain the pixels of absorbed sources.
template <class Where>
struct Cleaned {
  Components<Where> components;        ///< per run: its source after CLEAN
  Buffer<Absorbed, Where> absorbed;    ///< per run: whether its original source was absorbed
  Components<Where> own;               ///< like `components`, but label 0 for runs of absorbed sources
  Buffer<SourceSums, Where> own_sums;  ///< sums over `own` in the image in which sources were detected
  /// Per remaining source. `last_row` is set; `edge` is also set if an absorbed source is at the edge of the image.
  Buffer<Parentage, Where> parentage;
};

/// Input of CLEAN: the sources after deblending, and sums over their pixels in the image in which they were detected.
/// Without deblending, `parentage` and `cores` are empty, and each island is a source.
template <class Where>
struct Uncleaned {
  const Runs<Where>& runs;
  const Components<Where>& components;
  const Runs<Where>& island_runs;
  const Components<Where>& islands;
  const CorePixels<Where>& cores;
  const Buffer<Parentage, Where>& parentage;
  const Buffer<SourceSums, Where>& sums;

  bool deblended() const { return !parentage.empty(); }
};

/// Merges a source into a brighter neighbour if the source would be too faint to be detected without the light in the
/// wings of the brighter source. The method is SExtractor's CLEAN (Bertin & Arnouts 1996, section 6), with sources in
/// SExtractor's order. docs/stages/clean.md has all definitions.
///
/// - A source that absorbs another keeps its position and shape. Pixels, fluxes, extents and flags are those of both
///   sources together.
/// - The remaining sources are numbered in raster order of their first pixels. `components.counts.found` does not
///   change.
/// - Sources of more than detection.max_area pixels are removed first, as if they were too small: their runs get label
///   0. If deblend.clean is false, nothing else is done.
/// - `kernel_rows` is the number of rows of the convolution kernel, or 1. SExtractor cleans kernel_rows / 2 rows late.
///   Pixels of an absorbed source in the last kernel_rows / 2 rows of the two islands are therefore Absorbed::hidden.
///
/// On a device, throws Error{device} for 2^31 or more pixels. If the buffers of a device hold too few sources, the
/// counts in the result exceed the size of the buffers.
Cleaned<Cpu> clean_sources(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Cpu& where);
Cleaned<Gpu> clean_sources(const DeblendImages<Gpu>& images, const Uncleaned<Gpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Gpu& where);

/// Records `own`, `absorbed` and `own_sums`. The results of deblending contain the other fields.
inline void record_fields(const Cleaned<Cpu>& cleaned, FieldRecorder& to) {
  record_fields(cleaned.own, to);
  to.members("absorbed", Element::run, cleaned.absorbed, [](Absorbed one) { return static_cast<std::int32_t>(one); });
  record_fields(cleaned.own_sums, to);
}

}  // namespace srcextract
