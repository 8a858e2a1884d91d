#pragma once

#include <cstring>

#include "cuda/device/running_sums.hpp"
#include "cuda/device/sort.hpp"
#include "cuda/device/warp.hpp"
#include "stages/deblend/shared_steps.hpp"

namespace srcextract {

template <class Step, class State>
__global__ void __launch_bounds__(block_threads) step_kernel(const __grid_constant__ State state, SharedCount items) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) Step::take(state, i);
}

/// Returns the value of `own` in the lane whose index is larger by `further`.
template <class T>
__device__ T value_of_lane(const T& own, unsigned int further) {
  constexpr int words = sizeof(T) / sizeof(std::uint32_t);
  static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
  std::uint32_t word[words];
  memcpy(word, &own, sizeof(T));
  for (int i = 0; i < words; ++i) word[i] = __shfl_down_sync(all_lanes, word[i], further);
  T other;
  memcpy(&other, word, sizeof(T));
  return other;
}

/// Executes the step for all items, with one warp per item. Warps take items in ascending order. So if one item's step
/// waits for an earlier item, a running warp is already processing that item.
template <class Step>
__global__ void __launch_bounds__(block_threads)
    in_order_kernel(const __grid_constant__ Step step, SharedCount items, unsigned long long* taken) {
  const std::int64_t count = items();
  for (;;) {
    unsigned long long next = 0;
    if (first_lane()) next = atomicAdd(taken, 1ull);
    const auto i = static_cast<std::int64_t>(__shfl_sync(all_lanes, next, 0));
    if (i >= count) return;
    auto part = step.part(i, lane(), warp_size);
    __syncwarp();
    for (unsigned int further = warp_size / 2; further > 0; further /= 2) part.join(value_of_lane(part, further));
    if (first_lane()) step.finish(i, part);
    __syncwarp();
  }
}

/// Executes the steps of shared_steps.hpp on a device; see there for the meaning of the member functions.
class DeviceSteps {
 public:
  explicit DeviceSteps(const Gpu& where) : where_(where) {}

  const Gpu& where() const { return where_; }

  template <class T>
  static const T* pointer(const Value<T, Gpu>& value) {
    return value.data();
  }
  template <class T>
  static T* pointer(Value<T, Gpu>& value) {
    return value.data();
  }

  template <class T>
  Buffer<T, Gpu> filled(std::int64_t size, int byte) const {
    return srcextract::filled<T>(size, byte, where_);
  }

  template <class Step, class State>
  void over(const SharedCount& items, const State& state) const {
    step_kernel<Step><<<grid_for(items.room, where_), block_threads, 0, where_.stream>>>(state, items);
    check_launch();
  }

  template <class Step>
  void in_order(const SharedCount& items, const Step& step) const {
    auto taken = filled<unsigned long long>(1, 0);
    in_order_kernel<<<grid_for(items.room * warp_size, where_), block_threads, 0, where_.stream>>>(step, items,
                                                                                                   taken.data());
    check_launch();
  }

  void make_running_sums(Buffer<std::uint32_t, Gpu>& counts, const SharedCount& items) const {
    srcextract::make_running_sums(counts, {items.count, items.room}, where_);
  }

  template <class T>
  void sort(Buffer<std::uint64_t, Gpu>& keys, Buffer<T, Gpu>& values, int bits) const {
    sort_by_keys(keys, values, keys.size(), bits, where_);
  }

 private:
  Gpu where_;
};

}  // namespace srcextract
