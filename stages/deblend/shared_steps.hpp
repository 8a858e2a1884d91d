#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// Code that devices and host threads share is a sequence of steps. Many threads execute a step for different items at
// once, before the next step begins. A Machine (host_steps.hpp; cuda/deblend/device_steps.hpp) executes the steps. Its
// members:
//   where()                      place of buffers;
//   filled<T>(size, byte)        returns a buffer with every byte set to `byte`;
//   over<State::step_step>(items, state)       calls state.step(i) for every item, in any order;
//   in_order(items, step)        for every item the lanes compute their parts, step.part(i, lane, lanes).
//                                The parts are joined in any order by part.join(other).
//                                One lane then calls step.finish(i, part).
//                                Items begin in their order, so a part may wait for earlier items to finish;
//   make_running_sums(counts, items)       as in cuda/device/running_sums.hpp;
//   sort(keys, values, bits)     stable sort by the lowest `bits` bits of the keys.

/// Makes a type that calls a member function as a step, since nvcc 13 cannot name kernels by pointers to const member
/// functions.
#define SRCEXTRACT_STEP(name)                                                     \
  struct name##_step {                                                            \
    template <class State>                                                        \
    SRCEXTRACT_HOST_DEVICE static void take(const State& state, std::int64_t i) { \
      state.name(i);                                                              \
    }                                                                             \
  };

/// Number of items of a step, at most `room`. The number may be known only on the device.
struct SharedCount {
  const std::int64_t* count;  ///< null: the count is `room`
  std::int64_t room;

  SRCEXTRACT_HOST_DEVICE std::int64_t operator()() const { return count == nullptr || *count > room ? room : *count; }
};

/// Number of bits that suffice for every number below `end`.
inline int bits_below(std::int64_t end) {
  int bits = 0;
  while (bits < 62 && (std::int64_t{1} << bits) < end) ++bits;
  return bits;
}

}  // namespace srcextract
