#include "stages/clean/clean_sources.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "stages/clean/find_eaters.hpp"
#include "stages/clean/find_limits.hpp"
#include "stages/clean/profile_of.hpp"
#include "stages/core/parallel.hpp"
#include "stages/deblend/pixel_thresholds.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/measure/area_correction.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t sources_per_piece = 256;

using Members = RunsBySource::Members;

/// The order in which SExtractor completes sources: islands by their last pixel in raster order, and within an island
/// as deblending orders them.
struct Completion {
  std::vector<std::int32_t> place;     ///< per source, from 0
  std::vector<std::int32_t> last_row;  ///< per source: last row of its island
};

Parentage parentage_of(const Uncleaned<Cpu>& sources, std::int64_t source) {
  if (sources.deblended()) return sources.parentage[source];
  return {0, 0, static_cast<std::int32_t>(source + 1), 0, 0};
}

Completion find_completion(const Uncleaned<Cpu>& sources) {
  const auto islands = static_cast<std::size_t>(sources.islands.counts->kept);
  const std::int64_t count = sources.components.counts->kept, runs = sources.island_runs.runs.size();
  std::vector<std::int32_t> last_run(islands + 1, 0), inside(islands + 1, 0), first(islands + 1, 0);
  const auto label_of = [&](std::int64_t run) { return static_cast<std::size_t>(sources.islands.label[run]); };
  for (std::int64_t run = 0; run < runs; ++run) last_run[label_of(run)] = static_cast<std::int32_t>(run);
  const auto island_of = [&](std::int64_t source) {
    return static_cast<std::size_t>(parentage_of(sources, source).parent);
  };
  for (std::int64_t source = 0; source < count; ++source) ++inside[island_of(source)];
  std::int32_t before = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::size_t label = label_of(run);
    if (label != 0 && last_run[label] == run) first[label] = std::exchange(before, before + inside[label]);
  }
  Completion completion;
  for (std::int64_t source = 0; source < count; ++source) {
    const std::size_t island = island_of(source);
    completion.place.push_back(first[island] + (sources.deblended() ? sources.cores.place[source] : 0));
    completion.last_row.push_back(sources.island_runs.runs[last_run[island]].y);
  }
  return completion;
}

/// Makes the profiles of sources.
class Profiler {
 public:
  Profiler(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, double beta, const Cpu& where)
      : images_(images),
        sources_(sources),
        beta_(beta),
        lowest_(lowest_thresholds(images, sources.runs, where)),
        by_source_(group_runs(sources.components, where)) {}

  CleanCandidate candidate(std::int64_t source, float limit, std::int32_t place) const {
    const SourceSums& sums = sources_.sums[source];
    const Members members = by_source_.members(source);
    const float threshold = threshold_of(members);
    const IsophoteCounts counts = lowest_.empty() ? count_pixels(members, threshold) : IsophoteCounts{};
    const CleanProfile profile = profile_of(sums, parentage_of(sources_, source), limit, threshold,
                                            lowest_.empty() ? &counts : nullptr, beta_, sources_.runs.shape);
    return {profile, sums.v, place};
  }

 private:
  float above_sky(double value) const { return static_cast<float>(value - images_.levels->background); }

  /// The lowest threshold of the source's pixels.
  float threshold_of(Members members) const {
    if (lowest_.empty()) return above_sky(images_.levels->detection);
    float lowest = lowest_[members.front()];
    for (const std::int32_t run : members) lowest = std::min(lowest, lowest_[run]);
    return above_sky(static_cast<double>(lowest));
  }

  /// Counts in the measured image.
  IsophoteCounts count_pixels(Members members, float level) const {
    IsophoteCounts counts{level, -std::numeric_limits<float>::infinity(), 0, 0};
    const auto for_each_pixel = [&](const auto& body) {
      for (const std::int32_t member : members) {
        const Run& run = sources_.runs.runs[member];
        const float* row = images_.measured.pixels.data() + run.y * images_.measured.shape.width;
        for (std::int32_t x = run.begin; x < run.end; ++x) body(above_sky(static_cast<double>(row[x])));
      }
    };
    for_each_pixel([&](float value) {
      counts.peak = std::max(counts.peak, value);
      counts.above += value > counts.level ? 1 : 0;
    });
    for_each_pixel([&](float value) { counts.above_half += value > counts.half_way() ? 1 : 0; });
    return counts;
  }

  const DeblendImages<Cpu>& images_;
  const Uncleaned<Cpu>& sources_;
  double beta_;
  Buffer<float, Cpu> lowest_;  ///< thresholds of runs, if they differ
  RunsBySource by_source_;
};

/// Numbers the sources left in raster order of their first pixels. `eaters` is the result of find_eaters. Returns the
/// former source of every number, from 0.
std::vector<std::int32_t> number_survivors(const Uncleaned<Cpu>& sources, std::span<const std::int32_t> eaters,
                                           Cleaned<Cpu>& cleaned, const Cpu& where) {
  std::vector<std::int32_t> number(eaters.size(), 0), left;
  cleaned.components.counts = sources.components.counts;
  cleaned.components.label = Buffer<std::int32_t, Cpu>(sources.components.label.size(), where);
  for (std::int64_t run = 0; run < sources.components.label.size(); ++run) {
    const std::int32_t label = sources.components.label[run];
    cleaned.components.label[run] = 0;
    if (label == 0) continue;
    const std::int32_t eater = eaters[static_cast<std::size_t>(label - 1)];
    const std::int32_t owner = eater < 0 ? label - 1 : eater;
    std::int32_t& of_owner = number[static_cast<std::size_t>(owner)];
    if (of_owner == 0) {
      left.push_back(owner);
      of_owner = static_cast<std::int32_t>(left.size());
    }
    cleaned.components.label[run] = of_owner;
  }
  cleaned.components.counts->kept = std::ssize(left);
  return left;
}

/// Marks the runs of eaten sources. They are hidden in the last kernel_rows / 2 rows of the two islands, since
/// SExtractor cleans that many rows late.
void mark_eaten(const Uncleaned<Cpu>& sources, std::span<const std::int32_t> eaters, const Completion& completion,
                std::int64_t kernel_rows, Cleaned<Cpu>& cleaned, const Cpu& where) {
  cleaned.eaten = Buffer<Eaten, Cpu>(sources.runs.runs.size(), where);
  cleaned.own.counts = cleaned.components.counts;
  cleaned.own.label = Buffer<std::int32_t, Cpu>(sources.runs.runs.size(), where);
  for (std::int64_t run = 0; run < sources.runs.runs.size(); ++run) {
    const std::int32_t label = sources.components.label[run];
    cleaned.eaten[run] = Eaten::no;
    cleaned.own.label[run] = cleaned.components.label[run];
    if (label == 0) continue;
    const auto source = static_cast<std::size_t>(label - 1);
    if (eaters[source] < 0) continue;
    const std::int32_t last =
        std::max(completion.last_row[source], completion.last_row[static_cast<std::size_t>(eaters[source])]);
    cleaned.own.label[run] = 0;
    cleaned.eaten[run] = sources.runs.runs[run].y < last + 1 - kernel_rows / 2 ? Eaten::free : Eaten::hidden;
  }
}

/// Copies sums and parentage of each source left. Sets `edge` if a pixel of it, or of a source that it ate, is at the
/// edge.
void keep_survivors(const Uncleaned<Cpu>& sources, std::span<const std::int32_t> eaters,
                    std::span<const std::int32_t> left, Cleaned<Cpu>& cleaned, const Cpu& where) {
  std::vector<std::int32_t> edge(eaters.size(), 0);
  for (std::size_t source = 0; source < eaters.size(); ++source) {
    const auto i = static_cast<std::int64_t>(source);
    const Parentage parentage = parentage_of(sources, i);
    const bool own = parentage.split != 0 ? parentage.edge != 0 : at_edge(sources.sums[i], sources.runs.shape);
    edge[eaters[source] < 0 ? source : static_cast<std::size_t>(eaters[source])] |= own ? 1 : 0;
  }
  cleaned.own_sums = Buffer<SourceSums, Cpu>(std::ssize(left), where);
  cleaned.parentage = Buffer<Parentage, Cpu>(std::ssize(left), where);
  for (std::int64_t i = 0; i < std::ssize(left); ++i) {
    const std::int32_t source = left[static_cast<std::size_t>(i)];
    cleaned.own_sums[i] = sources.sums[source];
    cleaned.parentage[i] = parentage_of(sources, source);
    cleaned.parentage[i].edge = edge[static_cast<std::size_t>(source)];
  }
}

}  // namespace

Cleaned<Cpu> clean_sources(const DeblendImages<Cpu>& images, const Uncleaned<Cpu>& sources, const Settings& config,
                           std::int64_t kernel_rows, const Cpu& where) {
  const Buffer<float, Cpu> limits = find_limits(images, sources, config.detection, where);
  const Completion completion = find_completion(sources);
  const Profiler profiler(images, sources, config.deblend.clean_beta, where);
  std::vector<CleanCandidate> candidates(static_cast<std::size_t>(sources.components.counts->kept));
  parallel_for(std::ssize(candidates), sources_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      candidates[static_cast<std::size_t>(i)] =
          profiler.candidate(i, limits[i], completion.place[static_cast<std::size_t>(i)]);
  });
  const std::vector<std::int32_t> eaters = find_eaters(candidates, config.deblend.clean_beta, where);

  Cleaned<Cpu> cleaned;
  const std::vector<std::int32_t> left = number_survivors(sources, eaters, cleaned, where);
  mark_eaten(sources, eaters, completion, kernel_rows, cleaned, where);
  keep_survivors(sources, eaters, left, cleaned, where);
  return cleaned;
}

}  // namespace srcextract
