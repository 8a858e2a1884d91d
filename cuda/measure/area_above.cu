#include "stages/measure/area_above.hpp"

#include "cuda/device/launch.hpp"
#include "stages/detect/run_search.hpp"

namespace srcextract {

namespace {

/// The runs (consecutive foreground pixels of a row) of an image, as kernels read them; at most as many as the list
/// holds.
struct RunTable {
  const Run* runs;
  const std::int64_t* row_begin;
  ItemCount items;

  explicit RunTable(const Runs<Gpu>& from)
      : runs(from.runs.data()), row_begin(from.row_begin.data()), items(items_of(from)) {}
};

/// Counts, for each source, its pixels that are also in runs of `above`, with one thread per run of the sources. Skips
/// sources that the buffers cannot hold: the host repeats the work with larger buffers.
__global__ void area_above_kernel(RunTable of_sources, RunTable above, const std::int32_t* label,
                                  unsigned long long* area, std::int64_t room) {
  const std::int64_t count = of_sources.items(), above_there = above.items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    if (label[i] <= 0 || label[i] > room) continue;
    const Run run = of_sources.runs[i];
    const std::int64_t end = min(above.row_begin[run.y + 1], above_there);
    std::int64_t k = first_not_before(above.runs, min(above.row_begin[run.y], above_there), end, run, 0);
    std::int64_t shared = 0;
    for (; k < end && above.runs[k].begin < run.end; ++k) shared += shared_pixels(run, above.runs[k]);
    if (shared > 0) atomicAdd(&area[label[i] - 1], static_cast<unsigned long long>(shared));
  }
}

}  // namespace

Buffer<std::int64_t, Gpu> area_above(const Runs<Gpu>& runs, const Components<Gpu>& components, const Runs<Gpu>& above,
                                     const Gpu& where) {
  const std::int64_t most = runs.runs.size();
  if (most == 0) return {};
  const std::int64_t room = Capacity::within(where.capacity.sources, most);
  auto area = filled<std::int64_t>(room, 0, where);
  area_above_kernel<<<grid_for(most, where), block_threads, 0, where.stream>>>(
      RunTable(runs), RunTable(above), components.label.data(), reinterpret_cast<unsigned long long*>(area.data()),
      room);
  check_launch();
  return area;
}

}  // namespace srcextract
