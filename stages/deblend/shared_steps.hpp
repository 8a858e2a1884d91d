#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// Some algorithms are sequences of steps, so that devices and host threads can share their code. A step is a function
// that many threads call concurrently, once per item; the next step begins after all these calls have ended. A class
// called Machine here executes steps: HostSteps (host_steps.hpp) or DeviceSteps (cuda/deblend/device_steps.hpp). Its
// members:
//   where()                      returns where buffers are allocated;
//   filled<T>(size, byte)        returns a buffer with every byte set to `byte`;
//   over<State::NAME_step>(items, state)       calls state.NAME(i) for every item i, in any order;
//   in_order(items, step)        executes a step that may wait for earlier items. One or more threads ("lanes") call
//                                step.part(i, lane, lanes) for item i; part.join(other) combines their results.
//                                One of these threads then calls step.finish(i, part). Items begin in ascending
//                                order, so a call for an item may wait for the end of earlier items;
//   make_running_sums(counts, items)       as in cuda/device/running_sums.hpp;
//   sort(keys, values, bits)     stable sort by the lowest `bits` bits of the keys.

/// Defines the type NAME_step, which calls the member function NAME as a step. Templates take this type instead of a
/// pointer to the member function, because nvcc 13 cannot name kernels by pointers to const member functions.
#define SRCEXTRACT_STEP(name)                                                     \
  struct name##_step {                                                            \
    template <class State>                                                        \
    SRCEXTRACT_HOST_DEVICE static void take(const State& state, std::int64_t i) { \
      state.name(i);                                                              \
    }                                                                             \
  };

/// Number of items of a step, at most `room`. `count` may point to device memory, so only the device may know the
/// number.
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
