#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/deblend/core_shape.hpp"
#include "stages/deblend/find_cores.hpp"
#include "stages/deblend/shared_tree.hpp"
#include "stages/deblend/touching_rows.hpp"
#include "stages/detect/adjacency.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/detect/run_search.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

/// An island: a connected set of foreground pixels, before it is split. Several threads fill in the members
/// concurrently, with atomic operations.
struct IslandState {
  std::int64_t flux;  ///< sum of the pixels' values minus the sky, counted in `unit`
  std::int32_t pixels;
  std::uint32_t peak;    ///< ordered_key() of the largest pixel value minus the sky
  std::uint32_t lowest;  ///< ordered_key() of the lowest detection threshold of the island's pixels; used only if
                         ///< pixels have different thresholds
  float threshold;       ///< the lowest threshold minus the sky
  FluxUnit unit;
  std::int32_t may_divide;  ///< 1 if the island may be split, else 0; if 0, the members below are not used
  std::int32_t divided;     ///< 1 if the island is split, else 0
  /// `cores` is the number of the island's cores (parts that become sources). `first_core` is the index, from 0, of the
  /// first of these cores among the cores of all islands. `numbered` is the number of these cores that already have an
  /// index.
  std::int32_t cores, first_core, numbered;
};

/// A core: a part of an island that becomes a source. Several threads fill in the members concurrently, with atomic
/// operations.
struct CoreState {
  std::int32_t island;  ///< index of the island, from 0
  std::int32_t first;   ///< index of the core's first pixel in raster order
  std::int32_t above, above_half;
  std::uint32_t peak;  ///< ordered_key() of the core's largest value minus the sky in the measured image
  float level;
};

/// Deblending as a sequence of steps. A step is called once per run (stretch of foreground pixels of a row), island or
/// core, by many threads concurrently; the next step begins after all calls of the step have ended. If a step has the
/// parameters `lane` and `lanes`, `lanes` threads share each run: thread `lane`, counted from 0, handles every lanes-th
/// pixel.
/// - SharedIslands has the steps that find islands which may be split, and build their level trees.
/// - shared_cores.hpp has the steps that find the cores in the trees.
/// - shared_shares.hpp has the steps that give the pixels outside of cores to cores.
///
/// Arrays with one element per pixel hold the pixels of all runs in raster order, without the gaps between runs. A
/// pixel's number is its index in these arrays, less than 2^31. Elements are valid only for pixels of islands that may
/// be split.
///
/// The buffers have fixed sizes. Islands and cores beyond the end of their buffers are skipped. All runs are skipped if
/// the buffers are too small for their pixels. The host then starts deblending again with larger buffers.
struct SharedIslands {
  struct Rules {
    std::int32_t reach;  ///< 0 if only sides connect pixels, 1 if corners do too
    int thresholds;
    BranchRule branch;
    bool one_threshold;  ///< all pixels have the same detection threshold
  };
  /// Data of the nodes of the level trees (level_tree.hpp), in arrays with one element per pixel. A node uses the
  /// element of its root: its first pixel that has the node's level.
  struct Nodes {
    std::int64_t* flux;  ///< sum of the node's pixel values minus the sky, counted in IslandState::unit
    /// Number of pixels of the node. After SharedCores::own(), every element is instead the index of the pixel's core,
    /// or -1 if the pixel is in no core.
    std::int32_t* pixels;
    /// Number of the node's children that SharedCores::judge() has not yet handled. After SharedCores::number(), the
    /// index of the core if the node is a core.
    std::int32_t* children;
    std::uint32_t* state;  ///< bits, and the number of significant children; see SharedCores
  };

  const float *found, *measured;
  Shape shape;
  const Levels* levels;
  const Run* runs;
  std::int64_t run_room;
  const std::int64_t* row_begin;
  const std::int64_t* run_total;  ///< number of runs; 0 if the buffers are too small for their pixels
  /// Per run: number of pixels in earlier runs, which is the number of the run's first pixel.
  const std::uint32_t* first_pixel;
  const std::int32_t* label;
  Rules rules;

  std::int64_t island_room, core_room;
  IslandState* islands;
  float* island_levels;  ///< rules.thresholds levels per island
  std::uint8_t* level;
  std::int32_t* parent;
  Nodes nodes;
  CoreState* cores;
  CoreShape* shapes;
  std::int32_t* core_count;     ///< number of cores of all islands; may exceed core_room
  std::int32_t* divided_count;  ///< number of islands that are split

  SRCEXTRACT_HOST_DEVICE SharedTree tree() const { return {level, parent}; }
  SRCEXTRACT_HOST_DEVICE std::int64_t run_count() const { return *run_total < run_room ? *run_total : run_room; }
  /// Returns the island of a run; null if the run is in no island, or if the island lies beyond the end of `islands`.
  SRCEXTRACT_HOST_DEVICE IslandState* island_of(std::int64_t run) const {
    return label[run] > 0 && label[run] <= island_room ? islands + (label[run] - 1) : nullptr;
  }
  /// Returns the island of a run if the island may be split, else null.
  SRCEXTRACT_HOST_DEVICE IslandState* dividing(std::int64_t run) const {
    IslandState* const island = island_of(run);
    return island != nullptr && island->may_divide != 0 ? island : nullptr;
  }
  SRCEXTRACT_HOST_DEVICE IslandState* divided(std::int64_t run) const {
    IslandState* const island = dividing(run);
    return island != nullptr && island->divided != 0 ? island : nullptr;
  }
  SRCEXTRACT_HOST_DEVICE const float* levels_of(const IslandState& island) const {
    return island_levels + (&island - islands) * rules.thresholds;
  }
  /// Returns the number that must be added to the column of a pixel of this run to get the pixel's number.
  SRCEXTRACT_HOST_DEVICE std::int32_t to_pixel(std::int64_t run) const {
    return static_cast<std::int32_t>(first_pixel[run]) - runs[run].begin;
  }
  SRCEXTRACT_HOST_DEVICE const float* row_of(const float* image, std::int64_t run) const {
    return image + runs[run].y * shape.width;
  }
  SRCEXTRACT_HOST_DEVICE float above_sky(float value) const {
    return above_level(static_cast<double>(value), levels->background);
  }

  /// Calls body(number of the pixel, x) for the pixels of a run that thread `lane` of `lanes` handles. x is the column.
  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_pixel(std::int64_t run, int lane, int lanes, const Body& body) const {
    const Run of = runs[run];
    const std::int32_t to_pixel = static_cast<std::int32_t>(first_pixel[run]) - of.begin;
    for (std::int32_t x = of.begin + lane; x < of.end; x += lanes) body(to_pixel + x, x);
  }

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t island) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    IslandState& state = islands[island];
    state.pixels = state.may_divide = state.divided = state.cores = state.numbered = 0;
    state.flux = 0;
    state.peak = ordered_key(-infinity);
    state.lowest = ordered_key(infinity);
  }

  /// Updates an island's number of pixels, peak and lowest threshold by the pixels of a run. noise.at(x, y) must return
  /// the noise of a pixel. at() is called only if pixels have different thresholds.
  template <class Noise>
  SRCEXTRACT_HOST_DEVICE void survey(std::int64_t run, int lane, int lanes, const Noise& noise,
                                     CarriedSum<std::int32_t>& pixels) const {
    IslandState* const island = island_of(run);
    if (island == nullptr) return;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    float peak = -infinity, least = infinity;
    const std::int32_t y = runs[run].y;
    const float* const row = row_of(found, run);
    for_each_pixel(run, lane, lanes, [&](std::int32_t, std::int32_t x) {
      const float own = above_sky(row[x]);
      peak = peak < own ? own : peak;
      if (rules.one_threshold) return;
      const float rms = noise.at(x, y);
      least = rms < least ? rms : least;
    });
    if (lane == 0) pixels.add(&island->pixels, runs[run].end - runs[run].begin);
    shared_raise(&island->peak, ordered_key(peak));
    if (!rules.one_threshold) shared_lower(&island->lowest, ordered_key(level_above_noise(*levels, least)));
  }

  /// Computes the levels of an island and sets may_divide, if the island may be split. For that, the threshold must be
  /// above the sky, the peak must be finite, and there must be enough pixels for two branches and one pixel that joins
  /// the branches.
  SRCEXTRACT_HOST_DEVICE void plan(std::int64_t island) const {
    IslandState& state = islands[island];
    if (state.pixels < 2 * rules.branch.least_pixels + 1) return;
    const double lowest =
        rules.one_threshold ? levels->detection : static_cast<double>(value_of_ordered_key(state.lowest));
    state.threshold = above_level(lowest, levels->background);
    const float peak = value_of_ordered_key(state.peak);
    if (!(state.threshold > 0) || !std::isfinite(peak)) return;
    fill_levels(state.threshold, peak, rules.thresholds, island_levels + island * rules.thresholds);
    state.unit = FluxUnit(state.threshold, peak, state.pixels);
    state.may_divide = 1;
  }

  /// Sets the level of every pixel of a run, and makes every pixel a separate node of the tree.
  SRCEXTRACT_HOST_DEVICE void plant(std::int64_t run, int lane, int lanes) const {
    const IslandState* const island = dividing(run);
    if (island == nullptr) return;
    const float *const of_island = levels_of(*island), *const row = row_of(found, run);
    for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t x) {
      level[pixel] = level_of(above_sky(row[x]), of_island, rules.thresholds);
      parent[pixel] = pixel;
      nodes.flux[pixel] = 0;
      nodes.pixels[pixel] = nodes.children[pixel] = 0;
      nodes.state[pixel] = 0;
    });
  }

  /// Joins each pixel of a run, in the level tree, with the previous pixel of the run and with touching pixels of the
  /// row above.
  SRCEXTRACT_HOST_DEVICE void join(std::int64_t run, int lane, int lanes) const {
    if (dividing(run) == nullptr) return;
    const Run here = runs[run];
    const SharedTree own = tree();
    const std::int32_t to_here = to_pixel(run);
    for (std::int32_t x = here.begin + 1 + lane; x < here.end; x += lanes) own.join(to_here + x, to_here + x - 1);
    if (here.y == 0) return;
    const std::int64_t end = row_begin[here.y];
    std::int64_t above = first_not_before(runs, row_begin[here.y - 1], end, here, rules.reach);
    for (; above < end && touch(here, runs[above], rules.reach); ++above) {
      if (label[above] != label[run]) continue;  // the user's own label maps may have sources that touch
      const TouchingRows rows{here, runs[above], to_here, to_pixel(above), level};
      const std::int32_t last = rows.end(rules.reach);
      for (std::int32_t x = rows.begin(rules.reach) + lane; x < last; x += lanes)
        rows.join(x, rules.reach, [&](std::int32_t a, std::int32_t b) { own.join(a, b); });
    }
  }
};

}  // namespace srcextract
