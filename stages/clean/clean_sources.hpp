#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/deblend.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// How apertures of other sources treat the pixels of a run, after its source was or was not absorbed.
enum class Absorbed : std::int32_t {
  hidden = -1,  ///< source was absorbed, but its pixels count as another source's, as in SExtractor
  no = 0,       ///< source was not absorbed: its pixels are as usual
  free = 1      ///< and above: source was absorbed, and its pixels count as belonging to no source (free_from)
};

/// The value for pixels of a source that is absorbed once row `last` is searched: the last row of the source's island
/// or of its absorber's island, whichever is later.
SRCEXTRACT_HOST_DEVICE inline Absorbed free_from(std::int32_t last) {
  return static_cast<Absorbed>(last + 1);
}
SRCEXTRACT_HOST_DEVICE inline bool is_free(Absorbed absorbed) {
  return absorbed >= Absorbed::free;
}

/// The result of CLEAN: sources, some of which have become parts of others.
template <class Where>
struct Cleaned {
  Components<Where> components;        ///< per run: its source, with new numbers
  Buffer<Absorbed, Where> absorbed;    ///< per run: whether its source was absorbed
  Components<Where> own;               ///< `components` with label 0 for the runs of absorbed sources
  Buffer<SourceSums, Where> own_sums;  ///< sums over `own`, in the image in which sources were found
  /// Per source that is left. `last_row` is set; `edge` also covers the sources that it absorbed.
  Buffer<Parentage, Where> parentage;
};

/// Input of CLEAN: sources after deblending, and their sums in the image in which they were found. Without deblending
/// `parentage` and `cores` are empty, and each island is one source.
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

/// The stage: merges sources into brighter ones in whose wings they lie, if they would not be found without the light
/// of these wings. This is SExtractor's CLEAN (Bertin & Arnouts 1996, section 6), in its order of sources;
/// docs/stages.md has every definition.
///
/// A source that absorbs another keeps its position and shape; pixels, fluxes, extents and flags are those of both
/// sources together. Sources are numbered in raster order of their first pixel, after cleaning;
/// `components.counts.found` keeps its value. Sources of more than detection.max_area pixels are dropped first: their
/// runs have label 0, as those of too small sources. With deblend.clean false that is all. `kernel_rows` is the height
/// of the kernel by which the image was convolved, or 1. SExtractor cleans half a kernel late: absorbed pixels are
/// Absorbed::hidden in the last kernel_rows / 2 rows of the two islands.
///
/// A device throws Error{device} from 2^31 pixels on. If a device has too little room, the counts of sources exceed it.
Cleaned<Cpu> clean_sources(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Cpu& where);
Cleaned<Gpu> clean_sources(const DeblendImages<Gpu>& images, const Uncleaned<Gpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Gpu& where);

/// Records `own`, `absorbed` and `own_sums`. The other fields are recorded with the results of deblending.
inline void record_fields(const Cleaned<Cpu>& cleaned, FieldRecorder& to) {
  record_fields(cleaned.own, to);
  std::vector<std::int32_t> absorbed;
  for (const Absorbed one : cleaned.absorbed) absorbed.push_back(static_cast<std::int32_t>(one));
  to.values("absorbed", Element::run, std::span<const std::int32_t>(absorbed));
  record_fields(cleaned.own_sums, to);
}

}  // namespace srcextract
