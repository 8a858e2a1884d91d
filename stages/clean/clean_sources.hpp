#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/deblend.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// How apertures that leave out the pixels of other sources treat the pixels of a run.
enum class Absorbed : std::uint8_t {
  no,      ///< pixels of a source that was not absorbed
  free,    ///< pixels of an absorbed source, treated as if no source had them
  hidden,  ///< pixels of an absorbed source that SExtractor treats as those of another source
};

/// Sources after cleaning; some became parts of others.
template <class Where>
struct Cleaned {
  Components<Where> components;        ///< per run: its source, with new numbers
  Buffer<Absorbed, Where> absorbed;    ///< per run
  Components<Where> own;               ///< `components` with 0 for the runs of absorbed sources
  Buffer<SourceSums, Where> own_sums;  ///< sums over `own`, in the image in which sources were found
  Buffer<Parentage, Where> parentage;  ///< per source that is left; `edge` includes the sources that it absorbed
};

/// Input of cleaning: sources after deblending, and their sums in the image in which they were found. Without
/// deblending `parentage` and `cores` are empty, and the islands are the sources.
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

/// The stage: merges sources into brighter ones in whose wings they lie, if they would not stand out without that
/// light. This is SExtractor's CLEAN (Bertin & Arnouts 1996, section 6), in its order of sources; docs/stages.md has
/// every definition.
///
/// A source that absorbs another keeps its position and shape; its pixels, fluxes, extents and flags are those of both.
/// Sources are numbered in raster order of their first pixel, after cleaning; `components.counts.found` keeps its
/// value. `kernel_rows` is the height of the kernel by which the image was convolved, or 1. SExtractor cleans half a
/// kernel late: absorbed pixels are hidden in the last kernel_rows / 2 rows of the two islands.
///
/// A device throws Error{device} from 2^31 pixels on. If it has too little room, the counts of sources say so.
Cleaned<Cpu> clean_sources(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Cpu& where);
Cleaned<Gpu> clean_sources(const DeblendImages<Gpu>& images, const Uncleaned<Gpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Gpu& where);

/// Records the fields, without those that are recorded elsewhere once sources are cleaned.
inline void record_fields(const Cleaned<Cpu>& cleaned, FieldRecorder& to) {
  record_fields(cleaned.own, to);
  std::vector<std::int32_t> absorbed;
  for (const Absorbed one : cleaned.absorbed) absorbed.push_back(static_cast<std::int32_t>(one));
  to.values("absorbed", Element::run, std::span<const std::int32_t>(absorbed));
  record_fields(cleaned.own_sums, to);
}

}  // namespace srcextract
