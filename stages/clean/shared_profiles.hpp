#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "stages/clean/candidate_of.hpp"
#include "stages/core/atomics.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/deblend/core_shape.hpp"
#include "stages/deblend/shared_steps.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

/// Data of a source, collected by several threads. Each thread adds some of the source's runs (consecutive pixels of
/// one row).
struct SourceState {
  std::uint32_t peak;    ///< ordered_key() of the largest value minus the sky in the measured image
  std::uint32_t lowest;  ///< ordered_key() of the lowest threshold of the source's pixels; used if thresholds vary
  std::int32_t above, above_half;  ///< numbers of pixels above the threshold and above IsophoteCounts::half_way()
};

/// Steps that compute the CleanCandidate of each source when its limit is known. The steps also find the index of each
/// source in SExtractor's order. Islands (connected foreground pixels) are ordered by their last pixels; within an
/// island, sources have the order that deblending gives them.
template <class Noise>
struct SharedProfiles {
  SRCEXTRACT_STEP(clear)
  SRCEXTRACT_STEP(find_last)
  SRCEXTRACT_STEP(count_inside)
  SRCEXTRACT_STEP(count_ended)
  SRCEXTRACT_STEP(survey)
  SRCEXTRACT_STEP(count_half)
  SRCEXTRACT_STEP(fill)

  const Run *runs, *island_runs;
  const std::int32_t *label, *island_label;
  std::int64_t source_room, island_room;
  const Parentage* parentage;  ///< null without deblending
  /// per source: its index in the island, in SExtractor's order; null without deblending
  const std::int32_t* place_inside;
  const SourceSums* sums;
  const float* measured;
  RowsOnDemand* measured_rows;  ///< null if the whole image is in memory
  Shape shape;
  const Levels* levels;
  Noise noise;
  bool varies;
  double beta;
  std::int64_t max_area;  ///< larger sources are removed; 0: no source is removed
  SourceState* states;
  std::int32_t* last_run;  ///< per island: index of its last run; -1 before the step find_last
  std::int32_t* inside;    ///< per island: number of its sources
  /// per run: number of sources of the island whose last run it is; later number of sources in all islands that end in
  /// earlier runs
  std::uint32_t* before;
  const float* limits;
  CleanCandidate* candidates;

  /// Holds the rows of images on demand that a step reads for the items [begin, end). Used on the host only.
  template <class Step>
  HeldRows rows(std::int64_t begin, std::int64_t end) const {
    if (!std::is_same_v<Step, survey_step> && !std::is_same_v<Step, count_half_step>) return {};
    RowsOnDemand* read = measured_rows;
    if constexpr (requires { noise.variance->rows; })
      if (varies) read = noise.variance != nullptr ? noise.variance->rows.get() : nullptr;
    return {read, runs[begin].y, runs[end - 1].y + 1};
  }

  SRCEXTRACT_HOST_DEVICE Parentage parentage_of_source(std::int64_t source) const {
    return parentage != nullptr ? parentage[source] : parentage_of_whole(static_cast<std::int32_t>(source + 1));
  }
  /// Whether a source is removed because of its size. CLEAN ignores removed sources.
  SRCEXTRACT_HOST_DEVICE bool is_dropped(std::int64_t source) const {
    return max_area > 0 && sums[source].npix > max_area;
  }
  /// The index of a source's island, from 0; -1 if the buffers are too small for the island.
  SRCEXTRACT_HOST_DEVICE std::int64_t island_of(std::int64_t source) const {
    const std::int64_t island = parentage_of_source(source).parent - std::int64_t{1};
    return island >= 0 && island < island_room && last_run[island] >= 0 ? island : -1;
  }
  SRCEXTRACT_HOST_DEVICE std::int32_t last_row(std::int64_t source) const {
    const std::int64_t island = island_of(source);
    return island < 0 ? 0 : island_runs[last_run[island]].y;
  }

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t source) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    states[source] = {ordered_key(-infinity), ordered_key(infinity), 0, 0};
  }

  SRCEXTRACT_HOST_DEVICE void find_last(std::int64_t run) const {
    const std::int32_t island = island_label[run];
    if (island > 0 && island <= island_room) shared_raise(&last_run[island - 1], static_cast<std::int32_t>(run));
  }
  SRCEXTRACT_HOST_DEVICE void count_inside(std::int64_t source) const {
    const std::int64_t island = island_of(source);
    if (island >= 0) shared_add(&inside[island], 1);
  }
  SRCEXTRACT_HOST_DEVICE void count_ended(std::int64_t run) const {
    const std::int32_t island = island_label[run];
    const bool ends = island > 0 && island <= island_room && last_run[island - 1] == run;
    before[run] = ends ? static_cast<std::uint32_t>(inside[island - 1]) : 0;
  }

  /// Finds the brightest pixel of each source and counts its pixels above the threshold. If thresholds vary, finds the
  /// lowest threshold instead.
  SRCEXTRACT_HOST_DEVICE void survey(std::int64_t run) const {
    SourceState* const state = state_of(run);
    if (state == nullptr) return;
    if (varies) {
      float least = std::numeric_limits<float>::infinity();
      for (std::int32_t x = runs[run].begin; x < runs[run].end; ++x) {
        const float rms = noise.at(x, runs[run].y);
        least = rms < least ? rms : least;
      }
      shared_lower(&state->lowest, ordered_key(level_above_noise(*levels, least)));
      return;
    }
    const float level = one_threshold();
    float peak = -std::numeric_limits<float>::infinity();
    std::int32_t above = 0;
    for_each_value(run, [&](float value) {
      peak = peak < value ? value : peak;
      above += value > level ? 1 : 0;
    });
    shared_raise(&state->peak, ordered_key(peak));
    if (above > 0) shared_add(&state->above, above);
  }
  SRCEXTRACT_HOST_DEVICE void count_half(std::int64_t run) const {
    SourceState* const state = state_of(run);
    if (state == nullptr || varies) return;
    const float peak = value_of_ordered_key(shared_load(&state->peak));
    const float half_way = IsophoteCounts{one_threshold(), peak, 0, 0}.half_way();
    std::int32_t above = 0;
    for_each_value(run, [&](float value) { above += value > half_way ? 1 : 0; });
    if (above > 0) shared_add(&state->above_half, above);
  }

  SRCEXTRACT_HOST_DEVICE void fill(std::int64_t source) const {
    const SourceState& state = states[source];
    const IsophoteCounts counts = counts_of(state);
    const float threshold =
        varies ? above_level(static_cast<double>(value_of_ordered_key(state.lowest)), levels->background)
               : one_threshold();
    const std::int64_t island = island_of(source);
    const std::int32_t first = island < 0 ? 0 : static_cast<std::int32_t>(before[last_run[island]]);
    candidates[source] = candidate_of(sums[source], parentage_of_source(source),
                                      first + (place_inside != nullptr ? place_inside[source] : 0), limits[source],
                                      threshold, varies ? nullptr : &counts, beta, shape);
    // CLEAN ignores this source
    if (is_dropped(source)) candidates[source].profile.a = std::numeric_limits<float>::quiet_NaN();
  }

 private:
  SRCEXTRACT_HOST_DEVICE float one_threshold() const { return above_level(levels->detection, levels->background); }

  SRCEXTRACT_HOST_DEVICE SourceState* state_of(std::int64_t run) const {
    return label[run] > 0 && label[run] <= source_room ? states + (label[run] - 1) : nullptr;
  }

  SRCEXTRACT_HOST_DEVICE IsophoteCounts counts_of(const SourceState& state) const {
    return {one_threshold(), value_of_ordered_key(state.peak), state.above, state.above_half};
  }

  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_value(std::int64_t run, const Body& body) const {
    const Run& of = runs[run];
    const float* const row = measured + of.y * shape.width;
    for (std::int32_t x = of.begin; x < of.end; ++x) body(above_level(static_cast<double>(row[x]), levels->background));
  }
};

}  // namespace srcextract
