#include "stages/measure.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/measure_run.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t sources_per_piece = 256;

/// The runs of every source, each source's in raster order: those of label l are order[begin[l - 1] .. begin[l]).
struct RunsBySource {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> order;
};

RunsBySource group_runs(const Components<Cpu>& components) {
  RunsBySource by_source;
  by_source.begin.assign(static_cast<std::size_t>(components.count) + 1, 0);
  for (const std::int32_t label : components.label) {
    if (label > 0) ++by_source.begin[static_cast<std::size_t>(label)];
  }
  for (std::size_t l = 1; l < by_source.begin.size(); ++l) by_source.begin[l] += by_source.begin[l - 1];
  by_source.order.resize(static_cast<std::size_t>(by_source.begin.back()));
  std::vector<std::int64_t> next = by_source.begin;
  for (std::int64_t i = 0; i < components.label.size(); ++i) {
    const std::int32_t label = components.label[i];
    if (label > 0) {
      by_source.order[static_cast<std::size_t>(next[static_cast<std::size_t>(label) - 1]++)] =
          static_cast<std::int32_t>(i);
    }
  }
  return by_source;
}

Extent extent_of(const Runs<Cpu>& runs, std::span<const std::int32_t> members) {
  const Run& first = runs.runs[members.front()];
  Extent extent{first.begin, first.end - 1, first.y, runs.runs[members.back()].y};
  for (const std::int32_t member : members) {
    extent.xmin = std::min(extent.xmin, runs.runs[member].begin);
    extent.xmax = std::max(extent.xmax, runs.runs[member].end - 1);
  }
  return extent;
}

}  // namespace

Buffer<SourceSums, Cpu> measure_sources(const Image<float, Cpu>& image, const Runs<Cpu>& runs,
                                        const Components<Cpu>& components, double background, bool any_masked,
                                        const Cpu& where) {
  const RunsBySource by_source = group_runs(components);
  Buffer<SourceSums, Cpu> sums(components.count, where);
  parallel_for(components.count, sources_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t source = begin; source < end; ++source) {
      const auto first = by_source.begin[static_cast<std::size_t>(source)];
      const auto last = by_source.begin[static_cast<std::size_t>(source) + 1];
      const std::span members(by_source.order.data() + first, static_cast<std::size_t>(last - first));
      const Extent extent = extent_of(runs, members);
      Fold<SourceSums> fold;
      for (const std::int32_t member : members) {
        fold.push(measure_run(image.pixels.data(), image.shape.width, image.shape.height, runs.runs[member], extent,
                              background, any_masked));
      }
      sums[source] = fold.total();
    }
  });
  return sums;
}

}  // namespace srcextract
