#pragma once

#include <cstdint>
#include <cstring>

#include "stages/core/host_device.hpp"

#if defined(__GNUC__)
// Lanes are only passed between functions that are inlined, so that no calling convention matters.
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace srcextract {

// Of a single number: what a thread of a device, and the end of a loop, use.
SRCEXTRACT_HOST_DEVICE inline std::int32_t bits_of(float value) {
  std::int32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}
SRCEXTRACT_HOST_DEVICE inline float number_of(std::int32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}
SRCEXTRACT_HOST_DEVICE inline float to_number(std::int32_t whole) {
  return static_cast<float>(whole);
}
SRCEXTRACT_HOST_DEVICE inline std::int32_t to_whole(float value) {
  return static_cast<std::int32_t>(value);
}

#if !defined(__CUDACC__)

/// The hot loops of galaxies work on 8 numbers at a time, lane by lane, on any processor. No operation mixes lanes but
/// transpose(), so a lane of the host has the bits of a thread of a device that does the same operations.
using Eight [[gnu::vector_size(32)]] = float;
using EightInts [[gnu::vector_size(32)]] = std::int32_t;
using FourDoubles [[gnu::vector_size(32)]] = double;
/// 8 numbers in an array of numbers.
using EightInMemory [[gnu::vector_size(32), gnu::may_alias]] = float;
using EightUnaligned [[gnu::vector_size(32), gnu::may_alias, gnu::aligned(4)]] = float;

inline constexpr int eight = 8;

inline Eight load_eight(const float* from) {
  return *reinterpret_cast<const EightInMemory*>(from);
}
inline Eight load_unaligned(const float* from) {
  return *reinterpret_cast<const EightUnaligned*>(from);
}
inline void store_eight(const Eight& value, float* to) {
  *reinterpret_cast<EightInMemory*>(to) = value;
}

inline void store_unaligned(const Eight& value, float* to) {
  *reinterpret_cast<EightUnaligned*>(to) = value;
}

/// Lanes 0 to 3, or 4 to 7.
inline FourDoubles low_doubles(const Eight& value) {
  return __builtin_convertvector(__builtin_shufflevector(value, value, 0, 1, 2, 3), FourDoubles);
}
inline FourDoubles high_doubles(const Eight& value) {
  return __builtin_convertvector(__builtin_shufflevector(value, value, 4, 5, 6, 7), FourDoubles);
}

inline EightInts bits_of(const Eight& value) {
  return reinterpret_cast<EightInts>(value);
}
inline Eight number_of(const EightInts& bits) {
  return reinterpret_cast<Eight>(bits);
}
inline Eight to_number(const EightInts& whole) {
  return __builtin_convertvector(whole, Eight);
}
inline EightInts to_whole(const Eight& value) {
  return __builtin_convertvector(value, EightInts);
}

/// Transposes 8 x 8 numbers.
inline void transpose_eight(Eight* rows) {
  Eight pairs[eight], fours[eight];
  for (int i = 0; i < eight; i += 2) {
    pairs[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < eight; i += 4) {
    fours[i] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    fours[i + 1] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    fours[i + 2] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    fours[i + 3] = __builtin_shufflevector(pairs[i + 1], pairs[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; ++i) {
    rows[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

#endif  // !defined(__CUDACC__)

}  // namespace srcextract
