#pragma once

#include "stages/deblend/claim_rules.hpp"
#include "stages/deblend/shared_islands.hpp"

namespace srcextract {

/// A box around the centroids of cores (parts of an island that become sources) with consecutive indices, and limits of
/// their Gaussians. bound() returns an upper limit of the worth (claim_rules.hpp) of all these cores at the pixel (x,
/// y).
struct CoreBox {
  double x_least, x_most, y_least, y_most;
  double ln_amplitude;  ///< largest CoreShape::ln_amplitude of the cores
  double least;         ///< smallest CoreShape::least of the cores

  template <class Rule>
  SRCEXTRACT_HOST_DEVICE double bound(double x, double y) const {
    const double dx = beyond(x, x_least, x_most), dy = beyond(y, y_least, y_most);
    return Rule::bound(ln_amplitude, least * (dx * dx + dy * dy));
  }
};

/// Steps that give each pixel of a split island to a core (claims.hpp), and cut runs (stretches of foreground pixels of
/// a row) into pieces where the core changes. The parameters `run`, `lane` and `lanes` are as in SharedIslands.
class SharedShares {
 public:
  /// Number of cores in a box: box k holds cores k box_cores to (k + 1) box_cores - 1.
  static constexpr std::int32_t box_cores = 32;

  SRCEXTRACT_HOST_DEVICE SharedShares(const SharedIslands& all, CoreBox* boxes) : all_(all), boxes_(boxes) {}

  /// Finds the largest value of each core in the measured image, and counts the core's pixels above CoreState::level.
  SRCEXTRACT_HOST_DEVICE void count_above(std::int64_t run, int lane, int lanes,
                                          CarriedSum<std::int32_t>& above) const {
    for_each_of_core(run, lane, lanes, [&](CoreState& core, float value) {
      if (value == value) shared_raise(&core.peak, ordered_key(value));
      if (value > core.level) above.add(&core.above, 1);
    });
  }

  /// Counts the pixels above the mean of the core's level and peak. May be called only after count_above.
  SRCEXTRACT_HOST_DEVICE void count_above_half(std::int64_t run, int lane, int lanes,
                                               CarriedSum<std::int32_t>& above) const {
    for_each_of_core(run, lane, lanes, [&](CoreState& core, float value) {
      if (value > counts_of(core).half_way()) above.add(&core.above_half, 1);
    });
  }

  /// Computes the Gaussian of core `index`. sums[index] must have the sums over the core's pixels in the image in which
  /// sources were found.
  SRCEXTRACT_HOST_DEVICE void shape(std::int64_t index, const SourceSums* sums) const {
    const CoreState& core = all_.cores[index];
    const IsophoteCounts counts = counts_of(core);
    all_.shapes[index] =
        shape_of(sums[index], above_level(static_cast<double>(sums[index].peak), all_.levels->background),
                 all_.rules.one_threshold ? &counts : nullptr, all_.islands[core.island].threshold);
  }

  SRCEXTRACT_HOST_DEVICE std::int64_t box_count() const { return (cores_there() + box_cores - 1) / box_cores; }

  SRCEXTRACT_HOST_DEVICE void fill_box(std::int64_t index) const {
    const std::int64_t first = index * box_cores;
    const std::int64_t last = first + box_cores < cores_there() ? first + box_cores : cores_there();
    const CoreShape& any = all_.shapes[first];
    CoreBox box{any.x, any.x, any.y, any.y, any.ln_amplitude, any.least};
    for (std::int64_t k = first + 1; k < last; ++k) {
      const CoreShape& core = all_.shapes[k];
      box.x_least = core.x < box.x_least ? core.x : box.x_least;
      box.x_most = core.x > box.x_most ? core.x : box.x_most;
      box.y_least = core.y < box.y_least ? core.y : box.y_least;
      box.y_most = core.y > box.y_most ? core.y : box.y_most;
      box.ln_amplitude = core.ln_amplitude > box.ln_amplitude ? core.ln_amplitude : box.ln_amplitude;
      box.least = core.least < box.least ? core.least : box.least;
    }
    boxes_[index] = box;
  }

  /// Gives each pixel of a run that is in no core to the core of the largest worth (claim_rules.hpp).
  SRCEXTRACT_HOST_DEVICE void share(std::int64_t run, int lane, int lanes) const {
    const IslandState* const island = all_.divided(run);
    if (island == nullptr || island->first_core >= all_.core_room) return;
    const std::int32_t y = all_.runs[run].y;
    std::int32_t likely = island->first_core;
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t x) {
      std::int32_t& owner = all_.nodes.pixels[pixel];
      if (owner >= 0) return;
      std::int32_t best = best_claim<MostProbable>(*island, x, y, likely);
      if (best < 0) best = best_claim<LeastClaim>(*island, x, y, likely);
      // best is -1 only if the cores lie beyond the end of the buffers; the host then starts again.
      owner = likely = best < 0 ? island->first_core : best;
    });
  }

  /// Calls emit(begin, end, core) for all pieces of a run of a split island, from left to right. A piece is a stretch
  /// of pixels of the same core, in the columns [begin, end). core is -1 outside of cores.
  template <class Emit>
  SRCEXTRACT_HOST_DEVICE void for_each_piece(std::int64_t run, const Emit& emit) const {
    const Run of = all_.runs[run];
    const std::int32_t* const owner = all_.nodes.pixels + all_.to_pixel(run);
    std::int32_t begin = of.begin, core = owner[begin];
    for (std::int32_t x = begin + 1; x < of.end; ++x) {
      const std::int32_t next = owner[x];
      if (next == core) continue;
      emit(begin, x, core);
      begin = x;
      core = next;
    }
    emit(begin, of.end, core);
  }

  /// As for_each_piece(), but only for pieces in cores. Does nothing if the island is not split.
  template <class Emit>
  SRCEXTRACT_HOST_DEVICE void for_each_core_piece(std::int64_t run, const Emit& emit) const {
    if (all_.divided(run) == nullptr) return;
    for_each_piece(run, [&](std::int32_t begin, std::int32_t end, std::int32_t core) {
      if (core >= 0) emit(begin, end, core);
    });
  }

  /// Calls emit(begin, end, source) for the pieces of a run. May be called only after share(). `source` is the index of
  /// an island that stays whole if it is below island_room. island_room + k means core k. -1 means no source.
  template <class Emit>
  SRCEXTRACT_HOST_DEVICE void for_each_source_piece(std::int64_t run, const Emit& emit) const {
    const auto island_room = static_cast<std::int32_t>(all_.island_room);
    if (all_.divided(run) != nullptr) {
      for_each_piece(run, [&](std::int32_t begin, std::int32_t end, std::int32_t core) {
        emit(begin, end, core < 0 ? -1 : island_room + core);
      });
    } else {
      emit(all_.runs[run].begin, all_.runs[run].end, all_.island_of(run) != nullptr ? all_.label[run] - 1 : -1);
    }
  }

 private:
  struct Best {
    double worth = no_worth;
    std::int32_t core = -1;
  };

  SRCEXTRACT_HOST_DEVICE std::int64_t cores_there() const {
    return *all_.core_count < all_.core_room ? *all_.core_count : all_.core_room;
  }

  SRCEXTRACT_HOST_DEVICE static IsophoteCounts counts_of(const CoreState& core) {
    return {core.level, value_of_ordered_key(shared_load(&core.peak)), core.above, core.above_half};
  }

  /// Calls body(core, value) for the pixels of a run that are in cores. `value` is the pixel's value in the measured
  /// image minus the sky.
  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_of_core(std::int64_t run, int lane, int lanes, const Body& body) const {
    if (all_.divided(run) == nullptr) return;
    const float* const row = all_.row_of(all_.measured, run);
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t x) {
      const std::int32_t core = all_.nodes.pixels[pixel];
      if (core >= 0) body(all_.cores[core], all_.above_sky(row[x]));
    });
  }

  /// Stores `core` in `best` if its worth at (x, y) is larger than best.worth. If both are equal, the core whose first
  /// pixel comes first in raster order wins.
  template <class Rule>
  SRCEXTRACT_HOST_DEVICE void look_at(std::int32_t core, double x, double y, Best& best) const {
    const CoreShape& shape = all_.shapes[core];
    const double worth = Rule::worth(shape, shape.claim(x, y));
    if (worth < best.worth || worth == no_worth) return;
    if (worth == best.worth && all_.cores[core].first >= all_.cores[best.core].first) return;
    best = {worth, core};
  }

  /// Returns the index of the core with the largest worth at (x, y), or -1 if no core can claim the pixel. A box of
  /// cores is skipped if the box's bound is below the largest worth found so far. The core `likely` is tried first, so
  /// that more boxes are skipped.
  template <class Rule>
  SRCEXTRACT_HOST_DEVICE std::int32_t best_claim(const IslandState& island, double x, double y,
                                                 std::int32_t likely) const {
    Best best;
    std::int32_t core = island.first_core;
    const auto room = static_cast<std::int32_t>(all_.core_room);
    const std::int32_t end = island.cores < room - core ? core + island.cores : room;
    if (end - core > 2 * box_cores) look_at<Rule>(likely, x, y, best);
    while (core < end) {
      const std::int32_t box = core / box_cores;
      const bool has_whole = core % box_cores == 0 && core + box_cores <= end && island.cores > 2 * box_cores;
      const std::int32_t next = end < (box + 1) * box_cores ? end : (box + 1) * box_cores;
      if (has_whole) {
        const double most = boxes_[box].template bound<Rule>(x, y);
        if (most < best.worth || most == no_worth) {
          core = next;
          continue;
        }
      }
      for (; core < next; ++core) look_at<Rule>(core, x, y, best);
    }
    return best.core;
  }

  SharedIslands all_;
  CoreBox* boxes_;
};

}  // namespace srcextract
