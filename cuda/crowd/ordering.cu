#include "cuda/crowd/ordering.hpp"

#include <thrust/iterator/counting_iterator.h>

#include <bit>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <utility>

#include "cuda/device/launch.hpp"
#include "cuda/device/sort.hpp"
#include "cuda/device/with_scratch.hpp"
#include "stages/crowd/equations_view.hpp"

namespace srcextract {
namespace {

template <class T>
__global__ void find_begins_kernel(const std::uint32_t* keys, std::int64_t count, T* begin, std::int64_t groups) {
  for (std::int64_t k = thread_index(); k <= groups; k += thread_total())
    begin[k] = static_cast<T>(first_not_below(keys, 0, count, static_cast<std::uint32_t>(k)));
}

__global__ void find_cells_kernel(const CrowdStar* stars, std::int64_t count, CellsView cells, std::uint32_t* keys,
                                  std::int32_t* numbers) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    keys[i] = static_cast<std::uint32_t>(cells.cell_of(stars[i].x, stars[i].y));
    numbers[i] = static_cast<std::int32_t>(i);
  }
}

template <class T>
void queue_find_begins(const std::uint32_t* keys, std::int64_t count, T* begin, std::int64_t groups, const Gpu& where) {
  find_begins_kernel<<<grid_for(groups + 1, where), block_threads, 0, where.stream>>>(keys, count, begin, groups);
  check_launch();
}

}  // namespace

std::int64_t sum_before(Buffer<std::int64_t, Gpu>& numbers, std::int64_t count, const Gpu& where) {
  check(cudaMemsetAsync(numbers.data() + count, 0, sizeof(std::int64_t), where.stream));
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, numbers.data(), numbers.data(), count + 1, where.stream);
  });
  std::int64_t total = 0;
  copy_to_host(&total, numbers.data() + count, 1, where);
  return total;
}

void find_begins(const std::uint32_t* keys, std::int64_t count, std::int64_t* begin, std::int64_t groups,
                 const Gpu& where) {
  queue_find_begins(keys, count, begin, groups, where);
}

Buffer<std::int64_t, Gpu> places_of(const Buffer<std::uint8_t, Gpu>& flags, std::int64_t count, const Gpu& where) {
  Value<std::int64_t, Gpu> number(where);
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(scratch, bytes, flags.data(), number.data(), count, cuda::std::plus<>{},
                                     std::int64_t{0}, where.stream);
  });
  Buffer<std::int64_t, Gpu> places(fetch(number, where), where);
  if (places.empty()) return places;
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, thrust::counting_iterator<std::int64_t>(0), flags.data(),
                                      places.data(), number.data(), count, where.stream);
  });
  return places;
}

void keep_flagged(DeviceList<CrowdStar>& stars, const Buffer<std::uint8_t, Gpu>& flags, const Gpu& where) {
  if (stars.count == 0) return;
  Value<std::int64_t, Gpu> number(where);
  Buffer<CrowdStar, Gpu> kept(stars.items.size(), where);
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, stars.data(), flags.data(), kept.data(), number.data(),
                                      stars.count, where.stream);
  });
  stars.items = std::move(kept);
  stars.count = fetch(number, where);
}

DeviceCells::DeviceCells(const DeviceList<CrowdStar>& stars, const Shape& shape, const Gpu& where)
    : view_(shape), begin_(view_.count() + 1, where), number_(room_for(stars.count), where) {
  Buffer<std::uint32_t, Gpu> keys(number_.size(), where);
  find_cells_kernel<<<grid_for(stars.count, where), block_threads, 0, where.stream>>>(stars.data(), stars.count, view_,
                                                                                      keys.data(), number_.data());
  check_launch();
  const int bits = std::bit_width(static_cast<std::uint64_t>(view_.count()));
  sort_by_keys(keys, number_, stars.count, bits, where);
  queue_find_begins(keys.data(), stars.count, begin_.data(), view_.count(), where);
  view_.begin = begin_.data();
  view_.number = number_.data();
}

}  // namespace srcextract
