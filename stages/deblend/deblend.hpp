#pragma once

#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/measure/parentage.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The images in which sources were found and are measured, with what determines the thresholds of their pixels.
template <class Where>
struct DeblendImages {
  const Image<float, Where>& found;     ///< image in which sources were found
  const Image<float, Where>& measured;  ///< the same image before it was convolved
  const Value<Levels, Where>& levels;
  NoiseMap<Where> noise;  ///< noise of the pixels, which thresholds follow
};

/// Input of CLEAN (stages/clean/clean_sources.hpp): the cores alone, without the pixels that they were given, and the
/// order of their sources.
template <class Where>
struct CorePixels {
  Runs<Where> runs;         ///< the islands' runs, cut at borders of cores; pixels outside of cores may be missing
  Components<Where> cores;  ///< per run: the source whose core it is in, or 0
  Buffer<std::int32_t, Where> place;  ///< per source: its index in SExtractor's order of the island's sources
};

/// The result of deblending: runs, cut at the borders between sources, and the source of each run.
template <class Where>
struct Deblended {
  Runs<Where> runs;
  Components<Where> components;
  Buffer<Parentage, Where> parentage;  ///< per source
  CorePixels<Where> core_pixels;       ///< filled if sources are cleaned
};

/// The stage: splits sources with several peaks, as SExtractor's multi-threshold deblending does (Bertin & Arnouts
/// 1996, section 5). docs/stages.md defines every step, and says where the result of SExtractor depends on chance.
///
/// The pixels of an island are cut at `thresholds` levels t_k = t_0 (peak / t_0)^(k / thresholds), counted from
/// levels.background. t_0 is the lowest threshold of the island's pixels.
/// - Node: connected pixels above t_k, at least min(min_area, 3) of them.
/// - Significant branch: its flux above the level is more than `contrast` of the island's flux.
/// - Core: a significant branch that joins another significant branch at a lower level; each core becomes a source.
/// - Every pixel outside of cores goes to the core whose elliptical Gaussian is highest there.
///
/// Sources are numbered in raster order of their first pixel, after deblending. An island whose threshold is not above
/// levels.background stays whole. In the result, `components.counts.kept` is the number of sources; `found` is copied.
/// Memory is linear in the pixels of all islands and their cores, and time nearly so (tests/bench/HISTORY.md).
///
/// On a device an image of 2^31 pixels and more throws Error{device}. The counts of runs and sources are right even if
/// they exceed Gpu::capacity, which means that there was too little room.
Deblended<Cpu> deblend_sources(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                               const Components<Cpu>& components, const Settings& config, const Cpu& where);
Deblended<Gpu> deblend_sources(const DeblendImages<Gpu>& images, const Runs<Gpu>& runs,
                               const Components<Gpu>& components, const Settings& config, const Gpu& where);

/// An upper limit of the bytes of memory that deblending takes beside its images. Most of it is the tree of the largest
/// island.
std::int64_t deblend_memory(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where);

}  // namespace srcextract
