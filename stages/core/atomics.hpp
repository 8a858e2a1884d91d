#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// Words that many threads work on at once, on either side: what is written here for a device can be tried on the host,
// with threads. Nothing is said of the order of other words, but by order_memory().

template <class T>
SRCEXTRACT_HOST_DEVICE inline T shared_load(const T* word) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile T*>(word);
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

template <class T>
SRCEXTRACT_HOST_DEVICE inline void shared_store(T* word, T value) {
#if defined(__CUDA_ARCH__)
  *static_cast<volatile T*>(word) = value;
#else
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/// Those below return what the word was before.
template <class T>
SRCEXTRACT_HOST_DEVICE inline T shared_add(T* word, T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {  // two's complement: signed or not
    return static_cast<T>(
        atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value)));
  } else {
    return atomicAdd(word, value);
  }
#else
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

SRCEXTRACT_HOST_DEVICE inline std::uint32_t shared_or(std::uint32_t* word, std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return atomicOr(word, bits);
#else
  return __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
#endif
}

/// Replaces it if it is `expected`.
SRCEXTRACT_HOST_DEVICE inline std::int32_t shared_replace(std::int32_t* word, std::int32_t expected,
                                                          std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(word, expected, value);
#else
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

/// Makes it no more than `value`. Atomic operations wait for one another, looks do not.
template <class T>
SRCEXTRACT_HOST_DEVICE inline void shared_lower(T* word, T value) {
#if defined(__CUDA_ARCH__)
  if (value < shared_load(word)) atomicMin(word, value);
#else
  T seen = shared_load(word);
  while (value < seen && !__atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

/// Makes it no less.
template <class T>
SRCEXTRACT_HOST_DEVICE inline void shared_raise(T* word, T value) {
#if defined(__CUDA_ARCH__)
  if (value > shared_load(word)) atomicMax(word, value);
#else
  T seen = shared_load(word);
  while (value > seen && !__atomic_compare_exchange_n(word, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

/// What this thread did before it is done, to all others, before what it does after.
SRCEXTRACT_HOST_DEVICE inline void order_memory() {
#if defined(__CUDA_ARCH__)
  __threadfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/// What a thread has still to add to the word that it added to last: those who add to one word again and again do not
/// wait for one another.
template <class T>
class CarriedSum {
 public:
  CarriedSum() = default;
  CarriedSum(const CarriedSum&) = delete;
  CarriedSum& operator=(const CarriedSum&) = delete;
  SRCEXTRACT_HOST_DEVICE ~CarriedSum() { finish(); }

  SRCEXTRACT_HOST_DEVICE void add(T* word, T value) {
    if (word != word_) {
      finish();
      word_ = word;
    }
    sum_ += value;
  }

 private:
  SRCEXTRACT_HOST_DEVICE void finish() {
    if (word_ != nullptr && sum_ != 0) shared_add(word_, sum_);
    sum_ = 0;
  }

  T* word_ = nullptr;
  T sum_ = 0;
};

}  // namespace srcextract
