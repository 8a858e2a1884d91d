#include "stages/detect/label_image.hpp"

#include <utility>
#include <vector>

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"

namespace srcextract {

namespace {

/// Values of 32 consecutive pixels of a row, one per lane, and the lanes at which runs of equal nonzero values begin
/// and end.
template <class T>
struct Stretch {
  T value;
  unsigned int begins, ends;  ///< bit k: a run begins, or ends, at the pixel of lane k

  __device__ Stretch(const T* row, std::int32_t x, std::int32_t width) {
    value = x < width ? value_of_run(row[x]) : T{0};
    const T before = x > 0 && x < width ? value_of_run(row[x - 1]) : T{0};
    const T after = x + 1 < width ? value_of_run(row[x + 1]) : T{0};
    begins = __ballot_sync(all_lanes, value != 0 && before != value);
    ends = __ballot_sync(all_lanes, value != 0 && after != value);
  }
};

/// Counts the runs of every row, with one warp per row.
template <class T>
__global__ void __launch_bounds__(block_threads)
    count_kernel(const T* map, std::int32_t width, std::int64_t height, std::int64_t* counts) {
  const std::int64_t y = thread_index() / warp_size;
  if (y >= height) return;
  std::int64_t count = 0;
  for (std::int32_t x = 0; x < width; x += warp_size)
    count += __popc(Stretch<T>(map + y * width, x + lane(), width).begins);
  if (first_lane()) counts[y + 1] = count;
}

/// Lists the runs of every row. Within a row, the k-th begin and the k-th end belong to the same run, so that both can
/// be stored independently.
template <class T>
__global__ void __launch_bounds__(block_threads) list_kernel(const T* map, std::int32_t width, std::int64_t height,
                                                             const std::int64_t* row_begin, Run* runs, T* values) {
  const std::int64_t y = thread_index() / warp_size;
  if (y >= height) return;
  const unsigned int own = 1u << lane();
  std::int64_t begun = row_begin[y], ended = begun;
  for (std::int32_t first = 0; first < width; first += warp_size) {
    const std::int32_t x = first + lane();
    const Stretch<T> here(map + y * width, x, width);
    if ((here.begins & own) != 0) {
      const std::int64_t run = begun + __popc(here.begins & (own - 1));
      runs[run].y = static_cast<std::int32_t>(y);
      runs[run].begin = x;
      if (values != nullptr) values[run] = here.value;
    }
    if ((here.ends & own) != 0) runs[ended + __popc(here.ends & (own - 1))].end = x + 1;
    begun += __popc(here.begins);
    ended += __popc(here.ends);
  }
}

/// Sets the pixels of each run to the run's value, or to 1 if `values` is null. One warp handles one run.
template <class T>
__global__ void __launch_bounds__(block_threads)
    paint_kernel(const Run* runs, ItemCount count, const T* values, std::int64_t width, T* map) {
  const std::int64_t there = count();
  for (std::int64_t i = thread_index() / warp_size; i < there; i += thread_total() / warp_size) {
    const Run run = runs[i];
    const T value = values != nullptr ? values[i] : T{1};
    for (std::int32_t x = run.begin + lane(); x < run.end; x += warp_size) map[run.y * width + x] = value;
  }
}

/// Returns the runs of equal nonzero values in a map; stores the value of each run in `values` unless null. Waits for
/// the device to get the number of runs.
template <class T>
Runs<Gpu> list_stretches(const Image<T, Gpu>& map, Buffer<T, Gpu>* values, const Gpu& where) {
  const auto [width, height] = map.shape;
  auto counts = filled<std::int64_t>(height + 1, 0, where);
  if (map.shape.count() == 0) return {map.shape, {}, std::move(counts)};
  const unsigned int blocks = blocks_for(height * warp_size);
  const auto columns = static_cast<std::int32_t>(width);
  count_kernel<<<blocks, block_threads, 0, where.stream>>>(map.pixels.data(), columns, height, counts.data());
  check_launch();
  Buffer<std::int64_t, Cpu> row_begin = to_host(counts, where);
  for (std::int64_t y = 0; y < height; ++y) row_begin[y + 1] += row_begin[y];
  check_run_count(row_begin[height]);
  Runs<Gpu> result{map.shape, {row_begin[height], where}, to_device(row_begin, where)};
  if (values != nullptr) *values = Buffer<T, Gpu>(row_begin[height], where);
  list_kernel<<<blocks, block_threads, 0, where.stream>>>(map.pixels.data(), columns, height, result.row_begin.data(),
                                                          result.runs.data(),
                                                          values != nullptr ? values->data() : nullptr);
  check_launch();
  return result;
}

template <class T>
Image<T, Gpu> paint_runs(const Runs<Gpu>& runs, const T* values, const Gpu& where) {
  Image<T, Gpu> map;
  map.shape = runs.shape;
  map.pixels = filled<T>(runs.shape.count(), 0, where);
  const std::int64_t most = runs.runs.size();
  if (most == 0) return map;
  paint_kernel<T><<<grid_for(most * warp_size, where), block_threads, 0, where.stream>>>(
      runs.runs.data(), items_of(runs), values, runs.shape.width, map.pixels.data());
  check_launch();
  return map;
}

}  // namespace

LabelledRuns<Gpu> runs_of_labels(const Image<std::int32_t, Gpu>& map, const Gpu& where) {
  LabelledRuns<Gpu> result;
  Buffer<std::int32_t, Gpu> values;
  result.runs = list_stretches(map, &values, where);
  Buffer<std::int32_t, Cpu> label = to_host(values, where);
  result.labels = rank_labels(label, Cpu{where.host_threads});
  result.components.label = to_device(label, where);
  const auto count = static_cast<std::int64_t>(result.labels.size());
  result.components.counts = to_device(ComponentCounts{count, count}, where);
  return result;
}

Image<std::int32_t, Gpu> map_labels(const Runs<Gpu>& runs, const Buffer<std::int32_t, Gpu>& label, const Gpu& where) {
  return paint_runs<std::int32_t>(runs, label.data(), where);
}

Runs<Gpu> runs_of_mask(const Image<std::uint8_t, Gpu>& mask, const Gpu& where) {
  return list_stretches<std::uint8_t>(mask, nullptr, where);
}

Image<std::uint8_t, Gpu> map_runs(const Runs<Gpu>& runs, const Gpu& where) {
  return paint_runs<std::uint8_t>(runs, nullptr, where);
}

}  // namespace srcextract
