#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/value.hpp"
#include "stages/deblend/shared_steps.hpp"

namespace srcextract::testing {

/// Has the steps of shared_steps.hpp taken by threads of the host, several to an item.
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
    parallel_for(items(), 7, where_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) Step::take(state, i);
    });
  }

  /// By threads that wait for one another: of their own, whatever else runs.
  template <class Step>
  void in_order(const SharedCount& items, const Step& step) const {
    constexpr int lanes = 3;
    std::atomic<std::int64_t> next{0};
    const auto work = [&] {
      for (std::int64_t i; (i = next++) < items();) {
        auto part = step.part(i, lanes - 1, lanes);
        for (int lane = 0; lane + 1 < lanes; ++lane) part.join(step.part(i, lane, lanes));
        step.finish(i, part);
      }
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < where_.threads; ++thread) others.emplace_back(work);
    work();
    for (std::thread& other : others) other.join();
  }

  void make_running_sums(Buffer<std::uint32_t, Cpu>& counts, const SharedCount& items) const {
    std::uint32_t sum = 0;
    for (std::int64_t i = 0; i < items(); ++i) sum += std::exchange(counts[i], sum);
    counts[items()] = sum;
  }

  template <class T>
  void sort(Buffer<std::uint64_t, Cpu>& keys, Buffer<T, Cpu>& values, int bits) const {
    const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
    std::vector<std::int64_t> order(static_cast<std::size_t>(keys.size()));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return keys[i] & mask; });
    const std::vector<std::uint64_t> old_keys(keys.begin(), keys.end());
    const std::vector<T> old_values(values.begin(), values.end());
    for (std::int64_t i = 0; i < keys.size(); ++i) {
      const std::int64_t from = order[static_cast<std::size_t>(i)];
      keys[i] = old_keys[static_cast<std::size_t>(from)];
      values[i] = old_values[static_cast<std::size_t>(from)];
    }
  }

 private:
  Cpu where_;
};

}  // namespace srcextract::testing
