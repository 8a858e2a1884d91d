#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/value.hpp"
#include "stages/deblend/shared_steps.hpp"

namespace srcextract {

/// Executes steps on threads of the host. The members are explained in shared_steps.hpp. One thread handles each item
/// alone.
class HostSteps {
 public:
  explicit HostSteps(const Cpu& where) : where_(where) {}

  const Cpu& where() const { return where_; }

  template <class T>
  static const T* pointer(const Value<T, Cpu>& value) {
    return &*value;
  }
  template <class T>
  static T* pointer(Value<T, Cpu>& value) {
    return &*value;
  }

  template <class T>
  Buffer<T, Cpu> filled(std::int64_t size, int byte) const {
    Buffer<T, Cpu> buffer(size, where_);
    if (size > 0) std::memset(static_cast<void*>(buffer.data()), byte, static_cast<std::size_t>(size) * sizeof(T));
    return buffer;
  }

  template <class Step, class State>
  void over(const SharedCount& items, const State& state) const {
    parallel_for(items(), items_at_a_time, where_, [&](std::int64_t begin, std::int64_t end) {
      [[maybe_unused]] const HeldRows held = rows_of<Step>(state, begin, end);
      // A copy, so that the compiler can assume that stores through pointers do not change it.
      // NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
      const State own = state;
      for (std::int64_t i = begin; i < end; ++i) Step::take(own, i);
    });
  }

  /// Threads take items in ascending order. If a step waits for an earlier item, some thread is thus already working on
  /// that item.
  template <class Step>
  void in_order(const SharedCount& items, const Step& step) const {
    const std::int64_t count = items();
    std::atomic<std::int64_t> next{0};
    parallel_for(where_.threads, 1, where_, [&](std::int64_t, std::int64_t) {
      const Step own = step;
      for (std::int64_t begin; (begin = next.fetch_add(few_items, std::memory_order_relaxed)) < count;)
        for (std::int64_t i = begin; i < std::min(count, begin + few_items); ++i) own.finish(i, own.part(i, 0, 1));
    });
  }

  void make_running_sums(Buffer<std::uint32_t, Cpu>& counts, const SharedCount& items) const {
    const std::int64_t count = items();
    std::uint32_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += std::exchange(counts[i], sum);
    counts[count] = sum;
  }

  /// Radix sort, from the lowest digit to the highest; equal keys keep their order.
  template <class T>
  void sort(Buffer<std::uint64_t, Cpu>& keys, Buffer<T, Cpu>& values, int bits) const {
    constexpr int digit_bits = 11;
    const std::int64_t count = keys.size();
    Buffer<std::uint64_t, Cpu> other_keys(count, where_);
    Buffer<T, Cpu> other_values(count, where_);
    for (int shift = 0; shift < bits && count > 0; shift += digit_bits) {
      const std::uint64_t mask = (std::uint64_t{1} << std::min(digit_bits, bits - shift)) - 1;
      const auto digit = [&](std::int64_t i) { return static_cast<std::size_t>(keys[i] >> shift & mask); };
      std::array<std::int64_t, std::size_t{1} << digit_bits> place{};
      for (std::int64_t i = 0; i < count; ++i) ++place[digit(i)];
      if (place[digit(0)] == count) continue;
      std::exclusive_scan(place.begin(), place.end(), place.begin(), std::int64_t{0});
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t to = place[digit(i)]++;
        other_keys[to] = keys[i];
        other_values[to] = values[i];
      }
      std::swap(keys, other_keys);
      std::swap(values, other_values);
    }
  }

 private:
  /// If a step reads rows of an image whose rows are computed on demand, returns an object that keeps these rows in
  /// memory.
  template <class Step, class State>
  static HeldRows rows_of(const State& state, std::int64_t begin, std::int64_t end) {
    if constexpr (requires { state.template rows<Step>(begin, end); }) return state.template rows<Step>(begin, end);
    return {};
  }

  static constexpr std::int64_t items_at_a_time = 1024, few_items = 16;

  Cpu where_;
};

}  // namespace srcextract
