#pragma once

#include "stages/detect/label.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/measure/parentage.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// The image in which sources were found, the image in which they are measured, and the thresholds of their pixels.
template <class Where>
struct DeblendImages {
  const Image<float, Where>& found;     ///< image in which sources were found
  const Image<float, Where>& measured;  ///< image in which sources are measured: `found` before the detection filter
  const Value<Levels, Where>& levels;
  NoiseMap<Where> noise;  ///< noise of each pixel, by which thresholds vary
};

/// Input of CLEAN (stages/clean/clean_sources.hpp): cores of split islands without the pixels that deblending added to
/// them, and the order of the sources. Islands and cores are explained at deblend_sources().
template <class Where>
struct CorePixels {
  /// Runs (stretches of foreground pixels of a row) of the islands, cut at the borders of cores. Pixels outside of
  /// cores may be missing.
  Runs<Where> runs;
  /// Per run: number of the source in whose core the run is, from 1; 0 if the run is in no core.
  Components<Where> cores;
  /// Per source: its index, from 0, in the order in which SExtractor lists the sources of the island.
  Buffer<std::int32_t, Where> place;
};

/// The result of deblending: runs, cut at the borders between sources, and the source of each run.
template <class Where>
struct Deblended {
  Runs<Where> runs;
  Components<Where> components;
  Buffer<Parentage, Where> parentage;  ///< per source
  CorePixels<Where> core_pixels;       ///< empty if CLEAN does not run
};

/// Splits sources with several peaks, as the multi-threshold deblending of SExtractor does (Bertin & Arnouts 1996,
/// section 5). docs/stages/deblend.md defines every step, and lists the cases in which the result of SExtractor is
/// random.
///
/// An island is a connected set of foreground pixels. Deblending examines it at `thresholds` levels t_k = t_0 (peak /
/// t_0)^(k / thresholds), counted from levels.background. t_0 is the lowest threshold of the island's pixels.
/// - A node is a set of at least min(min_area, 3) connected pixels above t_k.
/// - A branch, a node with all nodes inside, is significant if its flux above t_k is more than `contrast` times the
///   island's flux.
/// - A core is a significant branch that joins another significant branch at a lower level. Each core becomes a source.
/// - Each pixel outside of cores goes to the core whose elliptical Gaussian is highest there.
///
/// Sources are numbered in raster order of their first pixel, after deblending. An island whose threshold is not above
/// levels.background stays whole. In the result, `components.counts.kept` is the number of sources after deblending;
/// `counts.found` is copied from the argument. Memory grows linearly with the number of pixels and cores, and time
/// almost linearly.
///
/// On the host, throws Error{input} for an island of 2^31 or more pixels, and the errors of check_run_count(). On a
/// device, an image of 2^31 or more pixels throws Error{device}. The counts of runs and sources are correct even
/// if they exceed Gpu::capacity. The other results are then incomplete.
Deblended<Cpu> deblend_sources(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                               const Components<Cpu>& components, const Settings& config, const Cpu& where);
Deblended<Gpu> deblend_sources(const DeblendImages<Gpu>& images, const Runs<Gpu>& runs,
                               const Components<Gpu>& components, const Settings& config, const Gpu& where);

/// Returns an upper limit of the bytes of memory that deblend_sources() allocates. The images are not included. Most of
/// it is the tree of the largest island.
std::int64_t deblend_memory(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where);

}  // namespace srcextract
