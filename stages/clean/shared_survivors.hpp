#pragma once

#include <cstdint>

#include "stages/clean/clean_sources.hpp"
#include "stages/clean/shared_profiles.hpp"
#include "stages/measure/moments.hpp"

namespace srcextract {

/// Steps that number the sources that remain after CLEAN, in raster order of their first pixels, and set the members of
/// Cleaned.
template <class Noise>
struct SharedSurvivors {
  SRCEXTRACT_STEP(find_first)
  SRCEXTRACT_STEP(mark_first)
  SRCEXTRACT_STEP(find_edge)
  SRCEXTRACT_STEP(mark_absorbed)
  SRCEXTRACT_STEP(keep)

  SharedProfiles<Noise> sources;
  const std::int32_t* absorber;  ///< per source: index of its absorber, or -1
  std::int64_t kernel_rows;
  /// per source: the first run of the source or of a source that it absorbed; later_than_any before the step find_first
  std::int32_t* first_run;
  /// per source: 1 if a pixel of the source or of a source that it absorbed is at the edge of the image
  std::uint32_t* edge;
  /// per run: 1 for the first run of a remaining source; later the number of these runs before this run
  std::uint32_t* is_first;
  std::int32_t *label, *own_label;
  Absorbed* absorbed;
  SourceSums* own_sums;
  Parentage* parentage;

  SRCEXTRACT_HOST_DEVICE std::int32_t owner_of(std::int64_t source) const {
    return absorber[source] < 0 ? static_cast<std::int32_t>(source) : absorber[source];
  }
  /// The index, from 0, of the source that a run belongs to before CLEAN. -1 if the run has no source, if the source is
  /// removed because of its size, or if the buffers are too small for the source.
  SRCEXTRACT_HOST_DEVICE std::int32_t source_of(std::int64_t run) const {
    const std::int32_t label = sources.label[run];
    return label > 0 && label <= sources.source_room && !sources.is_dropped(label - 1) ? label - 1 : -1;
  }

  SRCEXTRACT_HOST_DEVICE void find_first(std::int64_t run) const {
    if (source_of(run) >= 0) shared_lower(&first_run[owner_of(source_of(run))], static_cast<std::int32_t>(run));
  }
  SRCEXTRACT_HOST_DEVICE void mark_first(std::int64_t run) const {
    is_first[run] = source_of(run) >= 0 && first_run[owner_of(source_of(run))] == run ? 1 : 0;
  }
  SRCEXTRACT_HOST_DEVICE void find_edge(std::int64_t source) const {
    const Parentage own = sources.parentage_of_source(source);
    const bool at = own.split != 0 ? own.edge != 0 : at_edge(sources.sums[source], sources.shape);
    if (at) shared_or(&edge[owner_of(source)], 1);
  }

  SRCEXTRACT_HOST_DEVICE void mark_absorbed(std::int64_t run) const {
    const std::int32_t source = source_of(run);
    absorbed[run] = Absorbed::no;
    label[run] = own_label[run] = 0;
    if (source < 0) return;
    label[run] = static_cast<std::int32_t>(is_first[first_run[owner_of(source)]]) + 1;
    if (absorber[source] < 0) {
      own_label[run] = label[run];
      return;
    }
    const std::int32_t own = sources.last_row(source), of_absorber = sources.last_row(absorber[source]);
    const std::int32_t last = own < of_absorber ? of_absorber : own;
    absorbed[run] = sources.runs[run].y < last + 1 - kernel_rows / 2 ? free_from(last) : Absorbed::hidden;
  }

  SRCEXTRACT_HOST_DEVICE void keep(std::int64_t source) const {
    if (absorber[source] >= 0 || first_run[source] == later_than_any) return;
    const std::uint32_t number = is_first[first_run[source]];
    own_sums[number] = sources.sums[source];
    parentage[number] = sources.parentage_of_source(source);
    parentage[number].edge = static_cast<std::int32_t>(edge[source]);
    parentage[number].last_row = sources.last_row(source);
  }

  static constexpr std::int32_t later_than_any = 0x7f7f7f7f;
};

/// Step that counts the remaining sources. If the buffers were too small for all sources, the step stores the count
/// before CLEAN instead.
struct SharedSurvivorCount {
  SRCEXTRACT_STEP(tell)

  const ComponentCounts* before;
  /// running sums of is_first; the element behind the last run is the number of remaining sources
  const std::uint32_t* left;
  SharedCount runs;
  std::int64_t source_room;
  ComponentCounts *counts, *own_counts;

  SRCEXTRACT_HOST_DEVICE void tell(std::int64_t) const {
    *counts = *before;
    if (before->kept <= source_room) counts->kept = left[runs()];
    *own_counts = *counts;
  }
};

}  // namespace srcextract
