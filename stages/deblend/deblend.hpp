#pragma once

#include "config/config.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract {

/// What sources were found in, and what their pixels had to be above.
template <class Where>
struct DeblendImages {
  const Image<float, Where>& found;     ///< in which sources were found
  const Image<float, Where>& measured;  ///< the same before it was convolved
  const Value<Levels, Where>& levels;
  NoiseMap<Where> noise;  ///< which thresholds follow
};

/// What CLEAN (stages/clean/clean_sources.hpp) asks of deblending: what sources were before they got the pixels that
/// are in no core, and in which order they came.
template <class Where>
struct CorePixels {
  Runs<Where> runs;         ///< those of the islands, cut where cores begin and end; what is in none may be left out
  Components<Where> cores;  ///< per run of those: the source whose core it is of, or 0
  Buffer<std::int32_t, Where> place;  ///< of every source: its place among those of its island, as SExtractor has them
};

/// Sources that were deblended: the runs, cut where another source begins, and whose they are.
template <class Where>
struct Deblended {
  Runs<Where> runs;
  Components<Where> components;
  Buffer<Parentage, Where> parentage;  ///< of every source
  CorePixels<Where> core_pixels;       ///< if they are to be cleaned
};

/// The stage: divides the sources of more than one peak, as SExtractor's multi-threshold deblending does (Bertin &
/// Arnouts 1996, section 5; docs/stages.md has every definition, and where SExtractor leaves something to chance).
///
/// The pixels of an island are cut at `thresholds` levels t_k = t_0 (peak / t_0)^(k / thresholds), counted from
/// levels.background, where t_0 is the lowest threshold of its pixels. What is connected above t_k, and has
/// min(min_area, 3) pixels, is a node; a branch is significant if its flux above the level is more than `contrast` of
/// the island's flux. Where two or more significant branches meet they become sources of their own, the cores; every
/// pixel that is left goes to the core of which it is most probably a part, by an elliptical Gaussian.
///
/// Sources are numbered in raster order of their first pixel, after deblending. An island whose threshold is not above
/// levels.background stays whole. `components.counts.kept` counts sources, `found` what it counted before. Memory is
/// linear in the pixels of all islands and their cores, and time nearly so (docs/performance.md).
///
/// On a device an image of 2^31 pixels and more throws Error{device}; there are as many runs and sources as the counts
/// say, or more than Gpu::capacity if an earlier step had too little room.
Deblended<Cpu> deblend_sources(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                               const Components<Cpu>& components, const Config& config, const Cpu& where);
Deblended<Gpu> deblend_sources(const DeblendImages<Gpu>& images, const Runs<Gpu>& runs,
                               const Components<Gpu>& components, const Config& config, const Gpu& where);

/// The bytes of memory that this takes beside its images, as measured, most of it for the tree of the largest island.
std::int64_t deblend_memory(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where);

}  // namespace srcextract
