#include "stages/deblend/split_islands.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/deblend/core_shape.hpp"
#include "stages/deblend/find_cores.hpp"
#include "stages/deblend/pixel_thresholds.hpp"
#include "stages/detect/adjacency.hpp"

namespace srcextract {
namespace {

using Members = RunsBySource::Members;

/// Number of pixels that find_levels() compares at a time, in one or a few vector registers.
constexpr std::int64_t together = 16;

/// Does the same as level_of() for every value: counts the levels below the value, except levels[0]. The arrays `value`
/// and `to` must have space for `count` rounded up to a multiple of `together`.
SRCEXTRACT_VECTOR_CLONES void find_levels(const float* value, std::int64_t count, const float* levels, int level_count,
                                          std::uint8_t* to) {
  using Values [[gnu::vector_size(together * sizeof(float))]] = float;
  using Counts [[gnu::vector_size(together * sizeof(std::int32_t))]] = std::int32_t;
  for (std::int64_t first = 0; first < count; first += together) {
    Values values;
    std::memcpy(&values, value + first, sizeof(values));
    Counts above{};
    for (int level = 1; level < level_count; ++level) above -= values > levels[level];
    for (std::int64_t i = 0; i < together; ++i) to[first + i] = static_cast<std::uint8_t>(above[i]);
  }
}

/// Splits islands (connected sets of foreground pixels) into cores (parts that become sources), one island at a time.
/// Memory is kept for the next island.
class IslandSplitter {
 public:
  IslandSplitter(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Buffer<float, Cpu>& lowest,
                 const Settings& config)
      : images_(images),
        runs_(runs),
        lowest_(lowest),
        reach_(reach_of(config.detection.connectivity)),
        thresholds_(static_cast<int>(config.deblend.thresholds)),
        rule_(branch_rule(config)),
        places_(config.deblend.clean) {}

  /// Splits the island with this label. Appends the island to `to` if it becomes several sources.
  void split(std::int32_t label, Members members, SplitIslands& to) {
    gather_runs(members);
    // With so few pixels, two branches and a pixel that joins them are impossible.
    if (island_.pixels() < 2 * rule_.least_pixels + 1) return;
    const float threshold = above_sky(threshold_of(members));
    if (!(threshold > 0)) return;
    const float peak = gather_values();
    if (!std::isfinite(peak)) return;  // the difference of peak and sky exceeds the largest float
    float levels[most_levels];
    fill_levels(threshold, peak, thresholds_, levels);
    island_.level.make_room(island_.pixels() + together);
    find_levels(island_.value.begin(), island_.pixels(), levels, thresholds_, island_.level.begin());
    builder_.build(island_, reach_, tree_);
    finder_.find(island_, tree_, levels, FluxUnit(threshold, peak, island_.pixels()), rule_, places_, cores_);
    if (cores_.level.size() == 0) return;
    to.islands.push_back({label, threshold, std::ssize(to.pieces), std::ssize(to.core_level)});
    append_pieces(members, to);
    for (const std::uint8_t level : cores_.level) to.core_level.push_back(levels[level]);
    if (places_) to.core_place.insert(to.core_place.end(), cores_.place.begin(), cores_.place.end());
  }

 private:
  float above_sky(double value) const { return above_level(value, images_.levels->background); }

  double threshold_of(Members members) const {
    if (lowest_.empty()) return images_.levels->detection;
    float lowest = lowest_[members.front()];
    for (const std::int32_t run : members) lowest = std::min(lowest, lowest_[run]);
    return static_cast<double>(lowest);
  }

  void gather_runs(Members members) {
    island_.runs.clear();
    island_.first.clear();
    std::int64_t pixels = 0;
    for (const std::int32_t run : members) {
      island_.runs.push_back(runs_.runs[run]);
      island_.first.push_back(static_cast<std::int32_t>(pixels));
      pixels += runs_.runs[run].end - runs_.runs[run].begin;
    }
    if (pixels > std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorKind::input, "the threshold leaves one source of " + std::to_string(pixels) +
                                        " pixels, more than 2^31, which cannot be deblended; raise "
                                        "detection.threshold, or set deblend.method to none");
    island_.first.push_back(static_cast<std::int32_t>(pixels));
  }

  /// Fills in island_.value; returns the largest value. `together` more elements are allocated for find_levels().
  float gather_values() {
    island_.value.make_room(island_.pixels() + together);
    std::fill(island_.value.end() - together, island_.value.end(), 0.0F);
    float* value = island_.value.begin();
    float peak = -std::numeric_limits<float>::infinity();
    const HeldRows held(images_.found, island_.runs[0].y, island_.runs[island_.runs.size() - 1].y + 1);
    for (const Run& run : island_.runs) {
      const float* row = images_.found.pixels.data() + run.y * images_.found.shape.width;
      for (std::int64_t x = run.begin; x < run.end; ++x) {
        *value = above_sky(static_cast<double>(row[x]));
        peak = std::max(peak, *value++);
      }
    }
    return peak;
  }

  void append_pieces(Members members, SplitIslands& to) const {
    const auto first_core = static_cast<std::int32_t>(to.core_level.size());
    for (std::int64_t i = 0; i < island_.runs.size(); ++i) {
      const std::int32_t run = members[static_cast<std::size_t>(i)];
      const std::int32_t to_x = island_.runs[i].begin - island_.first[i], end = island_.first[i + 1];
      for (std::int32_t pixel = island_.first[i]; pixel < end;) {
        const std::int32_t first = pixel, owner = cores_.owner[pixel];
        while (++pixel < end && cores_.owner[pixel] == owner) continue;
        to.pieces.push_back({run, to_x + first, to_x + pixel, owner < 0 ? owner : first_core + owner});
      }
    }
  }

  const DeblendImages<Cpu>& images_;
  const Runs<Cpu>& runs_;
  const Buffer<float, Cpu>& lowest_;
  std::int32_t reach_;
  int thresholds_;
  BranchRule rule_;
  bool places_;
  Island island_;
  LevelTree tree_;
  LevelTreeBuilder builder_;
  CoreFinder finder_;
  Cores cores_;
};

/// Concatenates the results of several splitters, and adds the offsets that indices then need.
SplitIslands join(const std::vector<SplitIslands>& parts) {
  SplitIslands all;
  for (const SplitIslands& part : parts) {
    const std::int64_t pieces = std::ssize(all.pieces), cores = std::ssize(all.core_level);
    for (SplitIsland island : part.islands) {
      island.first_piece += pieces;
      island.first_core += cores;
      all.islands.push_back(island);
    }
    for (Piece piece : part.pieces) {
      if (piece.owner >= 0) piece.owner += static_cast<std::int32_t>(cores);
      all.pieces.push_back(piece);
    }
    all.core_level.insert(all.core_level.end(), part.core_level.begin(), part.core_level.end());
    all.core_place.insert(all.core_place.end(), part.core_place.begin(), part.core_place.end());
  }
  return all;
}

}  // namespace

SplitIslands split_islands(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Components<Cpu>& components,
                           const Settings& config, const Cpu& where) {
  const RunsBySource by_source = group_runs(components, where);
  const Buffer<float, Cpu> lowest = lowest_thresholds(images, runs, where);
  const std::int64_t islands = components.counts->kept;
  std::vector<SplitIslands> parts(static_cast<std::size_t>((islands + islands_per_piece - 1) / islands_per_piece));
  parallel_for(islands, islands_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    IslandSplitter splitter(images, runs, lowest, config);
    SplitIslands& part = parts[static_cast<std::size_t>(begin / islands_per_piece)];
    for (std::int64_t island = begin; island < end; ++island)
      splitter.split(static_cast<std::int32_t>(island + 1), by_source.members(island), part);
  });
  return join(parts);
}

}  // namespace srcextract
