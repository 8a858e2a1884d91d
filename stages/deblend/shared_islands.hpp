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

/// What many threads find out of an island.
struct IslandState {
  std::int64_t flux;  ///< in units, over all of its pixels
  std::int32_t pixels;
  std::uint32_t peak;    ///< ordered_key of the largest value
  std::uint32_t lowest;  ///< of the lowest threshold of its pixels, where there are several
  float threshold;       ///< above the sky
  FluxUnit unit;
  std::int32_t may_divide;  ///< what is below is of those alone
  std::int32_t divided;
  std::int32_t cores, first_core, numbered;  ///< of those of all islands
};

/// What many threads find out of a core.
struct CoreState {
  std::int32_t island;  ///< from 0
  std::int32_t first;   ///< of its pixels, in raster order
  std::int32_t above, above_half;
  std::uint32_t peak;  ///< ordered_key of that in the image that is measured
  float level;
};

/// Deblending by many threads at once, of which each takes one run after another, or a part of its pixels: lane `lane`
/// of `lanes` takes every lanes-th. Every step is done with all runs, or islands, or cores, before the next begins.
/// Steps of islands are here, those of their trees in shared_cores.hpp, those of pixels in none in shared_shares.hpp.
///
/// What is of a pixel lies beside what is of the others of its run, run after run, so that what is of few pixels lies
/// together; pixels are numbered so, in raster order, and there are less than 2^31. It counts for those of islands that
/// may divide. Islands and cores that there is no room for are left out: the host begins again.
struct SharedIslands {
  struct Rules {
    std::int32_t reach;  ///< as in stages/detect/adjacency.hpp
    int thresholds;
    BranchRule branch;
    bool one_threshold;  ///< for all pixels
  };
  /// A node of the tree, at the pixel that is its root.
  struct Nodes {
    std::int64_t* flux;    ///< in units
    std::int32_t* pixels;  ///< then, of every pixel: its core, or -1
    std::int32_t* sons;    ///< that have not been judged; then the number of a core
    std::uint32_t* state;
  };

  const float *found, *measured;
  Shape shape;
  const Levels* levels;
  const Run* runs;
  std::int64_t run_room;
  const std::int64_t* row_begin;
  const std::uint32_t* first_pixel;  ///< of each run: the number of its first pixel
  const std::int32_t* label;
  Rules rules;

  std::int64_t island_room, core_room;
  IslandState* islands;
  float* island_levels;  ///< rules.thresholds of each
  std::uint8_t* level;
  std::int32_t* parent;
  Nodes nodes;
  CoreState* cores;
  CoreShape* shapes;
  std::int32_t* core_count;     ///< of all islands
  std::int32_t* divided_count;  ///< islands

  SRCEXTRACT_HOST_DEVICE SharedTree tree() const { return {level, parent}; }
  SRCEXTRACT_HOST_DEVICE std::int64_t run_count() const {
    return row_begin[shape.height] < run_room ? row_begin[shape.height] : run_room;
  }
  /// Of a run; null if there is none, or no room for it.
  SRCEXTRACT_HOST_DEVICE IslandState* island_of(std::int64_t run) const {
    return label[run] > 0 && label[run] <= island_room ? islands + (label[run] - 1) : nullptr;
  }
  /// The same if it may divide, or did.
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
  /// What is added to a column of a run to be the number of its pixel.
  SRCEXTRACT_HOST_DEVICE std::int32_t to_pixel(std::int64_t run) const {
    return static_cast<std::int32_t>(first_pixel[run]) - runs[run].begin;
  }
  /// Those of the image in the row of a run.
  SRCEXTRACT_HOST_DEVICE const float* row_of(const float* image, std::int64_t run) const {
    return image + runs[run].y * shape.width;
  }
  SRCEXTRACT_HOST_DEVICE float above_sky(float value) const {
    return above_level(static_cast<double>(value), levels->background);
  }

  /// body(pixel, x) of the lane's pixels of a run.
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

  /// Counts pixels, and finds peaks and thresholds. noise.at(x, y) is asked for where there are several thresholds.
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

  /// Makes the levels of an island, if it may be several sources: two branches and what joins them.
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

  /// Every pixel a node, by itself.
  SRCEXTRACT_HOST_DEVICE void plant(std::int64_t run, int lane, int lanes) const {
    const IslandState* const island = dividing(run);
    if (island == nullptr) return;
    const float *const of_island = levels_of(*island), *const row = row_of(found, run);
    for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t x) {
      level[pixel] = level_of(above_sky(row[x]), of_island, rules.thresholds);
      parent[pixel] = pixel;
      nodes.flux[pixel] = 0;
      nodes.pixels[pixel] = nodes.sons[pixel] = 0;
      nodes.state[pixel] = 0;
    });
  }

  /// Joins the pixels of a run, and these with those of the row above.
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
      if (label[above] != label[run]) continue;  // of labels that somebody drew, which may touch
      const TouchingRows rows{here, runs[above], to_here, to_pixel(above), level};
      const std::int32_t last = rows.end(rules.reach);
      for (std::int32_t x = rows.begin(rules.reach) + lane; x < last; x += lanes)
        rows.join(x, rules.reach, [&](std::int32_t a, std::int32_t b) { own.join(a, b); });
    }
  }
};

}  // namespace srcextract
