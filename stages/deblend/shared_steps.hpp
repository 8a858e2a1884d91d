#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// What is written here once for a device and for threads of the host is a sequence of steps, each of which many threads
// take at once, an item after the other, before the next begins. Who has them taken (cuda/deblend/device_steps.hpp; in
// tests the host) has
//   where()                      where buffers are,
//   filled<T>(size, byte)        a buffer with every byte that,
//   over<State::step_step>(items, state)       has state.step(i) called of every item, in any order,
//   in_order(items, step)        of every item has lanes make their parts of it, step.part(i, lane, lanes), joins them
//                                in any order by part.join(other), and has one call step.finish(i, part): items are
//                                begun in their order, so that a part may wait for what earlier ones finish,
//   make_running_sums(counts, items)       as cuda/device/running_sums.hpp,
//   sort(keys, values, bits)     by the lowest so many bits of the keys, keeping the order of equals.

/// The type by which a member function is called as a step: nvcc 13 cannot name kernels by pointers to const ones.
#define SRCEXTRACT_STEP(name)                                                     \
  struct name##_step {                                                            \
    template <class State>                                                        \
    SRCEXTRACT_HOST_DEVICE static void take(const State& state, std::int64_t i) { \
      state.name(i);                                                              \
    }                                                                             \
  };

/// How many items a step has: a number that may be known where it runs alone, but no more than there is room for.
struct SharedCount {
  const std::int64_t* count;  ///< null: `room` itself
  std::int64_t room;

  SRCEXTRACT_HOST_DEVICE std::int64_t operator()() const { return count == nullptr || *count > room ? room : *count; }
};

/// How many bits numbers below `end` have.
inline int bits_below(std::int64_t end) {
  int bits = 0;
  while (bits < 62 && (std::int64_t{1} << bits) < end) ++bits;
  return bits;
}

}  // namespace srcextract
