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

/// Data of an island that many threads fill in together.
struct IslandState {
  std::int64_t flux;  ///< sum over all pixels, in FluxUnit units
  std::int32_t pixels;
  std::uint32_t peak;    ///< ordered_key of the largest value
  std::uint32_t lowest;  ///< ordered_key of the lowest threshold of its pixels; used if thresholds vary
  float threshold;       ///< above the sky
  FluxUnit unit;
  std::int32_t may_divide;                   ///< 1: may be split; the members below are valid only then
  std::int32_t divided;                      ///< 1: is split
  std::int32_t cores, first_core, numbered;  ///< first_core: number of the first core, counted over all islands
};

/// Data of a core that many threads fill in together.
struct CoreState {
  std::int32_t island;  ///< from 0
  std::int32_t first;   ///< first pixel in raster order
  std::int32_t above, above_half;
  std::uint32_t peak;  ///< ordered_key of its largest value in the measured image
  float level;
};

/// Deblending in steps that many threads execute at once. A thread handles one run after another, or, as lane `lane` of
/// `lanes`, every lanes-th pixel of a run. Every step is done for all runs, islands or cores before the next begins.
/// - Steps of islands: this file.
/// - Steps of their trees: shared_cores.hpp.
/// - Steps of pixels outside of cores: shared_shares.hpp.
///
/// Arrays of pixels hold the pixels of all runs in raster order, without the gaps between runs. A pixel's number is its
/// index there; there are less than 2^31. Only elements for islands that may be split are valid. Islands and cores for
/// which there is no room are left out, as are all runs if there is no room for their pixels; the host then starts
/// again with more room.
struct SharedIslands {
  struct Rules {
    std::int32_t reach;  ///< as in stages/detect/adjacency.hpp
    int thresholds;
    BranchRule branch;
    bool one_threshold;  ///< all pixels have one threshold
  };
  /// Arrays with one element per pixel. A node uses the element of its root pixel.
  struct Nodes {
    std::int64_t* flux;      ///< in FluxUnit units
    std::int32_t* pixels;    ///< number of pixels of the node; later, in every element, the core of the pixel or -1
    std::int32_t* children;  ///< number of children not yet judged; later, if the node is a core, the core's number
    std::uint32_t* state;    ///< bits and a count (SharedCores)
  };

  const float *found, *measured;
  Shape shape;
  const Levels* levels;
  const Run* runs;
  std::int64_t run_room;
  const std::int64_t* row_begin;
  const std::int64_t* run_total;     ///< number of runs; 0 if there is no room for their pixels
  const std::uint32_t* first_pixel;  ///< per run: the number of pixels in earlier runs
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
  std::int32_t* core_count;     ///< number of cores of all islands
  std::int32_t* divided_count;  ///< number of divided islands

  SRCEXTRACT_HOST_DEVICE SharedTree tree() const { return {level, parent}; }
  SRCEXTRACT_HOST_DEVICE std::int64_t run_count() const { return *run_total < run_room ? *run_total : run_room; }
  /// The island of a run; null if the run is in no island, or there is no room for the island.
  SRCEXTRACT_HOST_DEVICE IslandState* island_of(std::int64_t run) const {
    return label[run] > 0 && label[run] <= island_room ? islands + (label[run] - 1) : nullptr;
  }
  /// The island of a run if it may be split, else null.
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
  /// The difference of a pixel's number and its column, for pixels of this run.
  SRCEXTRACT_HOST_DEVICE std::int32_t to_pixel(std::int64_t run) const {
    return static_cast<std::int32_t>(first_pixel[run]) - runs[run].begin;
  }
  /// Points to the row of `image` that contains the run.
  SRCEXTRACT_HOST_DEVICE const float* row_of(const float* image, std::int64_t run) const {
    return image + runs[run].y * shape.width;
  }
  SRCEXTRACT_HOST_DEVICE float above_sky(float value) const {
    return above_level(static_cast<double>(value), levels->background);
  }

  /// Calls body(pixel, x) for those pixels of a run that lane `lane` handles; `pixel` is the number of the pixel.
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

  /// Counts the pixels of each island, and finds its peak and lowest threshold. noise.at(x, y) is called only if
  /// thresholds vary.
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

  /// Makes the levels of an island and sets may_divide, if its threshold is above the sky and it has enough pixels: two
  /// branches and a pixel that joins them.
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

  /// Sets the level of every pixel of a run, and makes it a node of its own.
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

  /// Joins neighbouring pixels of a run, and touching pixels of it and the row above.
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
      if (label[above] != label[run]) continue;  // labels drawn by hand may touch
      const TouchingRows rows{here, runs[above], to_here, to_pixel(above), level};
      const std::int32_t last = rows.end(rules.reach);
      for (std::int32_t x = rows.begin(rules.reach) + lane; x < last; x += lanes)
        rows.join(x, rules.reach, [&](std::int32_t a, std::int32_t b) { own.join(a, b); });
    }
  }
};

}  // namespace srcextract
