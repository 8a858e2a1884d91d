#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// Access to words of memory that several threads read and write at once. The functions exist on host and device, so
// that host threads can test device code. Only order_memory() orders accesses to different words.

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

/// Adds to a word. shared_add(), shared_or() and shared_replace() return the word's value before the call.
template <class T>
SRCEXTRACT_HOST_DEVICE inline T shared_add(T* word, T value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 8) {  // unsigned addition is right for signed numbers too, in two's complement
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

/// Replaces the word by `value` if the word equals `expected`.
SRCEXTRACT_HOST_DEVICE inline std::int32_t shared_replace(std::int32_t* word, std::int32_t expected,
                                                          std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(word, expected, value);
#else
  __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

/// Lowers the word to `value` if the word is larger. A plain read comes first: plain reads run in parallel, whereas the
/// device executes atomic operations on the same word one after another.
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

/// Raises the word to `value` if the word is smaller.
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

/// A memory fence. If another thread sees an access of this thread after the fence and then calls order_memory() too,
/// the other thread's later accesses see all accesses of this thread before the fence.
SRCEXTRACT_HOST_DEVICE inline void order_memory() {
#if defined(__CUDA_ARCH__)
  __threadfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/// Sums the values that a thread adds to a word. The sum is added to the word when the thread turns to another word or
/// the object is destroyed. Without this sum, threads that often add to the same word would wait for one another.
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
