#include "stages/clean/find_limits.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "stages/clean/clean_limit.hpp"
#include "stages/clean/pixel_order.hpp"
#include "stages/core/parallel.hpp"
#include "stages/deblend/pixel_thresholds.hpp"
#include "stages/detect/adjacency.hpp"
#include "stages/detect/pixels_of_runs.hpp"
#include "stages/detect/runs_by_source.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t islands_together = 64;
constexpr std::int64_t runs_together = 64;

using Members = RunsBySource::Members;

/// The sources of each island (connected foreground pixels before deblending). Sources and islands are numbered from 0.
/// Island i has the sources source[begin[i]] to source[begin[i + 1] - 1].
struct SourcesByIsland {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> source;

  /// The sources of an island. Empty without deblending, where the island is the source.
  std::span<const std::int32_t> of(std::int64_t island) const {
    if (begin.empty()) return {};
    const auto i = static_cast<std::size_t>(island);
    return std::span(source).subspan(static_cast<std::size_t>(begin[i]),
                                     static_cast<std::size_t>(begin[i + 1] - begin[i]));
  }
};

SourcesByIsland group_sources(const Uncleaned<Cpu>& sources) {
  SourcesByIsland group;
  if (!sources.deblended()) return group;
  const auto islands = static_cast<std::size_t>(sources.islands.counts->kept);
  const auto island_of = [&](std::int64_t source) {
    return static_cast<std::size_t>(sources.parentage[source].parent);
  };
  const std::int64_t count = sources.parentage.size();
  group.begin.assign(islands + 1, 0);
  for (std::int64_t source = 0; source < count; ++source) ++group.begin[island_of(source)];
  for (std::size_t i = 1; i < group.begin.size(); ++i) group.begin[i] += group.begin[i - 1];
  group.source.resize(static_cast<std::size_t>(count));
  std::vector<std::int64_t> next(group.begin);
  for (std::int64_t source = 0; source < count; ++source)
    group.source[static_cast<std::size_t>(next[island_of(source) - 1]++)] = static_cast<std::int32_t>(source);
  return group;
}

/// Returns the limit of a source, given the heights of its pixels in SExtractor's order. `m` is the minimum area;
/// `heap` is scratch memory.
float limit_of(const std::vector<float>& heights, std::int64_t m, std::vector<float>& heap) {
  const auto count = std::ssize(heights);
  if (count < m) return 0;
  if (count == m) return heights.front();
  const auto height_of = [&](std::int64_t i) { return heights[static_cast<std::size_t>(i)]; };
  if (m <= most_in_closed_form) return limit_in_closed_form(count, static_cast<int>(m), height_of);
  heap.assign(heights.begin(), heights.begin() + m);
  std::ranges::sort(heap);
  return limit_by_heap(count, m, height_of, heap.data());
}

/// Per pixel of the islands, in raster order: the number, from 1, of the source that deblending assigned the pixel to.
/// 0 for pixels in cores (the pixels of a source before that assignment).
Buffer<std::int32_t, Cpu> owners_of_leftovers(const Uncleaned<Cpu>& sources, std::int64_t pixels, const Cpu& where) {
  Buffer<std::int32_t, Cpu> owner(pixels, where);
  const auto fill = [&](const Runs<Cpu>& runs, const auto& owner_of_run) {
    const Buffer<std::int64_t, Cpu> first = first_pixels(runs, where);
    parallel_for(runs.runs.size(), runs_together, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        owner_of_run(i, owner.begin() + first[i], owner.begin() + first[i + 1]);
    });
  };
  fill(sources.runs,
       [&](std::int64_t i, auto* begin, auto* end) { std::fill(begin, end, sources.components.label[i]); });
  fill(sources.cores.runs, [&](std::int64_t i, auto* begin, auto* end) {
    if (sources.cores.cores.label[i] != 0) std::fill(begin, end, 0);
  });
  return owner;
}

/// Finds the limits of all sources of an island at a time. Each thread has its own LimitFinder.
class LimitFinder {
 public:
  struct Foreground {
    Buffer<std::int64_t, Cpu> first_of_island, first_of_core;  ///< per run: number of pixels in earlier runs
    Buffer<float, Cpu> heights;
    Buffer<std::int32_t, Cpu> leftovers;
    SourcesByIsland by_island;
    RunsBySource runs_of_islands, runs_of_cores;
  };

  LimitFinder(const Uncleaned<Cpu>& sources, const Foreground& foreground, const DetectionConfig& config)
      : sources_(sources), foreground_(foreground), reach_(reach_of(config.connectivity)), min_area_(config.min_area) {}

  void find(std::int64_t island, Buffer<float, Cpu>& limits) {
    const std::span<const std::int32_t> sources = foreground_.by_island.of(island);
    if (!sources.empty() && sources_.parentage[sources.front()].split != 0) {
      find_of_split(sources, island, limits);
      return;
    }
    heights_.resize(std::max<std::size_t>(heights_.size(), 1));
    heights_[0].clear();
    sort_pixels(sources_.island_runs, foreground_.first_of_island, foreground_.runs_of_islands.members(island),
                [&](std::int64_t begin, std::int64_t end) { append_heights(begin, end, heights_[0]); });
    limits[sources.empty() ? island : sources.front()] = limit_of(heights_[0], min_area_, heap_);
  }

 private:
  /// Finds the limits of the sources of an island that deblending split. `sources` is in ascending order.
  void find_of_split(std::span<const std::int32_t> sources, std::int64_t island, Buffer<float, Cpu>& limits) {
    heights_.resize(std::max(heights_.size(), sources.size()));
    for (std::size_t k = 0; k < sources.size(); ++k) {
      heights_[k].clear();
      sort_pixels(sources_.cores.runs, foreground_.first_of_core, foreground_.runs_of_cores.members(sources[k]),
                  [&](std::int64_t begin, std::int64_t end) { append_heights(begin, end, heights_[k]); });
    }
    sort_pixels(sources_.island_runs, foreground_.first_of_island, foreground_.runs_of_islands.members(island),
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t pixel = begin; pixel < end;) {
                    const std::int64_t first = pixel;
                    const std::int32_t owner = foreground_.leftovers[first];
                    while (++pixel < end && foreground_.leftovers[pixel] == owner) continue;
                    if (owner == 0) continue;
                    const auto k = std::ranges::lower_bound(sources, owner - 1) - sources.begin();
                    append_heights(first, pixel, heights_[static_cast<std::size_t>(k)]);
                  }
                });
    for (std::size_t k = 0; k < sources.size(); ++k) limits[sources[k]] = limit_of(heights_[k], min_area_, heap_);
  }

  void append_heights(std::int64_t begin, std::int64_t end, std::vector<float>& to) const {
    to.insert(to.end(), foreground_.heights.begin() + begin, foreground_.heights.begin() + end);
  }

  /// Calls body(begin, end) for each range of consecutive pixels, in SExtractor's order. The runs `members` must be
  /// connected. `begin` and `end` count pixels of `runs` in raster order.
  template <class Body>
  void sort_pixels(const Runs<Cpu>& runs, const Buffer<std::int64_t, Cpu>& first, Members members, const Body& body) {
    runs_.clear();
    for (const std::int32_t run : members) runs_.push_back(runs.runs[run]);
    for (const PixelOrder::Piece& piece : order_.sort(runs_, reach_)) {
      const std::int32_t run = members[static_cast<std::size_t>(piece.index)];
      const std::int64_t to_pixel = first[run] - runs.runs[run].begin;
      body(to_pixel + piece.begin, to_pixel + piece.end);
    }
  }

  const Uncleaned<Cpu>& sources_;
  const Foreground& foreground_;
  std::int32_t reach_;
  std::int64_t min_area_;
  PixelOrder order_;
  std::vector<Run> runs_;
  std::vector<std::vector<float>> heights_;
  std::vector<float> heap_;
};

}  // namespace

Buffer<float, Cpu> find_limits(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources,
                               const DetectionConfig& config, const Cpu& where) {
  LimitFinder::Foreground foreground;
  foreground.first_of_island = first_pixels(sources.island_runs, where);
  foreground.heights = heights_above(images, sources.island_runs, foreground.first_of_island, where);
  foreground.runs_of_islands = group_runs(sources.islands, where);
  if (sources.deblended()) {
    foreground.by_island = group_sources(sources);
    foreground.first_of_core = first_pixels(sources.cores.runs, where);
    foreground.runs_of_cores = group_runs(sources.cores.cores, where);
    foreground.leftovers = owners_of_leftovers(sources, foreground.heights.size(), where);
  }
  Buffer<float, Cpu> limits(sources.components.counts->kept, where);
  parallel_for(sources.islands.counts->kept, islands_together, where, [&](std::int64_t begin, std::int64_t end) {
    LimitFinder finder(sources, foreground, config);
    for (std::int64_t island = begin; island < end; ++island) finder.find(island, limits);
  });
  return limits;
}

}  // namespace srcextract
